#ifndef EAR_TASK_FOLLOWER_H
#define EAR_TASK_FOLLOWER_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>

/* Which task each record of a trace is of, by the events of tasks before it
 * (<earshot/task_event.h>) and the switches at an event port.
 *
 * A task has a number, a group and a name. The name is that of the event process or name, or the
 * first argument of exec, whichever came last; a child has that of its parent until it gets its
 * own.
 *
 * The task is not known before the first event that says it, and after a gap in which such an event
 * may be missing. Before the first switch task 0 runs, if the trace of the hart begins with its
 * first instruction.
 */
struct ear_task_follower;

struct ear_task {
	uint64_t pid, group;
	bool has_group;
	struct ear_text name; /* at most EAR_TASK_NAME_MAX bytes; text NULL: not known */
};

#define EAR_TASK_NAME_MAX 255u

/* A number in decimal, a name, or the last part of one that is a path. */
struct ear_task_wanted {
	struct ear_text name;
	bool has_pid;
	uint64_t pid;
};

/* Returns 0 and an object to be freed, or EAR_E_NO_MEMORY. */
int ear_task_follower_new(struct ear_task_follower **follower);
void ear_task_follower_free(struct ear_task_follower *follower); /* NULL is fine */

/* The next record of the trace. Returns 1 if the task of its hart, or what is known of it, may be
 * another one from this record on; 0 if not; EAR_E_NO_MEMORY. A switch belongs to the new task.
 */
int ear_task_follower_push(struct ear_task_follower *follower, const struct ear_record *record);

/* The task that the hart runs, as a copy whose name is valid until the next push. Returns false if
 * it is not known.
 */
bool ear_task_follower_get(
	const struct ear_task_follower *follower, uint16_t hart, struct ear_task *task);

/* A task by its number, whether it runs or not. Returns false if nothing was reported of it. */
bool ear_task_follower_find(
	const struct ear_task_follower *follower, uint64_t pid, struct ear_task *task);

/* Events of tasks so far. */
uint64_t ear_task_follower_events(const struct ear_task_follower *follower);

/* text is kept. */
struct ear_task_wanted ear_task_wanted(const char *text);
bool ear_task_is(const struct ear_task *task, const struct ear_task_wanted *wanted);

#endif
