/* read_method: method events, and in which methods the task is after each. */
#include <inttypes.h>

#include "cli/android/tools/tool_list.h"

static void print_stack(FILE *out, const struct ear_android_task *task)
{
	for (size_t i = 0; i < task->depth; i++) {
		const struct ear_android_frame *frame = &task->frames[i];
		fprintf(out, "%s %zu: %" PRIu64 " 0x%08" PRIx32 " %s\n",
			frame->native ? " n" : "  ", i, frame->time, frame->address,
			frame->symbol ? frame->symbol->name : "");
	}
}

static int run(const struct ear_android_request *request)
{
	struct ear_qtrace_method_event event;
	struct ear_android_task *task;
	int result;

	while ((result = ear_android_trace_next_method(request->trace, &event, &task)) == 1) {
		if (!ear_android_trace_wants_task(request->trace, task))
			continue;
		const struct ear_android_frame *top =
			task->depth > 0 ? &task->frames[task->depth - 1] : NULL;
		fprintf(request->out, "%" PRIu64 " p %" PRIu64 " 0x%08" PRIx32 " %u%s%s\n",
			event.time, task->own, event.address, event.type,
			top && top->symbol ? " " : "", top && top->symbol ? top->symbol->name : "");
		print_stack(request->out, task);
	}
	return result;
}

const struct ear_android_tool ear_android_read_method = {
	.name = "read_method",
	.summary = "method events, each with the methods that are active",
	.needs_kernel = true,
	.run = run,
};
