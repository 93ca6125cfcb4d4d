/* bb_dump: the blocks that ran. */
#include <inttypes.h>

#include "cli/android/tools/tool_list.h"

static int run(const struct ear_android_request *request)
{
	struct ear_android_run run;
	int result;

	fprintf(request->out, "#  time   bb   pid num_insns  bb_addr\n");
	while ((result = ear_android_trace_next(request->trace, &run)) == 1)
		fprintf(request->out,
			"%7" PRIu64 " %4" PRIu64 " %5" PRIu64 " %9" PRIu32 "  0x%08" PRIx32 " %s\n",
			run.execution.time, run.execution.number, run.task->own,
			run.execution.entries, run.address, run.symbol->name);
	return result;
}

const struct ear_android_tool ear_android_bb_dump = {
	.name = "bb_dump",
	.summary = "the blocks that ran",
	.needs_kernel = true,
	.run = run,
};
