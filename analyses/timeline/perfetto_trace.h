#ifndef EAR_ANALYSES_PERFETTO_TRACE_H
#define EAR_ANALYSES_PERFETTO_TRACE_H

#include "analyses/base/byte_output.h"
#include "analyses/timeline/timeline.h"

/* A timeline as Perfetto's protobuf: the same as chrome_trace.h, in a third of the bytes. Returns 0
 * or the error of the output. */
int ear_perfetto_trace_write(
	struct ear_timeline *timeline, const char *title, struct ear_byte_output *output);

#endif
