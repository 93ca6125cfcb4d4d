/* coverage: functions of mapped files that never ran.
 *
 * The original lists functions that no call led to, even if they ran, and forgets the files that
 * were unmapped.
 */
#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "cli/android/tools/calls.h"
#include "cli/android/tools/tool_list.h"

struct list {
	struct ear_android_symbol **symbols;
	size_t count;
};

static int by_path(const void *a, const void *b)
{
	const struct ear_android_symbol *left = *(struct ear_android_symbol *const *)a;
	const struct ear_android_symbol *right = *(struct ear_android_symbol *const *)b;
	int order = strcmp(left->image->path, right->image->path);

	return order ? order : strcmp(left->name, right->name);
}

static int mark_called(void *context, uint64_t time, bool enter,
	const struct ear_android_stack *stack, const struct ear_android_call_frame *frame,
	size_t depth)
{
	(void)context;
	(void)time;
	(void)enter;
	(void)stack;
	(void)depth;
	frame->symbol->called = true;
	return 0;
}

static int mark(struct ear_android_trace *trace)
{
	const struct ear_android_call_hooks hooks = {.call = mark_called};
	struct ear_android_run run;
	int result;

	if (ear_android_trace_options(trace)->compatible)
		return ear_android_calls_run(trace, false, &hooks);
	while ((result = ear_android_trace_next(trace, &run)) == 1)
		if (run.execution.number != 0)
			run.symbol->called = run.function->called = true;
	return result;
}

/* Was the file mapped once, and is not any more? */
static bool is_gone(const struct ear_android_trace *trace, const struct ear_android_image *image)
{
	struct ear_android_tasks *tasks =
		ear_android_trace_tasks((struct ear_android_trace *)(uintptr_t)trace);
	bool gone = false;

	for (const struct ear_android_region *region = tasks->regions.first; region;
		region = region->next) {
		if (region->image == image && region->spaces > 0)
			return false;
		gone |= region->image == image;
	}
	return gone;
}

static bool is_listed(const struct ear_android_trace *trace, const struct ear_android_image *image)
{
	return !image->is_missing &&
	       !(ear_android_trace_options(trace)->compatible && is_gone(trace, image));
}

static int make_list(struct list *list, struct ear_android_trace *trace)
{
	struct ear_android_image *first = ear_android_files_first(ear_android_trace_files(trace));
	size_t room = 1;

	for (struct ear_android_image *image = first; image; image = image->next)
		room += image->count;
	list->symbols = malloc(room * sizeof(struct ear_android_symbol *));
	if (!list->symbols)
		return ear_android_trace_fail(
			trace, EAR_E_NO_MEMORY, "%s", ear_error_text(EAR_E_NO_MEMORY));
	for (struct ear_android_image *image = first; image; image = image->next)
		for (size_t i = 0; i < image->count && is_listed(trace, image); i++)
			if (!image->symbols[i].called)
				list->symbols[list->count++] = &image->symbols[i];
	qsort(list->symbols, list->count, sizeof(struct ear_android_symbol *), by_path);
	return 0;
}

static int run(const struct ear_android_request *request)
{
	struct list list = {0};
	int result = mark(request->trace);

	if (result == 0)
		result = ear_android_trace_finish(request->trace);
	if (result == 0)
		result = make_list(&list, request->trace);
	for (size_t i = 0; i < list.count && result == 0; i++)
		fprintf(request->out, "%s %s %s\n", list.symbols[i]->image->is_kernel ? "k" : " ",
			list.symbols[i]->name, list.symbols[i]->image->path);
	free(list.symbols);
	return result;
}

const struct ear_android_tool ear_android_coverage = {
	.name = "coverage",
	.summary = "functions of mapped files that never ran",
	.needs_kernel = true,
	.run = run,
};
