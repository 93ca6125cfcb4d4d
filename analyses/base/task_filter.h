#ifndef EAR_ANALYSES_TASK_FILTER_H
#define EAR_ANALYSES_TASK_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include <earshot/tasks.h>
#include <earshot/trace.h>

#include "analyses/base/part.h"

/* Batches of a trace with the task that ran them, and whether it is the one that was asked for.
 *
 *     struct ear_task_filter filter = {.options = EAR_TASKS_DEFAULTS, .task = "init"};
 *     ... ear_tasks_new(&filter.tasks, trace, &filter.options, &progress)
 *     ... for each batch: ear_task_filter_take(&filter, &batch, take, context)
 */
struct ear_task_filter {
	bool asked;       /* tasks are followed */
	const char *task; /* the one that is wanted; NULL: all are */
	struct ear_tasks_options options;
	struct ear_tasks *tasks; /* the follower; NULL: they are not followed */
	bool ran;                /* the wanted one did */
	uint64_t events;         /* of tasks, of all traces that were read */
};

/* All records of a batch, in one call or several; task: the one that ran them, 0: it is not known,
 * or they are not instructions. wanted: it is the one that was asked for. Returns 0, or what take
 * or ear_tasks_batch returned. */
typedef int ear_task_filter_taker(
	void *context, const struct ear_batch *batch, uint32_t task, bool wanted);
int ear_task_filter_take(struct ear_task_filter *filter, const struct ear_batch *batch,
	ear_task_filter_taker *take, void *context);

/* In the options of a part file: which task, and which port. */
void ear_task_filter_describe(const struct ear_task_filter *filter, char text[EAR_PART_WORD_MAX]);

/* The first line after the head of such a file: whether the wanted one ran, and events so far.
 * Without one nothing is written, or read. False is an error that the reader has. */
void ear_task_filter_write(const struct ear_task_filter *filter, struct ear_part_writer *writer);
bool ear_task_filter_read(struct ear_task_filter *filter, struct ear_part_reader *reader);

#endif
