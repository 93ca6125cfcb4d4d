#ifndef CLI_TRACE_PARTS_H
#define CLI_TRACE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyses/base/part_plan.h"
#include "analyses/base/part_threads.h"
#include "cli/input/trace_input.h"

/* A trace, or what lies between two places of it, in parts, as the command line has them.
 *
 *     struct trace_parts parts = TRACE_PARTS_DEFAULTS;
 *     ... options: trace_parts_options
 *     ... trace_input_open(&input)
 *     if (!trace_parts_plan(&parts, &input)) ...
 *     trace_parts_begin(&parts, &input, &reading);
 *     good = trace_parts_end(&reading, ear_part_threads_read(&reading));
 */
struct trace_parts {
	struct moment_option from, to; /* not given: the begin, the end */
	unsigned part, of;             /* --part: only this one, from 1; 0: all */
	bool in_order;                 /* the records must be taken in order: it is one part */
	struct ear_part_plan plan;

	/* After trace_parts_plan. */
	uint64_t first; /* begin of all parts, also of a --part */
	uint64_t size;  /* of the trace in records; only of a --part */
};

#define TRACE_PARTS_DEFAULTS \
	{ \
		.plan = {.jobs = 1 } \
	}

/* The group of --from, --to, -j and --part, for a struct trace_parts. */
extern const struct command_option trace_parts_options[];

/* --part alone, likewise. */
command_take trace_parts_take;

/* Where the parts are. A trace that has no index and gets none is one part. Returns false after
 * printing why it cannot be said. */
bool trace_parts_plan(struct trace_parts *parts, struct trace_input *input);

/* What the plan is to be read with: the members of *reading that the command line and the user
 * have. */
void trace_parts_begin(
	struct trace_parts *parts, struct trace_input *input, struct ear_part_reading *reading);

/* After ear_part_threads_read: returns true when all was read, or Ctrl-C ended it
 * (cli_interrupted), false after printing why the rest cannot be read. */
bool trace_parts_end(const struct ear_part_reading *reading, int result);

/* All of that, for what is not a struct ear_analysis. */
bool trace_parts_read(struct trace_parts *parts, struct trace_input *input,
	const struct ear_part_work *work, void *context);

#endif
