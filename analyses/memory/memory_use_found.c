/* What was found. */
#include "analyses/memory/memory_tables.h"

struct ear_usage_facts ear_usage_facts(const struct ear_usage *memory)
{
	struct ear_usage_facts facts = memory->facts;

	facts.has_heap |= memory->has_events;
	return facts;
}

size_t ear_usage_pages(struct ear_usage *memory, const struct ear_usage_page **pages)
{
	*pages = memory->pages;
	return memory->page_count;
}

size_t ear_usage_ranges(struct ear_usage *memory, const struct ear_usage_range **ranges)
{
	*ranges = memory->ranges;
	return memory->range_count;
}

size_t ear_usage_sites(struct ear_usage *memory, const struct ear_usage_site **sites)
{
	*sites = memory->sites;
	return memory->site_count;
}

size_t ear_usage_stacks(struct ear_usage *memory, const struct ear_usage_stack **stacks)
{
	*stacks = memory->stacks;
	return memory->stack_count;
}

size_t ear_usage_intervals(struct ear_usage *memory, const struct ear_usage_interval **rows)
{
	*rows = memory->rows;
	return memory->row_count;
}

uint64_t ear_usage_touched(const struct ear_usage *memory, uint64_t first, uint64_t last)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < memory->page_count; i++) {
		const uint64_t page = memory->pages[i].address;
		const uint64_t page_last = page + (EAR_USAGE_PAGE - 1);
		if (page > last || page_last < first)
			continue;
		if (first <= page && last >= page_last) {
			sum += memory->pages[i].touched;
			continue;
		}
		const unsigned from = first > page ? (unsigned)(first - page) : 0;
		const unsigned to = last < page_last ? (unsigned)(last - page) : EAR_USAGE_PAGE - 1;
		for (unsigned j = from; j <= to; j++)
			sum += (memory->bits[i]->written[j / 64] | memory->bits[i]->read[j / 64]) >>
				       j % 64 &
			       1;
	}
	return sum;
}
