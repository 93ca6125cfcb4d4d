#ifndef EAR_ANDROID_TOOL_LIST_H
#define EAR_ANDROID_TOOL_LIST_H

#include "cli/android/tools/tool.h"

/* One file a tool. */
extern const struct ear_android_tool ear_android_bb2sym;
extern const struct ear_android_tool ear_android_bb_dump;
extern const struct ear_android_tool ear_android_bbprof;
extern const struct ear_android_tool ear_android_check_stack;
extern const struct ear_android_tool ear_android_check_trace;
extern const struct ear_android_tool ear_android_coverage;
extern const struct ear_android_tool ear_android_dump_regions;
extern const struct ear_android_tool ear_android_exc_dump;
extern const struct ear_android_tool ear_android_hist_trace;
extern const struct ear_android_tool ear_android_post_trace;
extern const struct ear_android_tool ear_android_profile_pid;
extern const struct ear_android_tool ear_android_profile_trace;
extern const struct ear_android_tool ear_android_q2dm;
extern const struct ear_android_tool ear_android_q2g;
extern const struct ear_android_tool ear_android_read_addr;
extern const struct ear_android_tool ear_android_read_method;
extern const struct ear_android_tool ear_android_read_pid;
extern const struct ear_android_tool ear_android_read_trace;
extern const struct ear_android_tool ear_android_stack_dump;

#endif
