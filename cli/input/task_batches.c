/* Options of tasks, and whether the task that was asked for ran. */
#include "cli/input/task_batches.h"

#include "cli/base/cli.h"
#include "cli/options/options.h"

static bool take_task(void *value, const struct command_option *option, const char *argument)
{
	struct ear_task_filter *tasks = value;

	(void)option;
	tasks->task = argument;
	tasks->asked = true;
	return true;
}

static bool take_port(void *value, const struct command_option *option, const char *argument)
{
	struct ear_task_filter *tasks = value;

	tasks->options.has_port = true;
	tasks->asked = true;
	return option_number(&tasks->options.port, option, argument, 0, UINT64_MAX);
}

const struct command_option task_options[] = {
	{"task", 0, "TASK",
		.text = "Count only what TASK ran: its number, its name, or the last part of a name that "
			"is a path.",
		.take = take_task},
	{"event-port", 0, "ADDRESS",
		.text = "Stores to an event port at ADDRESS say which task runs, where the unit had "
			"none.",
		.take = take_port},
	{0},
};

bool task_batches_check(const struct ear_task_filter *tasks, const char *path)
{
	if (!tasks->task || tasks->ran)
		return true;
	if (tasks->events == 0)
		cli_error("%s: no event says which task runs", path);
	else
		cli_error("%s: no task is '%s'", path, tasks->task);
	return false;
}
