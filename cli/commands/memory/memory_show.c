/* What 'earshot memory' prints: lists of rows, each as a table, CSV or JSON. */
#include "cli/commands/memory/memory_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/show/table.h"

#define WORST        3u
#define PICTURE_ROWS 32u

static const char *const view_names[] = {"summary", "region", "section", "symbol", "page", "heat",
	"stack", "uninitialized", "code_writes", "misaligned", "working_set", "sharing", "heap"};

static struct table begin(const struct memory_show *show, const char *const *columns, uint64_t max)
{
	return table_begin(show->format, columns, max);
}

static void end(struct table *table)
{
	table_end(table, "--limit N");
}

static struct table_cell name_cell(const struct memory_show *show, uint64_t address)
{
	char text[TABLE_TEXT_MAX];
	const bool has_name =
		show->names && ear_names_text(show->names, address, text, sizeof(text)) > 0;

	return table_text(has_name ? text : NULL);
}

static struct table_cell number(bool known, uint64_t value)
{
	return known ? table_number(value) : table_unknown();
}

/* ---- What was touched. ---- */

struct part {
	uint64_t first, last, touched;
	const char *name;
	struct ear_usage_count count;
};

static void add_count(struct ear_usage_count *sum, const struct ear_usage_count *count)
{
	if (count->reads + count->writes == 0)
		return;
	const bool is_first = sum->reads + sum->writes == 0;
	sum->first = is_first || count->first < sum->first ? count->first : sum->first;
	sum->last = is_first || count->last > sum->last ? count->last : sum->last;
	sum->reads += count->reads;
	sum->writes += count->writes;
	sum->read_bytes += count->read_bytes;
	sum->written_bytes += count->written_bytes;
}

static int compare_address(const void *a, const void *b)
{
	const struct part *one = a, *other = b;

	return one->first < other->first ? -1 : one->first > other->first;
}

static int compare_count(const void *a, const void *b)
{
	const struct part *one = a, *other = b;
	const uint64_t left = one->count.reads + one->count.writes;
	const uint64_t right = other->count.reads + other->count.writes;

	if (left != right)
		return left < right ? 1 : -1;
	return compare_address(a, b);
}

static size_t list_pages(const struct memory_show *show, struct part *parts)
{
	const struct ear_usage_page *pages;
	const size_t all = ear_usage_pages(show->memory, &pages);
	size_t count = 0;

	for (size_t i = 0; i < all; i++)
		if (pages[i].count.reads + pages[i].count.writes > 0)
			parts[count++] = (struct part){pages[i].address,
				pages[i].address + (EAR_USAGE_PAGE - 1), pages[i].touched, NULL,
				pages[i].count};
	qsort(parts, count, sizeof(*parts), compare_address);
	return count;
}

/* Pages without a hole between them. */
static size_t join_pages(struct part *parts, size_t count)
{
	size_t joined = 0;

	for (size_t i = 0; i < count; i++) {
		if (joined > 0 && parts[joined - 1].last + 1 == parts[i].first) {
			parts[joined - 1].last = parts[i].last;
			parts[joined - 1].touched += parts[i].touched;
			add_count(&parts[joined - 1].count, &parts[i].count);
		} else {
			parts[joined++] = parts[i];
		}
	}
	return joined;
}

static size_t list_ranges(const struct memory_show *show, struct part *parts, bool by_section)
{
	const struct ear_usage_range *ranges;
	const size_t all = ear_usage_ranges(show->memory, &ranges);
	size_t count = 0;

	for (size_t i = 0; i < all; i++) {
		const struct ear_usage_range *range = &ranges[i];
		size_t at = count;
		const char *section = range->section ? range->section->name : NULL;
		const char *symbol = range->symbol ? range->symbol->name : NULL;
		if (range->count.reads + range->count.writes == 0)
			continue;
		for (size_t j = 0; by_section && j < count; j++)
			if (parts[j].name == section)
				at = j;
		if (at == count) {
			parts[count++] = (struct part){.first = range->first,
				.last = range->last,
				.name = by_section ? section : symbol};
		} else {
			if (range->first < parts[at].first)
				parts[at].first = range->first;
			if (range->last > parts[at].last)
				parts[at].last = range->last;
		}
		parts[at].touched += ear_usage_touched(show->memory, range->first, range->last);
		add_count(&parts[at].count, &range->count);
	}
	qsort(parts, count, sizeof(*parts), by_section ? compare_address : compare_count);
	return count;
}

