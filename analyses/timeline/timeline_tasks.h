#ifndef EAR_ANALYSES_TIMELINE_TASKS_H
#define EAR_ANALYSES_TIMELINE_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include <earshot/record.h>

/* What events say of tasks: stores to an event port (docs/event-port.md), with strings by value,
 * and events of words ("switch 3", docs/android.md, section 6).
 */
struct timeline_tasks;

/* Returns NULL if memory is short. */
struct timeline_tasks *timeline_tasks_new(void);
void timeline_tasks_free(struct timeline_tasks *tasks); /* NULL is fine */

enum timeline_task_kind {
	TIMELINE_TASK_NONE,   /* a part of another event, or nothing that is shown */
	TIMELINE_TASK_SWITCH, /* the hart runs the task pid */
	TIMELINE_TASK_MARK,   /* text says which */
	TIMELINE_TASK_COUNT,  /* value of the counter pid */
	TIMELINE_TASK_ENTER,  /* a method of pid begins: address, native; text: its name, or "" */
	TIMELINE_TASK_LEAVE,  /* it ends: address, native, unwound */
	TIMELINE_TASK_OTHER,  /* text says what */
};

struct timeline_task_event {
	enum timeline_task_kind kind;
	uint64_t pid;
	int64_t value;
	uint64_t address;
	bool native, unwound;
	char text[96];
};

/* An event of a hart whose task is *current, known if has_current. */
void timeline_tasks_take(struct timeline_tasks *tasks, const struct ear_event *own,
	const uint64_t *current, struct timeline_task_event *event);

/* The name of a task; "" if none was said. Valid until the next event. */
const char *timeline_tasks_name(const struct timeline_tasks *tasks, uint64_t pid);

#endif
