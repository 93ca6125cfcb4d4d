#ifndef EAR_TOP_TRACE_H
#define EAR_TOP_TRACE_H

#include "cli/input/trace_input.h"
#include "cli/top/top_options.h"

/* A live view of a trace. */
struct top_trace {
	struct trace_input input;
	struct top_options options;
	bool follow; /* of what no earshot writes, too: it never ends by itself */
};

/* input.path is set. Returns the exit status. */
int top_trace_run(struct top_trace *trace);

#endif
