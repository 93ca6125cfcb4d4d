/* The threads of GDB. Harts are those that were seen: all of them would be known only after the
 * whole trace was read. Tasks are read in one pass over the trace, as a list of which task each
 * hart ran from where to where. What a task holds that does not run is what its hart held there.
 */
#include "cli/gdb/harts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "cli/gdb/target.h"
#include "common/array.h"
#include "common/printable.h"

#define ASK_EVERY 256u /* batches */

/* ---- Harts. ---- */

static void note_hart(struct ear_gdb_session *session, uint16_t hart)
{
	size_t at = 0;

	while (at < session->hart_count && session->harts[at] < hart)
		at++;
	if ((at < session->hart_count && session->harts[at] == hart) ||
		session->hart_count == EAR_GDB_HARTS_MAX)
		return;
	memmove(session->harts + at + 1, session->harts + at,
		(session->hart_count - at) * sizeof(*session->harts));
	session->harts[at] = hart;
	session->hart_count++;
}

void ear_gdb_note_harts(struct ear_gdb_session *session)
{
	struct ear_history *history = session->replay.history;
	struct ear_batch batch = {.size = sizeof(batch)};
	uint64_t first, end;

	ear_history_window(history, &first, &end);
	for (uint64_t at = first; at < end && at - first < 8192; at += batch.count) {
		if (ear_history_batch(history, at, &batch) != 1)
			break;
		if (batch.run || batch.record->kind == EAR_RECORD_INSTRUCTION)
			note_hart(session, batch.run ? batch.run->hart : batch.record->hart);
	}
	note_hart(session, ear_gdb_hart(&session->replay));
}

bool ear_gdb_has_hart(const struct ear_gdb_session *session, uint16_t hart)
{
	for (size_t i = 0; i < session->hart_count; i++)
		if (session->harts[i] == hart)
			return true;
	return false;
}

/* ---- Tasks. ---- */

void ear_gdb_tasks_fini(struct ear_gdb_tasks *tasks)
{
	ear_moment_free(tasks->moment);
	ear_tasks_free(tasks->tasks);
	free(tasks->spans);
	free(tasks->last);
	*tasks = (struct ear_gdb_tasks){0};
}

static int take_span(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t task)
{
	struct ear_gdb_tasks *tasks = context;
	const struct ear_gdb_task_span span = {.first = batch->position + first,
		.end = batch->position + first + count,
		.number = batch->number + first + count,
		.task = task,
		.hart = batch->run ? batch->run->hart : batch->record->hart};

	for (size_t i = tasks->count; i-- > 0 && tasks->count - i <= EAR_GDB_HARTS_MAX;) {
		struct ear_gdb_task_span *last = &tasks->spans[i];
		if (last->hart != span.hart)
			continue;
		if (last->task != task)
			break;
		last->end = span.end;
		last->number = span.number;
		return 0;
	}
	if (!EAR_ARRAY_RESERVE(tasks->spans, &tasks->room, tasks->count + 1))
		return EAR_E_NO_MEMORY;
	tasks->spans[tasks->count++] = span;
	return 0;
}

static int read_all(struct ear_gdb_session *session)
{
	const struct ear_progress *progress = &session->replay.progress;
	struct ear_gdb_tasks *tasks = &session->tasks;
	struct ear_trace *trace = session->replay.trace;
	struct ear_batch batch = {.size = sizeof(batch)};
	unsigned asked = 0;
	int result = ear_trace_seek(trace, 0, progress);

	while (result >= 0 && (result = ear_trace_next_batch(trace, &batch)) == 1) {
		result = ear_tasks_batch(tasks->tasks, &batch, take_span, tasks);
		if (result == 0 && asked++ % ASK_EVERY == 0 &&
			progress->call(progress->context, batch.position, 0, "reading tasks"))
			result = EAR_E_CANCELLED;
	}
	return result;
}

