/* The table of tools. */
#include <string.h>

#include "cli/android/tools/tool_list.h"

const struct ear_android_tool *const ear_android_tools[] = {
	&ear_android_post_trace,
	&ear_android_read_trace,
	&ear_android_check_trace,
	&ear_android_bb_dump,
	&ear_android_bb2sym,
	&ear_android_profile_trace,
	&ear_android_bbprof,
	&ear_android_q2dm,
	&ear_android_q2g,
	&ear_android_coverage,
	&ear_android_stack_dump,
	&ear_android_check_stack,
	&ear_android_hist_trace,
	&ear_android_read_addr,
	&ear_android_read_pid,
	&ear_android_exc_dump,
	&ear_android_read_method,
	&ear_android_profile_pid,
	&ear_android_dump_regions,
	NULL,
};

const struct ear_android_tool *ear_android_tool_find(const char *name)
{
	for (const struct ear_android_tool *const *tool = ear_android_tools; *tool; tool++)
		if (strcmp((*tool)->name, name) == 0)
			return *tool;
	return NULL;
}
