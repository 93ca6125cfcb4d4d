#ifndef EAR_PORT_TASKS_H
#define EAR_PORT_TASKS_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What stores to the event port mean together: events of tasks and methods
 * (<earshot/task_event.h>). Most stores give only a number that a later one uses: an address,
 * a group, a counter. Those are kept here, for each hart by itself, with the task that it runs.
 *
 *     switch (ear_port_tasks_take(tasks, &store)) {
 *     case 1: ... ear_port_tasks_name(tasks) ...
 */
struct ear_port_tasks;

struct ear_port_store {
	uint16_t hart;
	uint8_t number;       /* of the register */
	uint64_t value;       /* of an address all bits */
	struct ear_text text; /* that it points to; of CMDLINE with a zero byte after each one */
};

/* Returns 0 and an object to be freed; EAR_E_NO_MEMORY. Each hart runs task 0 at first. */
int ear_port_tasks_new(struct ear_port_tasks **tasks);
void ear_port_tasks_free(struct ear_port_tasks *tasks); /* NULL is fine */

/* The next store of a trace. Returns
 *   1: it is an event, whose name ear_port_tasks_name gives;
 *   0: it is a part of one that may follow, or cannot be one since a part is not known
 *      (ear_port_tasks_incomplete);
 *   EAR_E_UNSUPPORTED: it has nothing to do with tasks (PRINT_STR, ENABLE);
 *   EAR_E_NO_MEMORY.
 */
int ear_port_tasks_take(struct ear_port_tasks *tasks, const struct ear_port_store *store);

/* Valid until the next call of ear_port_tasks_take. */
struct ear_text ear_port_tasks_name(const struct ear_port_tasks *tasks);

/* Stores are missing here: which task runs, and all that was kept, is not known any more. */
void ear_port_tasks_forget(struct ear_port_tasks *tasks);

/* Events that are missing because a part of them is not known. */
uint64_t ear_port_tasks_incomplete(const struct ear_port_tasks *tasks);

#endif