static bool show_touched(const struct memory_show *show, enum memory_view view, uint64_t max)
{
	static const char *const columns[] = {"address", "end", "reads", "writes", "read_bytes",
		"written_bytes", "touched", "first", "last", "name", NULL};
	const struct ear_usage_page *pages;
	const struct ear_usage_range *ranges;
	const size_t some =
		ear_usage_pages(show->memory, &pages) + ear_usage_ranges(show->memory, &ranges);
	struct part *parts = calloc(some + 1, sizeof(*parts));
	size_t count;

	if (!parts)
		return false;
	if (view == MEMORY_SECTION || view == MEMORY_SYMBOL)
		count = list_ranges(show, parts, view == MEMORY_SECTION);
	else
		count = list_pages(show, parts);
	if (view == MEMORY_REGION)
		count = join_pages(parts, count);
	struct table output = begin(show, columns, max);
	for (size_t i = 0; i < count; i++) {
		const struct ear_usage_count *sum = &parts[i].count;
		const struct table_cell cells[] = {table_address(parts[i].first),
			table_address(parts[i].last), number(!show->no_loads, sum->reads),
			number(!show->no_stores, sum->writes),
			number(!show->no_loads, sum->read_bytes),
			number(!show->no_stores, sum->written_bytes),
			table_number(parts[i].touched), table_number(sum->first),
			table_number(sum->last), table_text(parts[i].name)};
		table_add(&output, cells);
	}
	end(&output);
	free(parts);
	return true;
}

/* ---- Heat. ---- */

static int compare_pages(const void *a, const void *b)
{
	const struct ear_usage_page *const *one = a, *const *other = b;

	return (*one)->address < (*other)->address ? -1 : (*one)->address > (*other)->address;
}

static char shade(uint64_t count)
{
	static const char shades[] = " .:-=+*#%@";
	unsigned level = 0;

	while (count > 0 && level < sizeof(shades) - 2) {
		level++;
		count /= 8;
	}
	return shades[level];
}

static void draw(const struct ear_usage_page *const *pages, size_t count, uint64_t step)
{
	const size_t rows = count < PICTURE_ROWS ? count : PICTURE_ROWS;

	printf("accesses by page, down, and time, to the right: a column is %" PRIu64
	       " records; each of .:-=+*#%%@ is 8 times as many as the one before\n",
		step);
	for (size_t row = 0; row < rows; row++) {
		const size_t from = row * count / rows, to = (row + 1) * count / rows;
		printf("%#18" PRIx64 " |", pages[from]->address);
		for (unsigned i = 0; i < EAR_USAGE_STEPS; i++) {
			uint64_t sum = 0;
			for (size_t j = from; j < to; j++)
				sum += pages[j]->heat[i];
			putchar(shade(sum));
		}
		puts("|");
	}
}

