/* check_trace: does each block begin at the time of its first instruction? The log refuses a trace
 * in which one does not, so that all of it has to be read, and no more.
 */
#include "cli/android/tools/tool_list.h"

static int run(const struct ear_android_request *request)
{
	struct ear_android_run run;
	int result;

	while ((result = ear_android_trace_next(request->trace, &run)) == 1) {
	}
	return result ? result : ear_android_trace_finish(request->trace);
}

const struct ear_android_tool ear_android_check_trace = {
	.name = "check_trace",
	.summary = "does each block begin with its first instruction? Silent if so",
	.needs_kernel = true,
	.run = run,
};
