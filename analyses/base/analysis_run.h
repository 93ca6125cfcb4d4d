#ifndef EAR_ANALYSES_ANALYSIS_RUN_H
#define EAR_ANALYSES_ANALYSIS_RUN_H

#include <stdbool.h>
#include <stdio.h>

#include "analyses/base/analysis.h"
#include "analyses/base/part_threads.h"
#include "analyses/base/task_filter.h"

/* The runner of any analysis: a trace in the parts of a plan, each in a thread, joined in order.
 *
 *     struct ear_analysis_run run = {.analysis = &ear_stat_analysis, .whole = whole};
 *     ... run.reading: its plan, trace, path, options, stopped
 *     result = ear_analysis_run(&run);
 */
struct ear_analysis_run {
	const struct ear_analysis *analysis;
	const void *options; /* of the analysis */
	/* Follows tasks; NULL: they are not followed. Its follower stays, for who asks it for the
	 * tasks, until the next run, and is the caller's to free. */
	struct ear_task_filter *filter;

	/* What parts are joined to. NULL: the one part of the plan stays, as part, which is the
	 * caller's to free, also after an error. */
	void *whole, *part;

	struct ear_part_reading reading; /* work, context, tasks and follower are set by the run */
	bool enough;                     /* the analysis wanted no more, which is no error */
	bool begun;                      /* the first part did */
	int result;                      /* of ear_analysis_run_together */

	void *counts[EAR_PARTS_QUEUE_MAX]; /* of parts that have begun */

	/* For parts that cannot be joined: a trace of its own, since the threads have theirs at
	 * other places. NULL: there was none. */
	struct ear_trace *again;
	struct ear_progress again_progress;
	char again_error[EAR_TRACE_ERROR_MAX];
};

/* Returns as ear_part_threads_read. Whatever it returns, what came before the place where the
 * reading ended was joined. The whole is not finished: another trace may follow. */
int ear_analysis_run(struct ear_analysis_run *run);

/* Several runs of one trace with one plan, of one part: it is read once, by the first one's
 * reading, and each batch goes to all of them. What one cannot take ends that one alone. Each has
 * its result, as ear_analysis_run would return it, and the sentence of an error in its reading. */
void ear_analysis_run_together(struct ear_analysis_run *const *runs, size_t count);

/* A part as a file: all of it, and what follows its head, which is read with ear_part_open. filter
 * NULL: tasks are not followed. The second one returns false after an error, which the reader has.
 */
void ear_analysis_write(const struct ear_analysis *analysis, void *part,
	const struct ear_task_filter *filter, const struct ear_part_head *head, FILE *file);
bool ear_analysis_read(const struct ear_analysis *analysis, void *part,
	struct ear_task_filter *filter, struct ear_part_reader *reader);

#endif
