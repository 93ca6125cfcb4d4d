#ifndef CLI_TASK_BATCHES_H
#define CLI_TASK_BATCHES_H

#include <earshot/tasks.h>

#include "analyses/base/part.h"
#include "cli/input/trace_input.h"

/* Batches of a trace with the task that ran them, for --task and --event-port of an analysis.
 *
 *     struct task_batches tasks = {.options = EAR_TASKS_DEFAULTS};
 *     ... options: tasks.task, tasks.options.port, tasks.asked
 *     ... trace_input_open(&input)
 *     if (!task_batches_begin(&tasks, &input, position)) ...
 *     ... for each batch: task_batches_take(&tasks, &batch, take, context)
 *     task_batches_end(&tasks);
 */
struct task_batches {
	bool asked;       /* tasks are followed */
	const char *task; /* the one that is wanted; NULL: all are */
	struct ear_tasks_options options;
	struct ear_tasks *tasks; /* NULL: they are not followed */
	bool ran;                /* the wanted one did */
	uint64_t events;         /* of tasks, once they are followed no more */
};

/* Rows of the table of options, and what takes their arguments. */
#define TASK_BATCHES_OPTIONS(task_id, port_id, what) \
	{"task", 0, task_id, "TASK", \
		.text = what \
		": its number, its name, or the last part of a name that is a path."}, \
	{ \
		"event-port", 0, port_id, "ADDRESS", \
			.text = "With --task: stores to an event port at ADDRESS say which task runs, where " \
				"the unit had none." \
	}
bool task_batches_take_task(struct task_batches *tasks, const char *argument);
bool task_batches_take_port(
	struct task_batches *tasks, const struct command_option *option, const char *argument);

/* From the position on at which reading begins: what was before it is read for its events alone.
 * Returns false after printing why it cannot be done. */
bool task_batches_begin(struct task_batches *tasks, struct trace_input *input, uint64_t position);
void task_batches_end(struct task_batches *tasks);

/* All records of a batch, in one call or several; task: the one that ran them, 0: it is not known,
 * or they are no instructions. wanted: it is the one that was asked for. Returns 0, or what take
 * or ear_tasks_batch returned. */
typedef int task_batches_taker(
	void *context, const struct ear_batch *batch, uint32_t task, bool wanted);
int task_batches_take(struct task_batches *tasks, const struct ear_batch *batch,
	task_batches_taker *take, void *context);

/* In the options of a file of a part: which task, and which port. */
void task_batches_describe(const struct task_batches *tasks, char text[EAR_PART_WORD_MAX]);

/* The first line of its own of such a file: whether the wanted one ran, and events so far. Without
 * one nothing is written, or read. False is an error that the reader has. */
void task_batches_write(const struct task_batches *tasks, struct ear_part_writer *writer);
bool task_batches_read(struct task_batches *tasks, struct ear_part_reader *reader);

/* After all: did the wanted one run? Prints why not. */
bool task_batches_check(const struct task_batches *tasks, const char *path);

#endif
