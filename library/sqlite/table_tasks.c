/* trace_tasks: the tasks of a trace, which is read in full for them. */
#include <earshot/error.h>
#include <earshot/tasks.h>
#include <stdlib.h>

#include "library/sqlite/tables.h"

enum { TASK, PID, PROCESS, NAME, RECORDS };

static const struct table_column columns[] = {
	{"task", "INTEGER", TERM_NONE},
	{"pid", "INTEGER", TERM_NONE},
	{"process", "INTEGER", TERM_NONE},
	{"name", "TEXT", TERM_NONE},
	{"records", "INTEGER", TERM_NONE},
	TABLE_PARAMETERS,
};

struct counts {
	uint64_t *records; /* by task, from 1; [0]: not known which */
	uint32_t room;
};

static int take(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t task)
{
	struct counts *counts = context;

	(void)batch;
	(void)first;
	if (task >= counts->room) {
		uint32_t room = task * 2 + 16;
		uint64_t *grown = realloc(counts->records, room * sizeof(*grown));
		if (!grown)
			return EAR_E_NO_MEMORY;
		for (uint32_t i = counts->room; i < room; i++)
			grown[i] = 0;
		counts->records = grown;
		counts->room = room;
	}
	counts->records[task] += count;
	return 0;
}

static int count_all(struct cursor *cursor, struct ear_tasks *tasks, struct counts *counts)
{
	struct ear_batch batch = {.size = sizeof(batch)};
	int result = ear_trace_seek(cursor->trace, 0, NULL);

	while (result >= 0) {
		if (cursor_is_interrupted(cursor))
			return EAR_E_CANCELLED;
		result = ear_trace_next_batch(cursor->trace, &batch);
		if (result != 1)
			break;
		int taken = ear_tasks_batch(tasks, &batch, take, counts);
		if (taken)
			return taken;
	}
	if (result < 0)
		cursor_fail(cursor, ear_trace_error(cursor->trace));
	return result;
}

static void add_tasks(struct cursor *cursor, struct ear_tasks *tasks, const struct counts *counts)
{
	struct ear_task_facts facts = {.size = sizeof(facts)};

	for (uint32_t i = 1; i <= ear_tasks_count(tasks); i++) {
		if (!ear_tasks_get(tasks, i, &facts) || !cursor_add_row(cursor))
			continue;
		cursor_set_integer(cursor, TASK, i);
		cursor_set_integer(cursor, PID, facts.pid);
		if (facts.has_process)
			cursor_set_integer(cursor, PROCESS, facts.process);
		if (facts.name[0])
			cursor_set_string(cursor, NAME, facts.name);
		cursor_set_integer(cursor, RECORDS, i < counts->room ? counts->records[i] : 0);
	}
}

static int begin(struct cursor *cursor)
{
	cursor->from = 0;
	return 0;
}

static int fill(struct cursor *cursor)
{
	struct counts counts = {NULL, 0};
	struct ear_tasks *tasks;

	if (cursor->from == UINT64_MAX)
		return 0;
	cursor->from = UINT64_MAX;
	int result = ear_tasks_new(&tasks, cursor->trace, NULL, NULL);
	if (result) {
		cursor_fail(cursor, ear_trace_error(cursor->trace));
		return result;
	}
	result = count_all(cursor, tasks, &counts);
	if (result == 0)
		add_tasks(cursor, tasks, &counts);
	ear_tasks_free(tasks);
	free(counts.records);
	return result;
}

const struct table table_tasks = {
	.name = "trace_tasks",
	.columns = columns,
	.count = sizeof(columns) / sizeof(columns[0]),
	.parameters = 4,
	.begin = begin,
	.fill = fill,
};