static bool show_heat(const struct memory_show *show)
{
	static const char *const columns[] = {"page", "begin", "records", "accesses", NULL};
	const struct ear_usage_facts facts = ear_usage_facts(show->memory);
	const struct ear_usage_page *pages;
	const size_t all = ear_usage_pages(show->memory, &pages);
	const struct ear_usage_page **list = calloc(all + 1, sizeof(struct ear_usage_page *));
	size_t count = 0;

	if (!list)
		return false;
	for (size_t i = 0; i < all; i++)
		if (pages[i].count.reads + pages[i].count.writes > 0)
			list[count++] = &pages[i];
	qsort((void *)list, count, sizeof(struct ear_usage_page *), compare_pages);
	if (show->format == TABLE_PLAIN) {
		draw(list, count, facts.step);
		free((void *)list);
		return true;
	}
	struct table output = begin(show, columns, 0);
	for (size_t i = 0; i < count; i++)
		for (unsigned j = 0; j < EAR_USAGE_STEPS; j++) {
			const uint64_t from = ear_usage_step_begin(&facts, j),
				       to = ear_usage_step_begin(&facts, j + 1);
			const struct table_cell cells[] = {table_address(list[i]->address),
				table_number(from), table_number(to - from),
				table_number(list[i]->heat[j])};
			if (list[i]->heat[j] > 0)
				table_add(&output, cells);
		}
	end(&output);
	free((void *)list);
	return true;
}

/* ---- Faults. ---- */

static int compare_sites(const void *a, const void *b)
{
	const struct ear_usage_site *const *one = a, *const *other = b;

	if ((*one)->fault != (*other)->fault)
		return (*one)->fault - (*other)->fault;
	if ((*one)->count != (*other)->count)
		return (*one)->count < (*other)->count ? 1 : -1;
	return (*one)->first < (*other)->first ? -1 : (*one)->first > (*other)->first;
}

static bool show_sites(
	const struct memory_show *show, unsigned first_fault, unsigned last_fault, uint64_t max)
{
	static const char *const columns[] = {"fault", "pc", "count", "bytes", "trapped", "record",
		"hart", "address", "size", "object", "where", NULL};
	static const char *const faults[] = {"uninitialized", "code write", "runs written",
		"misaligned", "not freed", "freed twice", "unknown free"};
	const struct ear_usage_site *sites;
	const size_t all = ear_usage_sites(show->memory, &sites);
	const struct ear_usage_site **list = calloc(all + 1, sizeof(struct ear_usage_site *));
	size_t count = 0;

	if (!list)
		return false;
	for (size_t i = 0; i < all; i++)
		if (sites[i].fault >= first_fault && sites[i].fault <= last_fault)
			list[count++] = &sites[i];
	qsort((void *)list, count, sizeof(struct ear_usage_site *), compare_sites);
	struct table output = begin(show, columns, max);
	for (size_t i = 0; i < count; i++) {
		const struct ear_usage_site *site = list[i];
		const struct table_cell none = table_unknown();
		const struct table_cell cells[] = {table_text(faults[site->fault]),
			site->has_pc ? table_address(site->pc) : none, table_number(site->count),
			table_number(site->bytes),
			site->fault == EAR_USAGE_MISALIGNED ? table_number(site->trapped) : none,
			table_number(site->first), table_number(site->hart),
			site->has_address ? table_address(site->address) : none,
			site->size ? table_number(site->size) : none,
			site->has_address ? name_cell(show, site->address) : none,
			site->has_pc ? name_cell(show, site->pc) : none};
		table_add(&output, cells);
	}
	end(&output);
	free((void *)list);
	return true;
}

static bool show_heap(const struct memory_show *show, uint64_t max)
{
	const struct ear_usage_facts facts = ear_usage_facts(show->memory);

	if (show->format == TABLE_PLAIN && facts.has_heap)
		printf("%" PRIu64 " allocated, %" PRIu64 " freed, %" PRIu64 " failed; %" PRIu64
		       " blocks of %" PRIu64 " bytes not freed; at most %" PRIu64
		       " bytes, at record %" PRIu64 "\n",
			facts.allocations, facts.frees, facts.failed, facts.live, facts.live_bytes,
			facts.peak_bytes, facts.peak_record);
	return show_sites(show, EAR_USAGE_LEAK, EAR_USAGE_UNKNOWN_FREE, max);
}

/* ---- Stacks, working set, harts. ---- */

/* The task of a stack; of files of parts these are with the memory. */
static bool find_task(const struct memory_show *show, uint32_t number, struct ear_task_facts *task)
{
	if (show->tasks)
		return ear_tasks_get(show->tasks, number, task);
	if (!ear_usage_task(show->memory, number, &task->pid, &task->name))
		return false;
	if (!task->name)
		task->name = "";
	return true;
}

