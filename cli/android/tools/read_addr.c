/* read_addr: loads and stores by their time. */
#include <inttypes.h>

#include "cli/android/tools/tool_list.h"

static int run(const struct ear_android_request *request)
{
	struct ear_qtrace_log *log = ear_android_trace_log(request->trace);
	struct ear_qtrace_access access;

	for (;;) {
		bool store = ear_qtrace_log_access_time(log, true) <
			     ear_qtrace_log_access_time(log, false);
		int result = ear_qtrace_log_access(log, store, UINT64_MAX, &access);
		if (result < 0)
			return ear_android_trace_fail(
				request->trace, result, "%s", ear_qtrace_log_fault(log));
		if (result == 0)
			return 0;
		fprintf(request->out, "%" PRIu64 " 0x%08" PRIx32 " %s\n", access.time,
			access.address, store ? "st" : "ld");
	}
}

const struct ear_android_tool ear_android_read_addr = {
	.name = "read_addr",
	.summary = "loads and stores with their times",
	.run = run,
};
