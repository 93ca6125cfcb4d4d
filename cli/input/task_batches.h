#ifndef CLI_TASK_BATCHES_H
#define CLI_TASK_BATCHES_H

#include "analyses/base/task_filter.h"
#include "cli/input/trace_input.h"

/* --task and --event-port of an analysis: analyses/base/task_filter.h.
 *
 *     struct ear_task_filter tasks = {.options = EAR_TASKS_DEFAULTS};
 *     ... options: task_batches_take_task(&tasks, ..), task_batches_take_port(&tasks, ..)
 *     ... after all: task_batches_check(&tasks, path)
 */

/* The group of --task and --event-port, for a struct ear_task_filter. */
extern const struct command_option task_options[];

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
bool task_batches_take_task(struct ear_task_filter *tasks, const char *argument);
bool task_batches_take_port(
	struct ear_task_filter *tasks, const struct command_option *option, const char *argument);

/* After all: did the wanted one run? Prints why not. */
bool task_batches_check(const struct ear_task_filter *tasks, const char *path);

#endif
