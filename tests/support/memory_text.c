/* All that a count of memory knows, as text that can be compared. */
#include "memory_text.h"

#include "check.h"

#include <inttypes.h>

#include "analyses/memory/memory_result.h"

static void print_count(FILE *file, const struct ear_usage_count *count)
{
	fprintf(file, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, count->reads, count->writes,
		count->read_bytes, count->written_bytes);
	if (count->reads + count->writes > 0)
		fprintf(file, " %" PRIu64 "-%" PRIu64, count->first, count->last);
}

static void print_facts(FILE *file, const struct ear_usage_facts *facts)
{
	const uint64_t numbers[] = {facts->records, facts->begin, facts->sizeless,
		facts->unphysical, facts->gaps, facts->gaps ? facts->first_gap : 0, facts->pages,
		facts->lost, facts->sites_lost, facts->stacks_lost, facts->blocks_lost,
		facts->rows_lost, facts->ranges_lost, facts->shares_lost, facts->step,
		facts->has_image, facts->has_heap, facts->has_sp, facts->other_isa, facts->late,
		facts->harts, facts->allocations, facts->frees, facts->failed, facts->live,
		facts->live_bytes, facts->peak_bytes, facts->peak_record};

	fprintf(file, "facts");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		fprintf(file, " %" PRIu64, numbers[i]);
	print_count(file, &facts->total);
	fprintf(file, "\n");
}

static void print_places(FILE *file, struct ear_usage *memory)
{
	const struct ear_usage_page *pages;
	const struct ear_usage_range *ranges;
	size_t count = ear_usage_pages(memory, &pages);

	for (size_t i = 0; i < count; i++) {
		fprintf(file, "page %" PRIx64 " %" PRIu64, pages[i].address, pages[i].touched);
		print_count(file, &pages[i].count);
		for (unsigned j = 0; j < EAR_USAGE_STEPS; j++)
			fprintf(file, " %u", pages[i].heat[j]);
		fprintf(file, "\n");
	}
	count = ear_usage_ranges(memory, &ranges);
	for (size_t i = 0; i < count; i++) {
		fprintf(file, "range %" PRIx64 "-%" PRIx64, ranges[i].first, ranges[i].last);
		print_count(file, &ranges[i].count);
		fprintf(file, "\n");
	}
}

static void print_wrongs(FILE *file, struct ear_usage *memory)
{
	const struct ear_usage_site *sites;
	const struct ear_usage_stack *stacks;
	size_t count = ear_usage_sites(memory, &sites);

	for (size_t i = 0; i < count; i++)
		fprintf(file,
			"site %u %u %u %" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			" %" PRIx64 " %u %u\n",
			sites[i].fault, sites[i].has_pc, sites[i].hart, sites[i].pc, sites[i].count,
			sites[i].bytes, sites[i].trapped, sites[i].first, sites[i].address,
			sites[i].size, sites[i].has_address);
	count = ear_usage_stacks(memory, &stacks);
	for (size_t i = 0; i < count; i++)
		fprintf(file,
			"stack %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64
			" %u %u %u\n",
			stacks[i].high, stacks[i].low, stacks[i].pc, stacks[i].record,
			stacks[i].switches, stacks[i].hart, stacks[i].task, stacks[i].counts);
}

static void print_lists(FILE *file, struct ear_usage *memory)
{
	const struct ear_usage_interval *rows;
	size_t count = ear_usage_intervals(memory, &rows);

	for (size_t i = 0; i < count; i++)
		fprintf(file, "interval %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			rows[i].begin, rows[i].records, rows[i].lines, rows[i].pages);
	struct ear_usage_shared *shared = ear_usage_shared(memory, &count);
	assert_non_null(shared);
	for (size_t i = 0; i < count; i++)
		fprintf(file, "shared %" PRIx64 " %u %u %u %" PRIu64 "\n", shared[i].line,
			shared[i].is_true, shared[i].harts, shared[i].writers, shared[i].moves);
	free(shared);
	struct ear_usage_block *blocks = ear_usage_blocks(memory, &count);
	assert_non_null(blocks);
	for (size_t i = 0; i < count; i++)
		fprintf(file, "block %" PRIx64 " %" PRIu64 " %" PRIx64 " %" PRIu64 " %u %s\n",
			blocks[i].address, blocks[i].size, blocks[i].caller, blocks[i].record,
			blocks[i].hart, blocks[i].function);
	free(blocks);
}

void memory_text_print(void *memory, FILE *file)
{
	const struct ear_usage_facts facts = ear_usage_facts(memory);

	print_facts(file, &facts);
	print_places(file, memory);
	print_wrongs(file, memory);
	print_lists(file, memory);
}
