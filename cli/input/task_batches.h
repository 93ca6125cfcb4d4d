#ifndef CLI_TASK_BATCHES_H
#define CLI_TASK_BATCHES_H

#include "analyses/base/task_filter.h"
#include "cli/input/trace_input.h"

/* --task and --event-port of an analysis: analyses/base/task_filter.h.
 *
 *     struct ear_task_filter tasks = {.options = EAR_TASKS_DEFAULTS};
 *     ... options: task_options
 *     ... after all: task_batches_check(&tasks, path)
 */

/* The group of --task and --event-port, for a struct ear_task_filter. */
extern const struct command_option task_options[];

/* After all: did the wanted one run? Prints why not. */
bool task_batches_check(const struct ear_task_filter *tasks, const char *path);

#endif