static bool show_stacks(const struct memory_show *show, uint64_t max)
{
	static const char *const columns[] = {"top", "lowest", "bytes", "switches", "record",
		"hart", "task", "task_name", "pc", "memory", "where", NULL};
	struct ear_task_facts task = {.size = sizeof(task)};
	const struct ear_usage_stack *stacks;
	const size_t count = ear_usage_stacks(show->memory, &stacks);
	struct table output = begin(show, columns, max);

	for (size_t i = 0; i < count; i++) {
		const struct ear_usage_stack *stack = &stacks[i];
		const bool known = show->with_tasks && find_task(show, stack->task, &task);
		if (!stack->counts)
			continue;
		const struct table_cell cells[] = {table_address(stack->high),
			table_address(stack->low), table_number(stack->high - stack->low),
			table_number(stack->switches), table_number(stack->record),
			table_number(stack->hart),
			known ? table_number(task.pid) : table_text(NULL),
			table_text(known && task.name[0] ? task.name : NULL),
			table_address(stack->pc), name_cell(show, stack->low),
			name_cell(show, stack->pc)};
		table_add(&output, cells);
	}
	end(&output);
	return true;
}

static bool show_working_set(const struct memory_show *show, uint64_t max)
{
	static const char *const columns[] = {"begin", "records", "lines", "pages", NULL};
	const struct ear_usage_interval *rows;
	const size_t count = ear_usage_intervals(show->memory, &rows);
	struct table output = begin(show, columns, max);

	for (size_t i = 0; i < count; i++) {
		const struct table_cell cells[] = {table_number(rows[i].begin),
			table_number(rows[i].records), table_number(rows[i].lines),
			table_number(rows[i].pages)};
		table_add(&output, cells);
	}
	end(&output);
	return true;
}

static bool show_sharing(const struct memory_show *show, uint64_t max)
{
	static const char *const columns[] = {
		"line", "sharing", "harts", "writers", "moves", "object", NULL};
	size_t count;
	struct ear_usage_shared *lines = ear_usage_shared(show->memory, &count);

	if (!lines)
		return false;
	struct table output = begin(show, columns, max);
	for (size_t i = 0; i < count; i++) {
		const struct table_cell cells[] = {table_address(lines[i].line),
			table_text(lines[i].is_true ? "true" : "false"),
			table_number(lines[i].harts), table_number(lines[i].writers),
			table_number(lines[i].moves), name_cell(show, lines[i].line)};
		table_add(&output, cells);
	}
	end(&output);
	free(lines);
	return true;
}

/* ---- Views. ---- */

static bool show_view(const struct memory_show *show, enum memory_view view, uint64_t max)
{
	switch (view) {
	case MEMORY_REGION:
	case MEMORY_SECTION:
	case MEMORY_SYMBOL:
	case MEMORY_PAGE: return show_touched(show, view, max);
	case MEMORY_HEAT: return show_heat(show);
	case MEMORY_STACK: return show_stacks(show, max);
	case MEMORY_UNINITIALIZED:
		return show_sites(show, EAR_USAGE_UNINITIALIZED, EAR_USAGE_UNINITIALIZED, max);
	case MEMORY_CODE_WRITES:
		return show_sites(show, EAR_USAGE_CODE_WRITE, EAR_USAGE_RUN_WRITTEN, max);
	case MEMORY_MISALIGNED:
		return show_sites(show, EAR_USAGE_MISALIGNED, EAR_USAGE_MISALIGNED, max);
	case MEMORY_WORKING_SET: return show_working_set(show, max);
	case MEMORY_SHARING: return show_sharing(show, max);
	case MEMORY_HEAP: return show_heap(show, max);
	case MEMORY_SUMMARY:
	case MEMORY_ERRORS: break;
	}
	return true;
}

