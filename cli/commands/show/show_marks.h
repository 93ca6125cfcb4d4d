#ifndef EAR_SHOW_MARKS_H
#define EAR_SHOW_MARKS_H

#include <stdbool.h>

#include <earshot/names.h>
#include <earshot/trace.h>

/* Print the marks of a trace (docs/moments.md, section 5), each with the instruction before it;
 * path: of the trace, for messages; names: NULL: none. Returns the exit status. */
int show_marks(struct ear_trace *trace, const char *path, const struct ear_names *names, bool json,
	const struct ear_progress *progress);

#endif
