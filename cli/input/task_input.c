/* A task of a trace, by the events of tasks and by what stores to an event port mean. */
#include "cli/input/task_input.h"

#include <earshot/error.h>

#include "cli/base/cli.h"
#include "cli/options/options.h"

bool task_input_take_name(void *value, const struct command_option *option, const char *argument)
{
	return option_take_text(value, option, argument) &&
	       (*argument || option_fail(option, argument, "the number or name of a task"));
}

bool task_input_open(struct task_input *task, bool captured)
{
	task->hart = -1;
	task->port.options.tasks = true;
	if (!port_input_open(&task->port, captured))
		return false;
	int result = ear_task_follower_new(&task->follower);
	if (result)
		cli_error("%s", ear_error_text(result));
	return result == 0;
}

void task_input_close(struct task_input *task)
{
	port_input_close(&task->port);
	ear_task_follower_free(task->follower);
	task->follower = NULL;
}

int task_input_push(struct task_input *task, const struct ear_record *record)
{
	bool changed = record->hart != task->hart;
	int count = port_input_push(&task->port, record);
	int result = count < 0 ? count : 0;

	for (int i = 0; i < count && result >= 0; i++) {
		result = ear_task_follower_push(task->follower, port_input_get(&task->port, i));
		changed |= result > 0;
		if (result < 0)
			cli_error("%s", ear_error_text(result));
	}
	if (result < 0)
		return result;
	if (changed) {
		task->known = ear_task_follower_get(task->follower, record->hart, &task->task);
		task->matches = task->known && (!task->wanted.name.text ||
						       ear_task_is(&task->task, &task->wanted));
	}
	task->hart = record->hart;
	return task->matches;
}

void task_input_warn(const struct task_input *task, const char *name)
{
	port_input_warn(&task->port, name);
	if (ear_task_follower_events(task->follower) == 0)
		cli_warning("%s: no event says which task runs", name);
}
