#ifndef CLI_TASK_INPUT_H
#define CLI_TASK_INPUT_H

#include <stdbool.h>

#include "cli/input/port_input.h"
#include "library/tasks/task_follower.h"

/* Which task is a record of a trace of, and is that the one that was asked for? With what its
 * stores to an event port say (port_input.h). Begin with zeros; set wanted, port.options and
 * port.elf as needed, and load the port before the command gives up its rights.
 */
struct task_input {
	struct ear_task_wanted wanted; /* name.text NULL: any that is known */
	struct port_input port;
	struct ear_task_follower *follower; /* NULL until it is open */

	/* The record that came last. */
	int hart;
	bool known;           /* which task it is of: */
	struct ear_task task; /* until the next one */
	bool matches;
};

/* --task TASK, for a const char *, which is the text of wanted. */
command_take task_input_take_name;

/* captured: as of port_input_open. Returns false after printing why not. Close it in any case. */
bool task_input_open(struct task_input *task, bool captured);
void task_input_close(struct task_input *task);

/* The next record. Returns 1 if it is of the task, 0 if not, or an error, which was printed. */
int task_input_push(struct task_input *task, const struct ear_record *record);

/* What was not there to be seen, once the trace was read: warnings. name: of the trace. */
void task_input_warn(const struct task_input *task, const char *name);

#endif
