/* Which task ran each row. What says which task runs may be any record before it, and names may be
 * in memory, so the trace is read once, from its beginning up to the last row that is shown. That
 * costs more than finding rows by the index: of a long trace it is done only where it was asked
 * for.
 */
#include "cli/commands/history/history_tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/event_source.h>
#include <earshot/search.h>
#include <earshot/tasks.h>

#include "common/array.h"
#include "common/printable.h"

#define UNASKED_RECORDS \
	(UINT64_C(200) << 20) /* of a trace that is read without being asked for \
			       */
#define SPANS_KEPT 65536u     /* that end before the row */

static int find_task(
	void *context, const struct ear_record *record, uint64_t position, uint64_t number)
{
	static const char word[] = "switch ";
	const struct ear_text name = record->u.event.name;

	(void)context;
	(void)position;
	(void)number;
	return record->u.event.source == EAR_EVENT_REGISTER + EAR_PORT_SWITCH ||
	       (record->u.event.source == 0 && name.size > strlen(word) &&
		       memcmp(name.text, word, strlen(word)) == 0);
}

/* Is there anything that says which task runs, and is it worth the reading? */
static int is_wanted(const struct history_tasks *tasks, bool *wanted)
{
	struct ear_query query = EAR_QUERY_ANY;
	const struct ear_progress *progress = tasks->progress;

	*wanted = tasks->asked;
	if (tasks->asked)
		return 0;
	int result = ear_trace_seek(tasks->trace, UINT64_MAX, progress);
	if (result < 0 || ear_trace_position(tasks->trace) > UNASKED_RECORDS)
		return result < 0 ? result : 0;
	query.kinds = 1u << EAR_RECORD_EVENT;
	result = ear_trace_find_all(tasks->trace, &query, 0, UINT64_MAX, find_task, NULL, progress);
	*wanted = result == 1;
	return result < 0 ? result : 0;
}

int history_tasks_begin(struct history_tasks *tasks)
{
	const struct ear_tasks_options options = {
		.size = sizeof(options), .has_port = tasks->has_port, .port = tasks->port};
	bool wanted;

	int result = is_wanted(tasks, &wanted);
	if (result < 0 || !wanted)
		return result;
	result = ear_tasks_new(&tasks->tasks, tasks->trace, &options, tasks->progress);
	if (result == 0)
		result = ear_trace_seek(tasks->trace, 0, tasks->progress);
	return result < 0 ? result : 0;
}

void history_tasks_end(struct history_tasks *tasks)
{
	ear_tasks_free(tasks->tasks);
	free(tasks->spans);
	*tasks = (struct history_tasks){0};
}

static int take_span(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t task)
{
	struct history_tasks *tasks = context;
	const struct history_span span = {.end = batch->position + first + count,
		.task = task,
		.hart = batch->run ? batch->run->hart : batch->record->hart};

	if (tasks->count > 0 && tasks->spans[tasks->count - 1].hart == span.hart &&
		tasks->spans[tasks->count - 1].task == task) {
		tasks->spans[tasks->count - 1].end = span.end;
		return 0;
	}
	if (!EAR_ARRAY_RESERVE(tasks->spans, &tasks->room, tasks->count + 1))
		return EAR_E_NO_MEMORY;
	tasks->spans[tasks->count++] = span;
	return 0;
}

/* Spans that end before the position of a row are of no use to the next one. */
static void forget(struct history_tasks *tasks, uint64_t position)
{
	size_t kept = 0;

	if (tasks->count < SPANS_KEPT)
		return;
	for (size_t i = 0; i < tasks->count; i++)
		if (tasks->spans[i].end > position)
			tasks->spans[kept++] = tasks->spans[i];
	tasks->count = kept;
}

int history_tasks_at(struct history_tasks *tasks, uint64_t position, uint16_t hart, uint32_t *task)
{
	struct ear_batch batch = {.size = sizeof(batch)};
	int result = 1;

	*task = 0;
	while (result == 1 && tasks->read <= position) {
		result = ear_trace_next_batch(tasks->trace, &batch);
		if (result != 1)
			break;
		forget(tasks, position);
		tasks->read = batch.position + batch.count;
		result = ear_tasks_batch(tasks->tasks, &batch, take_span, tasks);
		if (result == 0 && tasks->progress->call &&
			tasks->progress->call(
				tasks->progress->context, batch.position, 0, "reading tasks"))
			return EAR_E_CANCELLED;
		result = result ? result : 1;
	}
	if (result < 0)
		return result;
	for (size_t i = 0; i < tasks->count; i++)
		if (tasks->spans[i].end > position && tasks->spans[i].hart == hart) {
			*task = tasks->spans[i].task;
			break;
		}
	return 0;
}

bool history_tasks_facts(
	struct history_tasks *tasks, uint32_t task, uint64_t *pid, char *name, size_t size)
{
	struct ear_task_facts facts = {.size = sizeof(facts)};

	if (task == 0 || !ear_tasks_get(tasks->tasks, task, &facts))
		return false;
	*pid = facts.pid;
	ear_printable_string(name, size, facts.name, EAR_PRINTABLE_LINE);
	return true;
}

bool history_tasks_text(struct history_tasks *tasks, uint32_t task, char *text, size_t size)
{
	char name[HISTORY_TASK_NAME];
	uint64_t pid;

	if (!history_tasks_facts(tasks, task, &pid, name, sizeof(name)))
		return false;
	snprintf(text, size, name[0] ? "%s (%" PRIu64 ")" : "%.0s%" PRIu64, name, pid);
	return true;
}
