/* dump_regions: what each process maps at the end of the trace. */
#include <inttypes.h>

#include "cli/android/tools/tool_list.h"

static void print_region(FILE *out, const struct ear_android_region *region)
{
	const struct ear_android_image *image = region->image;

	fprintf(out,
		"  %08" PRIx32 " - %08" PRIx64 " offset: %5" PRIx32 "  nsyms: %4zu refs: %u %s\n",
		region->start, region->end, region->offset, image->count + image->has_end,
		region->spaces - 1, image->path);
}

static int run(const struct ear_android_request *request)
{
	const struct ear_android_tasks *tasks = ear_android_trace_tasks(request->trace);
	int result = ear_android_trace_finish(request->trace);

	for (uint32_t pid = 0; pid < EAR_QTRACE_PIDS && result == 0; pid++) {
		const struct ear_android_task *task = tasks->list[pid];
		if (!task)
			continue;
		const char *arguments = task->arguments ? task->arguments : "";
		fprintf(request->out, "pid %" PRIu64 " regions: %zu %s%s%s\n", task->own,
			task->space->count, task->name ? task->name : "", arguments[0] ? " " : "",
			arguments);
		for (size_t i = 0; i < task->space->count; i++)
			print_region(request->out, task->space->regions[i]);
	}
	return result;
}

const struct ear_android_tool ear_android_dump_regions = {
	.name = "dump_regions",
	.summary = "what each process maps at the end",
	.run = run,
};
