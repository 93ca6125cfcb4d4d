#ifndef EAR_ANALYSES_ANALYSIS_H
#define EAR_ANALYSES_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>

#include <earshot/moment.h>
#include <earshot/tasks.h>
#include <earshot/trace.h>

#include "analyses/base/part_walk.h"

/* An analysis: one row of functions, which is all that a runner has to know of it
 * (analysis_run.h). What it makes of a trace is a *count*. Counts of consecutive parts of a trace,
 * joined in order, are the count of the whole, wherever it was cut; tests/unit/analyses/
 * test_analysis.c holds each analysis to that.
 *
 *     create -> [start] -> [task, before ..] -> [task] batch .. -> finish -> join, walk or results
 *
 * A count is used by one thread at a time, and shares nothing with others but its options and what
 * these point to, which stay as they are, and the whole, as create says. Functions that return int
 * return 0 or an error of earshot/error.h, after which the count is only freed.
 */

/* What a count is made for. */
struct ear_analysis_setup {
	const void *options;     /* of the analysis: its header says which, and whether NULL is */
	bool part;               /* it is of a part: it is joined, or written */
	void *whole;             /* what it is joined to; NULL: nothing */
	struct ear_tasks *tasks; /* the follower, before its first batch; NULL: there is none */
};

/* A run of instructions that all retired and show where they went, so that none of them has to be
 * expanded to know it. */
static inline bool ear_batch_is_plain(const struct ear_batch *batch)
{
	const uint32_t plain = EAR_RECORD_NO_PRIVILEGE | EAR_RECORD_HAS_SECURITY;

	return !batch->record && (batch->run->flags & ~plain) == 0;
}

struct ear_analysis {
	const char *name;         /* in the head of part files: "coverage --isa" */
	const char *unknown_line; /* "it is none of a coverage": what is wrong with such a line */

	/* The words of the options that a count was made with, as parts share them, into text.
	 * NULL: "-", there are none. */
	void (*describe)(const void *count, char text[EAR_PART_WORD_MAX]);

	/* A new count. The whole is made before its parts, and may be read here. */
	int (*create)(void **count, const struct ear_analysis_setup *setup);
	void (*free)(void *count); /* NULL is fine */

	/* Its first batch is at moment, not at the begin of the trace. NULL: it needs no moment,
	 * so a part costs nothing to begin. */
	int (*start)(void *count, struct ear_moment *moment, const struct ear_progress *progress);

	/* With a follower of tasks: the batch that comes next is of this task, which is wanted or
	 * not. Of a batch without instructions the task is 0, and wanted says that all tasks are.
	 * Not called: all records are wanted. NULL: tasks do not matter. */
	void (*task)(void *count, uint32_t task, bool wanted);

	/* With a follower: a batch of what is before the part, from the beginning of the trace on,
	 * each after its task; batch NULL: that was all. NULL: only the follower gets these. */
	int (*before)(void *count, const struct ear_batch *batch);

	/* With a follower: an event of the part itself, before the records that it is for. NULL:
	 * none is wanted. */
	ear_tasks_event *event;

	/* Of the whole the result may be positive: it wants no more, which ends the reading, and is
	 * not an error. */
	int (*batch)(void *count, const struct ear_batch *batch);

	/* No more batches come, to a part; to the whole no more parts. NULL: nothing is to be done.
	 */
	int (*finish)(void *count);

	/* next, which is finished, follows what whole has. Only one thread joins. Returns 0, what
	 * batch may return, or EAR_E_BAD_FILE: the file of the part is wrong. With again it may
	 * also be EAR_E_UNSUPPORTED: the part does not say all that it takes, and the whole is as
	 * it was. */
	int (*join)(void *whole, void *next);

	/* After that, between two calls, the whole gets the batches of the part instead, while
	 * other parts are counted. NULL: every part can be joined. */
	void (*again)(void *whole, bool begins);

	/* A part as lines of a file, and from them, instead of batches and finish. */
	ear_part_walker *walk;

	/* A part costs more than the whole: a trace that is one part is counted by the whole. */
	bool direct;
};

#endif