static int begin_tasks(struct ear_gdb_session *session, bool asked)
{
	const struct ear_progress *progress = &session->replay.progress;
	struct ear_trace *trace = session->replay.trace;
	struct ear_query query = EAR_QUERY_ANY;
	uint64_t position;

	query.kinds = 1u << EAR_RECORD_EVENT;
	int result = ear_trace_find(trace, &query, 0, EAR_FORWARD, &position, progress);
	if (result == 1 && !asked) {
		result = ear_trace_seek(trace, UINT64_MAX, progress);
		if (result >= 0)
			result = ear_trace_position(trace) <= EAR_GDB_TASK_RECORDS;
		session->tasks.tried = result != 0;
	}
	if (result != 1)
		return result;
	return ear_tasks_new(&session->tasks.tasks, trace, NULL, progress);
}

int ear_gdb_read_tasks(struct ear_gdb_session *session, bool asked)
{
	struct ear_gdb_tasks *tasks = &session->tasks;

	if (session->options->live || (tasks->tried && (tasks->tasks || !asked)))
		return 0;
	tasks->tried = true;
	int result = begin_tasks(session, asked);
	if (result == 0 && tasks->tasks)
		result = read_all(session);
	if (result == 0 && tasks->tasks) {
		tasks->last = calloc(ear_tasks_count(tasks->tasks) + 1u, sizeof(*tasks->last));
		if (!tasks->last)
			result = EAR_E_NO_MEMORY;
	}
	if (result == 0 && tasks->tasks && ear_tasks_events(tasks->tasks) > 0) {
		tasks->present = UINT64_MAX;
		return 0;
	}
	ear_gdb_tasks_fini(tasks);
	tasks->tried = result == 0;
	return result;
}

uint32_t ear_gdb_task_count(const struct ear_gdb_session *session)
{
	return session->tasks.tasks ? ear_tasks_count(session->tasks.tasks) : 0;
}

