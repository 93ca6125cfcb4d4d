/* A scheduler of your own reports its tasks through the event port: pids are given to them here,
 * and a task that is chosen again makes no event. Put a struct ear_port_task_id into each task
 * control block, and call this with the scheduler locked:
 *
 *     static struct ear_port_scheduler tasks;               all zero
 *
 *     ear_port_scheduler_begin(&tasks, "boot");             at the start; what runs is task 0
 *     ear_port_scheduler_create(&tasks, &task->id, "blink");
 *     ear_port_scheduler_switch(&tasks, &task->id);         it was chosen
 *     ear_port_scheduler_end(&tasks, &task->id, 0);         it ended, or was ended by another one
 *
 * All tasks are threads of group 0.
 */
#ifndef EAR_TARGET_PORT_SCHEDULER_H
#define EAR_TARGET_PORT_SCHEDULER_H

#include "ear_port.h"

struct ear_port_task_id {
	uint32_t pid;
};

struct ear_port_scheduler {
	uint32_t last_pid;
	uint32_t current_pid;
};

static inline void ear_port_scheduler_begin(struct ear_port_scheduler *scheduler, const char *name)
{
	scheduler->last_pid = 0;
	scheduler->current_pid = 0;
	ear_port_task(0, 0, name);
}

/* The current task makes another one. */
static inline void ear_port_scheduler_create(
	struct ear_port_scheduler *scheduler, struct ear_port_task_id *task, const char *name)
{
	task->pid = ++scheduler->last_pid;
	ear_port_clone(0, task->pid);
	ear_port_task(0, task->pid, name);
}

static inline void ear_port_scheduler_switch(
	struct ear_port_scheduler *scheduler, const struct ear_port_task_id *task)
{
	if (task->pid == scheduler->current_pid)
		return;
	scheduler->current_pid = task->pid;
	ear_port_switch(task->pid);
}

/* The port knows the end of the current task alone: another one is switched to, and back. */
static inline void ear_port_scheduler_end(const struct ear_port_scheduler *scheduler,
	const struct ear_port_task_id *task, int32_t code)
{
	if (task->pid != scheduler->current_pid)
		ear_port_switch(task->pid);
	ear_port_exit(code);
	if (task->pid != scheduler->current_pid)
		ear_port_switch(scheduler->current_pid);
}

#endif
