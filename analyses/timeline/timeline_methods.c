/* Methods as slices. A task's events come in its own order, but two harts may run it in turns: its
 * time never goes back.
 */
#include "analyses/timeline/timeline_methods.h"

#include <stdlib.h>

void timeline_methods_fini(struct timeline_methods *methods)
{
	for (uint32_t i = 0; i < methods->count; i++)
		free(methods->tasks[i]);
	free((void *)methods->tasks);
	*methods = (struct timeline_methods){NULL, 0};
}

struct timeline_method_task *timeline_methods_task(
	struct timeline_methods *methods, uint64_t pid, bool *full)
{
	for (uint32_t i = 0; i < methods->count; i++)
		if (methods->tasks[i]->pid == pid)
			return methods->tasks[i];
	*full = methods->count == TIMELINE_METHOD_TASKS_MAX;
	if (*full)
		return NULL;
	if (!methods->tasks)
		methods->tasks =
			calloc(TIMELINE_METHOD_TASKS_MAX, sizeof(struct timeline_method_task *));
	struct timeline_method_task *task = methods->tasks ? calloc(1, sizeof(*task)) : NULL;
	if (!task)
		return NULL;
	task->pid = pid;
	task->track = UINT32_MAX;
	methods->tasks[methods->count++] = task;
	return task;
}

static uint64_t time_of(struct timeline_method_task *task, uint64_t now)
{
	if (now > task->now)
		task->now = now;
	return task->now;
}

void timeline_methods_enter(struct timeline_method_task *task, struct ear_slices *slices,
	const struct timeline_task_event *event, const struct ear_slice_what *what, uint64_t now)
{
	if (task->depth == TIMELINE_METHODS_DEEP) {
		task->lost++;
		return;
	}
	const uint32_t mark = ear_slices_begin(slices, task->track, what, time_of(task, now));
	task->stack[task->depth++] = (struct timeline_method){event->address, mark, event->native};
}

void timeline_methods_leave(struct timeline_method_task *task, struct ear_slices *slices,
	const struct timeline_task_event *event, uint8_t how, uint8_t others, uint64_t now)
{
	uint32_t at = task->depth;

	if (task->lost > 0) {
		task->lost--;
		return;
	}
	while (at > 0 && (task->stack[at - 1].address != event->address ||
				 task->stack[at - 1].native != event->native))
		at--;
	if (at == 0)
		return;
	now = time_of(task, now);
	while (task->depth >= at) {
		ear_slices_end(slices, task->stack[task->depth - 1].mark, now,
			task->depth == at ? how : others);
		task->depth--;
	}
}

void timeline_methods_forget(
	struct timeline_methods *methods, struct ear_slices *slices, uint8_t how)
{
	for (uint32_t i = 0; i < methods->count; i++) {
		struct timeline_method_task *task = methods->tasks[i];
		if (task->depth > 0)
			ear_slices_end(slices, task->stack[0].mark, task->now, how);
		task->depth = task->lost = 0;
	}
}
