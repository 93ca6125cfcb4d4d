#ifndef EAR_ANALYSES_TIMELINE_METHODS_H
#define EAR_ANALYSES_TIMELINE_METHODS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyses/timeline/slices.h"
#include "analyses/timeline/timeline_tasks.h"

/* Methods of an interpreter as slices: a track for each task, on which they are within each other.
 */
#define TIMELINE_METHOD_TASKS_MAX 256u  /* tasks with a track */
#define TIMELINE_METHODS_DEEP     1024u /* methods of a task, one in another */

struct timeline_method {
	uint64_t address;
	uint32_t mark; /* of its slice */
	bool native;
};

struct timeline_method_task {
	uint64_t pid;
	uint32_t track;
	uint64_t now;         /* time of its last event */
	uint32_t depth, lost; /* methods; those that are too deep */
	struct timeline_method stack[TIMELINE_METHODS_DEEP];
};

struct timeline_methods {
	struct timeline_method_task **tasks;
	uint32_t count;
};

void timeline_methods_fini(struct timeline_methods *methods);

/* The task of an event of a method; its track is UINT32_MAX if it is new. NULL: memory is short, or
 * there are too many (*full). */
struct timeline_method_task *timeline_methods_task(
	struct timeline_methods *methods, uint64_t pid, bool *full);

/* It begins. */
void timeline_methods_enter(struct timeline_method_task *task, struct ear_slices *slices,
	const struct timeline_task_event *event, const struct ear_slice_what *what, uint64_t now);
/* It is left, and so is what it called: how it ends, and how those that it called do. One that did
 * not begin is none. */
void timeline_methods_leave(struct timeline_method_task *task, struct ear_slices *slices,
	const struct timeline_task_event *event, uint8_t how, uint8_t others, uint64_t now);

/* What all of them do is not known any more: how they end. */
void timeline_methods_forget(
	struct timeline_methods *methods, struct ear_slices *slices, uint8_t how);

#endif
