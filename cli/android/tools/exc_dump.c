/* exc_dump: the exceptions. */
#include <inttypes.h>

#include "cli/android/tools/tool_list.h"

static int run(const struct ear_android_request *request)
{
	struct ear_android_run executed;
	int result;

	while ((result = ear_android_trace_next(request->trace, &executed)) == 1) {
		const struct ear_qtrace_exception *exception = executed.execution.exception;
		if (!exception)
			continue;
		fprintf(request->out,
			"time: %" PRIu64 " rec: %" PRIu64 " pc: %08" PRIx32 " target: %08" PRIx32
			" bb: %" PRIu64 " bb_start: %" PRIu64 " insns: %" PRIu32 "\n",
			exception->time, exception->ordinal, exception->pc, exception->target,
			exception->block, exception->start, exception->entries);
	}
	return result;
}

const struct ear_android_tool ear_android_exc_dump = {
	.name = "exc_dump",
	.summary = "all exceptions",
	.run = run,
};
