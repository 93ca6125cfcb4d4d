#ifndef EAR_HISTORY_TASKS_H
#define EAR_HISTORY_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/tasks.h>

#define HISTORY_TASK_NAME 160

/* Up to which position a hart ran a task: in order, since the span of it before. */
struct history_span {
	uint64_t end;
	uint32_t task; /* 0: it is not known */
	uint16_t hart;
};

/* Which task ran each row. Begin with zeros, trace and progress, and asked and port as wanted. */
struct history_tasks {
	struct ear_trace *trace;
	const struct ear_progress *progress;
	bool asked, has_port; /* asked: also of a long trace */
	uint64_t port;

	struct ear_tasks *tasks; /* NULL: nothing says it, or the trace is too long */
	struct history_span *spans;
	size_t count, room;
	uint64_t read; /* records */
};

/* Returns 0, with tasks set if rows have a task, or an error of the trace. */
int history_tasks_begin(struct history_tasks *tasks);
void history_tasks_end(struct history_tasks *tasks); /* in any case */

/* The task of the record at position; positions must not become smaller. Returns 0 and *task, 0 for
 * one that is not known; or an error. */
int history_tasks_at(struct history_tasks *tasks, uint64_t position, uint16_t hart, uint32_t *task);

/* Its number and its name, "" if that is not known. False: the task is not known. */
bool history_tasks_facts(
	struct history_tasks *tasks, uint32_t task, uint64_t *pid, char *name, size_t size);

/* "left (1)". False: it is not known. */
bool history_tasks_text(struct history_tasks *tasks, uint32_t task, char *text, size_t size);

#endif
