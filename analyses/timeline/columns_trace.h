#ifndef EAR_ANALYSES_COLUMNS_TRACE_H
#define EAR_ANALYSES_COLUMNS_TRACE_H

#include "analyses/base/byte_output.h"
#include "analyses/timeline/timeline.h"

/* A timeline as columns, for the page of a report: docs/report.md, section 3. verdict: further
 * members of the JSON object "meta", as text. The timeline is finished, and no event of it was
 * taken. Returns 0, the error of the output, or EAR_E_NO_MEMORY, when nothing is written. */
int ear_columns_trace_write(
	struct ear_timeline *timeline, const char *verdict, struct ear_byte_output *output);

#endif
