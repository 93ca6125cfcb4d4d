/* stack_dump: calls and returns of each task, or the calls at one time. */
#include <earshot/error.h>
#include <inttypes.h>

#include "cli/android/tools/calls.h"
#include "cli/android/tools/tool_list.h"

static void print_frame(const struct ear_android_request *request,
	const struct ear_android_stack *stack, const struct ear_android_call_frame *frame,
	size_t depth)
{
	const struct ear_android_tasks *tasks = ear_android_trace_tasks(request->trace);
	FILE *out = request->out;
	const struct ear_android_image *image = frame->symbol->image;

	fprintf(out, "thr %" PRIu64 " %c%c%c%c %3zu", ear_android_tasks_own(tasks, stack->pid),
		frame->interrupted ? 'e' : '-', frame->is_method ? 'm' : '-',
		image->is_kernel ? 'k' : '-', image->is_vectors ? 'v' : '-', depth);
	for (size_t i = 0; i < depth; i++)
		fputc('.', out);
	fprintf(out, " 0x%08" PRIx32 " %s\n", frame->back, frame->symbol->name);
}

static int print_call(void *context, uint64_t time, bool enter,
	const struct ear_android_stack *stack, const struct ear_android_call_frame *frame,
	size_t depth)
{
	const struct ear_android_request *request = context;

	fprintf(request->out, "%" PRIu64 " %s ", time, enter ? "en" : "x ");
	print_frame(request, stack, frame, depth);
	return 0;
}

static int pass_call(void *context, uint64_t time, bool enter,
	const struct ear_android_stack *stack, const struct ear_android_call_frame *frame,
	size_t depth)
{
	(void)context;
	(void)time;
	(void)enter;
	(void)stack;
	(void)frame;
	(void)depth;
	return 0;
}

/* The block before ran at the time that is asked for. */
static int print_stack(
	void *context, const struct ear_android_run *run, const struct ear_android_stack *stack)
{
	const struct ear_android_request *request = context;

	if (run->execution.time <= request->moment)
		return 0;
	for (size_t i = 0; stack && i < stack->depth; i++)
		print_frame(request, stack, ear_android_stack_frame(stack, i), i);
	return 1;
}

static int run(const struct ear_android_request *request)
{
	const struct ear_android_call_hooks hooks = {
		.call = request->has_moment ? pass_call : print_call,
		.ran = request->has_moment ? print_stack : NULL,
		.context = (void *)(uintptr_t)request};

	int result = ear_android_calls_run(request->trace, false, &hooks);
	if (result == 0 && request->has_moment)
		return ear_android_trace_fail(request->trace, EAR_E_BAD_ARGUMENT,
			"no block begins after the time %" PRIu64, request->moment);
	return result < 0 ? result : 0;
}

const struct ear_android_tool ear_android_stack_dump = {
	.name = "stack_dump",
	.summary = "calls and returns, or the calls at the time of -d",
	.needs_kernel = true,
	.run = run,
};
