#ifndef EAR_CHECK_INTERNAL_H
#define EAR_CHECK_INTERNAL_H

#include <earshot/check.h>

#include "library/api/trace_internal.h"
#include "library/check/checker_options.h"

/* What the check of a whole trace and that of its parts have in common. */

/* The sentence for why the checker ended it. Returns result. */
int ear_check_fail(struct ear_trace *trace, int result);

/* Does the trace show all that an instruction did? */
bool ear_check_is_captured(struct ear_trace *trace);

struct ear_checker_options ear_check_inner(struct ear_trace *trace,
	const struct ear_check_options *options, ear_violation_found *found, void *context);

#endif