/* NULL if the trace shows it. */
static const char *lacks(const struct memory_show *show, enum memory_view view)
{
	const struct ear_usage_facts facts = ear_usage_facts(show->memory);

	if (show->no_loads && show->no_stores && view != MEMORY_STACK && view != MEMORY_HEAP)
		return "the trace shows no accesses";
	if (show->no_loads && (view == MEMORY_UNINITIALIZED || view == MEMORY_SHARING))
		return "the trace shows no loads";
	if (show->no_stores && (view == MEMORY_UNINITIALIZED || view == MEMORY_SHARING ||
				       view == MEMORY_CODE_WRITES))
		return "the trace shows no stores";
	if (view == MEMORY_SECTION || view == MEMORY_SYMBOL)
		return show->names ? NULL : "there are no names (--elf FILE)";
	if (view == MEMORY_UNINITIALIZED)
		return facts.has_image ? NULL
				       : "what was loaded before the run is not known (--elf FILE)";
	if (view == MEMORY_STACK)
		return facts.has_sp ? NULL : "no instruction set sp";
	if (view == MEMORY_HEAP)
		return facts.has_heap
			       ? NULL
			       : "there are no names of malloc, free and the like, and no events of the heap";
	return NULL;
}

static void print_count(const char *key, bool known, uint64_t count)
{
	if (known)
		printf(", \"%s\": %" PRIu64, key, count);
	else
		printf(", \"%s\": null", key);
}

static bool show_json(const struct memory_show *show, enum memory_view only)
{
	const struct ear_usage_facts facts = ear_usage_facts(show->memory);
	bool good = true;

	printf("{\"records\": %" PRIu64, facts.records);
	print_count("reads", !show->no_loads, facts.total.reads);
	print_count("writes", !show->no_stores, facts.total.writes);
	printf(", \"gaps\": %" PRIu64 ", %s", facts.gaps, verdict_members(show->verdict));
	if (facts.has_heap && (only == MEMORY_SUMMARY || only == MEMORY_HEAP))
		printf(", \"allocations\": %" PRIu64 ", \"frees\": %" PRIu64
		       ", \"failed\": %" PRIu64 ", \"live\": %" PRIu64 ", \"live_bytes\": %" PRIu64
		       ", \"peak_bytes\": %" PRIu64,
			facts.allocations, facts.frees, facts.failed, facts.live, facts.live_bytes,
			facts.peak_bytes);
	for (enum memory_view view = MEMORY_REGION; view <= MEMORY_HEAP; view++) {
		if (only != MEMORY_SUMMARY && view != only)
			continue;
		printf(",\n  \"%s\": ", view_names[view]);
		if (lacks(show, view))
			printf("null");
		else
			good = show_view(show, view, 0) && good;
	}
	puts("}");
	return good;
}

static bool show_summary(const struct memory_show *show)
{
	static const char *const titles[] = {"", "--by region", "--by section", "--by symbol",
		"--by page", "--heat", "--stack", "--uninitialized", "--code-writes",
		"--misaligned", "--working-set N", "--sharing", "--heap"};
	bool good = true;

	for (enum memory_view view = MEMORY_REGION; view <= MEMORY_HEAP; view++) {
		if (view == MEMORY_PAGE || view == MEMORY_HEAT || view == MEMORY_WORKING_SET)
			continue;
		printf("%s%s:\n", view > MEMORY_REGION ? "\n" : "", titles[view]);
		if (lacks(show, view))
			printf("- %s\n", lacks(show, view));
		else
			good = show_view(show, view, WORST) && good;
	}
	return good;
}

bool memory_show(const struct memory_show *show, enum memory_view view)
{
	if (show->format == TABLE_JSON)
		return show_json(show, view);
	if (view == MEMORY_SUMMARY)
		return show_summary(show);
	if (lacks(show, view)) {
		cli_warning("%s", lacks(show, view));
		return true;
	}
	return show_view(show, view, show->format == TABLE_CSV ? 0 : show->top);
}
