#ifndef EAR_ANALYSES_CHROME_TRACE_H
#define EAR_ANALYSES_CHROME_TRACE_H

#include "analyses/base/byte_output.h"
#include "analyses/timeline/timeline.h"

/* A timeline in the Trace Event Format, JSON, that Perfetto, chrome://tracing and speedscope read.
 * title: of the process. verdict: further members of "otherData", as text. The timeline is
 * finished, and no event of it was taken. One unit of time is a nanosecond. Returns 0 or the error
 * of the output. */
int ear_chrome_trace_write(struct ear_timeline *timeline, const char *title, const char *verdict,
	struct ear_byte_output *output);

#endif
