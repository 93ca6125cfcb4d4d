/* profile_trace: cycles of each function.
 *
 * A function of a library that was unmapped keeps its time; the original drops it.
 */
#include <earshot/error.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/android/tools/tool_list.h"
#include "common/array.h"

#define MEGAHERTZ 200 /* what the original assumes */

struct list {
	struct ear_android_symbol **symbols;
	size_t count, room;
};

static int by_cycles(const void *a, const void *b)
{
	const struct ear_android_symbol *left = *(struct ear_android_symbol *const *)a;
	const struct ear_android_symbol *right = *(struct ear_android_symbol *const *)b;

	if (left->cycles != right->cycles)
		return left->cycles < right->cycles ? 1 : -1;
	return strcmp(left->name, right->name);
}

static bool add(struct list *list, struct ear_android_symbol *symbol)
{
	if (symbol->called)
		return true;
	if (!EAR_ARRAY_RESERVE(list->symbols, &list->room, list->count + 1))
		return false;
	symbol->called = true;
	list->symbols[list->count++] = symbol;
	return true;
}

/* What the original leaves out. */
static bool is_forgotten(const struct ear_android_request *request,
	const struct ear_android_regions *regions, const struct ear_android_symbol *symbol)
{
	if (!ear_android_trace_options(request->trace)->compatible || symbol->image->is_dex)
		return false;
	for (const struct ear_android_region *region = regions->first; region;
		region = region->next)
		if (region->image == symbol->image && region->spaces == 0 && region->was_unmapped)
			return true;
	return false;
}

static void drop_forgotten(const struct ear_android_request *request, struct list *list)
{
	const struct ear_android_regions *regions =
		&ear_android_trace_tasks(request->trace)->regions;
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (!is_forgotten(request, regions, list->symbols[i]))
			list->symbols[kept++] = list->symbols[i];
	list->count = kept;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print(FILE *out, const struct list *list)
{
	uint64_t total = 0, sum = 0;

	for (size_t i = 0; i < list->count; i++)
		total += list->symbols[i]->cycles;
	fprintf(out, "Total seconds: %.2f, total cycles: %" PRIu64 ", MHz: %d\n\n",
		(double)total / (MEGAHERTZ * 1e6), total, MEGAHERTZ);
	fprintf(out, "Elapsed secs Elapsed cyc      %%      %%    Function\n");
	for (size_t i = 0; i < list->count; i++) {
		const struct ear_android_symbol *symbol = list->symbols[i];
		if (symbol->cycles == 0)
			continue;
		sum += symbol->cycles;
		fprintf(out, "%12.2f %11" PRIu64 " %6.2f %6.2f  %s %s\n",
			(double)symbol->cycles / (MEGAHERTZ * 1e6), symbol->cycles,
			percent(symbol->cycles, total), percent(sum, total),
			symbol->image->is_kernel ? "k" : " ", symbol->name);
	}
}

static int run(const struct ear_android_request *request)
{
	struct list list = {0};
	struct ear_android_run run;
	int result;

	while ((result = ear_android_trace_next(request->trace, &run)) == 1) {
		run.symbol->cycles += run.until - run.execution.time;
		if (!add(&list, run.symbol)) {
			result = ear_android_trace_fail(request->trace, EAR_E_NO_MEMORY, "%s",
				ear_error_text(EAR_E_NO_MEMORY));
			break;
		}
	}
	if (result == 0) {
		drop_forgotten(request, &list);
		if (list.count > 0)
			qsort(list.symbols, list.count, sizeof(struct ear_android_symbol *),
				by_cycles);
		print(request->out, &list);
	}
	free(list.symbols);
	return result;
}

const struct ear_android_tool ear_android_profile_trace = {
	.name = "profile_trace",
	.summary = "cycles of each function",
	.needs_kernel = true,
	.run = run,
};