/* How many spans begin before a position. */
static size_t spans_before(const struct ear_gdb_tasks *tasks, uint64_t position)
{
	size_t low = 0, high = tasks->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (tasks->spans[middle].first < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool ear_gdb_task_at(struct ear_gdb_session *session, uint64_t position, uint16_t hart,
	struct ear_gdb_thread *thread)
{
	const struct ear_gdb_tasks *tasks = &session->tasks;

	for (size_t i = tasks->tasks ? spans_before(tasks, position + 1) : 0; i-- > 0;)
		if (tasks->spans[i].hart == hart) {
			*thread = (struct ear_gdb_thread){
				.task = tasks->spans[i].task, .hart = hart, .position = position};
			return thread->task != 0;
		}
	return false;
}

/* Where each task ran last before the present: back from there, until all were seen. */
static void look(struct ear_gdb_session *session)
{
	struct ear_gdb_tasks *tasks = &session->tasks;
	const uint64_t present = session->replay.present;
	bool seen[EAR_GDB_HARTS_MAX] = {false};
	size_t low = spans_before(tasks, present);

	if (tasks->present == present)
		return;
	memset(tasks->last, 0, (ear_tasks_count(tasks->tasks) + 1u) * sizeof(*tasks->last));
	for (uint32_t left = ear_tasks_count(tasks->tasks); low-- > 0 && left > 0;) {
		const struct ear_gdb_task_span *span = &tasks->spans[low];
		struct ear_gdb_thread *last = &tasks->last[span->task];
		const bool runs = span->hart < EAR_GDB_HARTS_MAX && !seen[span->hart];
		if (span->hart < EAR_GDB_HARTS_MAX)
			seen[span->hart] = true;
		if (span->task == 0 || last->task != 0)
			continue;
		*last = (struct ear_gdb_thread){.task = span->task,
			.hart = span->hart,
			.runs = runs,
			.position = runs ? present : span->end,
			.number = span->number};
		left--;
	}
	tasks->present = present;
}

bool ear_gdb_find_task(
	struct ear_gdb_session *session, uint32_t task, struct ear_gdb_thread *thread)
{
	if (task == 0 || task > ear_gdb_task_count(session))
		return false;
	look(session);
	*thread = session->tasks.last[task];
	return thread->task != 0;
}

/* ---- Both. ---- */

static bool is_alive(struct ear_gdb_session *session, uint16_t hart)
{
	uint64_t pc;

	return hart == ear_gdb_hart(&session->replay) || ear_gdb_pc(&session->replay, hart, &pc);
}

bool ear_gdb_find_thread(
	struct ear_gdb_session *session, uint64_t number, struct ear_gdb_thread *thread)
{
	if (number >= EAR_GDB_TASK_1 && number - EAR_GDB_TASK_1 < UINT32_MAX)
		return ear_gdb_read_tasks(session, false) == 0 &&
		       ear_gdb_find_task(session, (uint32_t)(number - EAR_GDB_TASK_1 + 1), thread);
	*thread = (struct ear_gdb_thread){
		.hart = (uint16_t)(number - 1), .runs = true, .position = session->replay.present};
	return number > 0 && number <= UINT16_MAX + 1u &&
	       (ear_gdb_has_hart(session, thread->hart) || is_alive(session, thread->hart));
}

void ear_gdb_task_text(struct ear_gdb_session *session, uint32_t task, char *text, size_t size)
{
	struct ear_task_facts facts = {.size = sizeof(facts)};
	char name[128] = "";

	if (ear_tasks_get(session->tasks.tasks, task, &facts))
		ear_printable_string(name, sizeof(name), facts.name, EAR_PRINTABLE_LINE);
	snprintf(text, size, "task %s%s%" PRIu64 "%s", name, name[0] ? " (" : "", facts.pid,
		name[0] ? ")" : "");
}

void ear_gdb_thread_text(struct ear_gdb_session *session, const struct ear_gdb_thread *thread,
	char *text, size_t size)
{
	struct ear_gdb_thread task;
	char name[160];

	if (thread->task != 0) {
		ear_gdb_task_text(session, thread->task, name, sizeof(name));
		if (thread->runs)
			snprintf(text, size, "%s, running on hart %u", name, thread->hart);
		else
			snprintf(text, size, "%s, not running since #%" PRIu64, name,
				thread->number);
		return;
	}
	snprintf(text, size, "hart %u", thread->hart);
	for (uint32_t i = 1; i <= ear_gdb_task_count(session); i++) {
		if (!ear_gdb_find_task(session, i, &task) || !task.runs ||
			task.hart != thread->hart)
			continue;
		ear_gdb_task_text(session, i, name, sizeof(name));
		snprintf(text, size, "hart %u, %s", thread->hart, name);
		return;
	}
}

bool ear_gdb_thread_register(struct ear_gdb_session *session, const struct ear_gdb_thread *thread,
	unsigned number, uint64_t *value)
{
	struct ear_gdb_replay *replay = &session->replay;
	struct ear_moment **moment = &session->tasks.moment;
	enum ear_register_class reg_class;
	unsigned index, privilege;

	if (thread->runs)
		return ear_gdb_register(replay, thread->hart, number, value);
	int result = *moment ? ear_moment_move(*moment, thread->position, &replay->progress)
			     : ear_moment_new(
				       moment, replay->trace, thread->position, &replay->progress);
	if (result)
		return false;
	if (number == EAR_GDB_PC)
		return ear_moment_next_pc(*moment, thread->hart, value);
	if (number == EAR_GDB_PRIV) {
		bool known = ear_moment_privilege(*moment, thread->hart, &privilege);
		*value = known ? privilege : *value;
		return known;
	}
	return ear_gdb_register_of(number, &reg_class, &index) &&
	       ear_moment_register(*moment, thread->hart, reg_class, index, value);
}
