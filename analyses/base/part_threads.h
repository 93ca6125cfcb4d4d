#ifndef EAR_ANALYSES_PART_THREADS_H
#define EAR_ANALYSES_PART_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include <earshot/moment.h>
#include <earshot/tasks.h>
#include <earshot/trace.h>

#include "analyses/base/part_plan.h"

/* A trace is read once, in the parts of a plan, by several threads; if it is one part, a second
 * thread reads ahead.
 */

/* What is done with each part, in the thread that reads it. Each returns 0, or a result of
 * earshot/error.h, which ends the reading. */
struct ear_part_work {
	/* moment: of its begin; NULL: that is the begin of the trace, or no_moments. */
	int (*begin)(void *context, unsigned part, struct ear_moment *moment,
		const struct ear_progress *progress);
	/* With tasks, after begin: a batch of what is before the part, from the beginning of the
	 * trace on; batch NULL: that was all. Without this function the follower gets these
	 * batches, and nobody else. */
	int (*before)(void *context, const struct ear_batch *batch);
	int (*batch)(void *context, unsigned part, const struct ear_batch *batch);
	/* It was read, and so were all before it; never in two threads at a time. The last one may
	 * not have been read to its end. In a queue no more than jobs + 1 parts have begun and not
	 * ended; those after the last one never do. NULL: nothing is to be done. */
	int (*end)(void *context, unsigned part);
	bool no_moments; /* a part begins without them, which costs less */
};

struct ear_part_reading {
	struct ear_part_plan *plan;
	struct ear_trace *trace;                 /* the caller's; other threads open */
	const char *path;                        /* this */
	const struct ear_trace_options *options; /* with these */

	/* Tasks are followed; NULL: they are not. So that they are known where a part begins, all
	 * that is before it is read, too: the plan has one part then. *follower is made before the
	 * part begins, and is the caller's to free. */
	const struct ear_tasks_options *tasks;
	struct ear_tasks **follower;

	const struct ear_part_work *work;
	void *context;

	/* Is the reading to end? Asked by all threads, often. */
	bool (*stopped)(void);
	/* How many records there were, for the user: in the caller's thread, now and then.
	 * total: 0, or how many of them are before the part. May be NULL. */
	void (*progress)(uint64_t done, uint64_t total);

	char error[EAR_TRACE_ERROR_MAX]; /* after an error: a sentence */
};

/* Returns 0: all was read. EAR_E_CANCELLED: stopped, or work that returned it, ended the reading.
 * Any other error has its sentence. After an error the parts before the first one that was not read
 * to its end are what comes before a place, and plan->count is how many these are, that one
 * included.
 */
int ear_part_threads_read(struct ear_part_reading *reading);

#endif
