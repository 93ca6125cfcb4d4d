/* Tasks: the follower of events of tasks, behind the event port where there is one, and numbers for
 * the tasks that ran. */
#include <earshot/tasks.h>

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/search.h>

#include "common/hash.h"
#include "library/api/meter.h"
#include "library/api/trace_internal.h"
#include "library/tasks/port_events.h"
#include "library/tasks/task_follower.h"

#define TASKS_MAX (1u << 20) /* that have numbers; others are not known */

struct hart {
	bool valid; /* number is that of the task that runs */
	uint32_t number;
};

struct ear_tasks {
	struct ear_trace *trace;
	struct ear_port_events *port; /* NULL: there is none */
	struct ear_task_follower *follower;
	struct hart *harts; /* by number */
	size_t hart_count;
	uint64_t *pids; /* of the tasks, by number - 1 */
	uint32_t count, capacity;
	uint32_t *table; /* of numbers by pid; 0: free */
	uint32_t table_size;
	char name[EAR_TASK_NAME_MAX + 1];
	ear_tasks_event *event; /* NULL: nobody asks for them */
	void *event_context;
};

/* ---- Numbers. ---- */

static uint32_t *find(const struct ear_tasks *tasks, uint64_t pid)
{
	uint32_t mask = tasks->table_size - 1;
	uint32_t at = (uint32_t)ear_hash_index(pid ^ pid >> 29, tasks->table_size);

	while (tasks->table[at] && tasks->pids[tasks->table[at] - 1] != pid)
		at = (at + 1) & mask;
	return &tasks->table[at];
}

static int grow(struct ear_tasks *tasks)
{
	const uint32_t capacity = tasks->capacity ? 2 * tasks->capacity : 64;
	uint64_t *pids = realloc(tasks->pids, capacity * sizeof(*pids));
	uint32_t *table = calloc(2 * (size_t)capacity, sizeof(*table));

	if (pids)
		tasks->pids = pids;
	if (!pids || !table) {
		free(table);
		return EAR_E_NO_MEMORY;
	}
	free(tasks->table);
	tasks->table = table;
	tasks->table_size = 2 * capacity;
	tasks->capacity = capacity;
	for (uint32_t i = 0; i < tasks->count; i++)
		*find(tasks, tasks->pids[i]) = i + 1;
	return 0;
}

/* 0: there are too many. */
static int number_of(struct ear_tasks *tasks, uint64_t pid, uint32_t *number)
{
	if (tasks->count == tasks->capacity && tasks->count < TASKS_MAX && grow(tasks))
		return EAR_E_NO_MEMORY;
	uint32_t *slot = find(tasks, pid);
	if (*slot == 0 && tasks->count < TASKS_MAX) {
		tasks->pids[tasks->count++] = pid;
		*slot = tasks->count;
	}
	*number = *slot;
	return 0;
}

/* ---- Begin and end. ---- */

static bool is_of_port(uint8_t source)
{
	return source >= EAR_EVENT_REGISTER;
}

static int find_port(
	void *context, const struct ear_record *record, uint64_t position, uint64_t number)
{
	(void)context;
	(void)position;
	(void)number;
	return is_of_port(record->u.event.source);
}

/* Has the trace events of a port? Of what cannot be searched it is said that it may. */
static int has_port(struct ear_trace *trace, const struct ear_progress *progress)
{
	struct ear_query query = EAR_QUERY_ANY;
	int result;

	if (!trace->seekable)
		return 1;
	if (trace->port_known) /* all of the trace would be read again */
		return trace->has_port;
	query.kinds = 1u << EAR_RECORD_EVENT;
	result = ear_trace_find_all(trace, &query, 0, UINT64_MAX, find_port, NULL, progress);
	trace->port_known = result >= 0;
	trace->has_port = result > 0;
	return result;
}

static int open_port(
	struct ear_tasks *tasks, struct ear_trace *trace, const struct ear_tasks_options *options)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	struct ear_port_options port = {
		.has_address = options->has_port, .address = options->port, .tasks = true};

	int result = ear_trace_facts(trace, &facts);
	if (result)
		return result;
	port.memory.captured = strcmp(facts.format, "shot") == 0;
	trace->memory.asked = true;
	port.memory.image = trace->memory.image;
	port.memory.image_count = trace->memory.image_count;
	return ear_port_events_new(&tasks->port, &port);
}

int ear_tasks_new(struct ear_tasks **tasks_out, struct ear_trace *trace,
	const struct ear_tasks_options *options, const struct ear_progress *progress)
{
	struct ear_tasks_options own = EAR_TASKS_DEFAULTS;

	if (options && options->size == 0)
		return EAR_E_BAD_ARGUMENT;
	if (options)
		memcpy(&own, options, options->size < sizeof(own) ? options->size : sizeof(own));
	int port = own.has_port ? 1 : has_port(trace, progress);
	if (port < 0)
		return port;
	struct ear_tasks *tasks = calloc(1, sizeof(*tasks));
	int result = tasks ? ear_task_follower_new(&tasks->follower) : EAR_E_NO_MEMORY;
	if (result == 0) {
		tasks->trace = trace;
		result = grow(tasks);
	}
	if (result == 0 && port == 1)
		result = open_port(tasks, trace, &own);
	if (result)
		ear_tasks_free(tasks);
	else
		*tasks_out = tasks;
	return result;
}

void ear_tasks_free(struct ear_tasks *tasks)
{
	if (!tasks)
		return;
	ear_port_events_free(tasks->port);
	ear_task_follower_free(tasks->follower);
	free(tasks->harts);
	free(tasks->pids);
	free(tasks->table);
	free(tasks);
}

/* ---- Reading. ---- */

static struct hart *hart_of(struct ear_tasks *tasks, uint16_t number)
{
	if (number < tasks->hart_count)
		return &tasks->harts[number];
	struct hart *harts = realloc(tasks->harts, (number + 1u) * sizeof(*harts));
	if (!harts)
		return NULL;
	memset(harts + tasks->hart_count, 0, (number + 1u - tasks->hart_count) * sizeof(*harts));
	tasks->harts = harts;
	tasks->hart_count = number + 1u;
	return &harts[number];
}

static int follow(struct ear_tasks *tasks, const struct ear_record *record)
{
	int result = ear_task_follower_push(tasks->follower, record);

	if (result < 0)
		return result;
	if (tasks->event && record->kind == EAR_RECORD_EVENT && record->u.event.source == 0 &&
		record->u.event.name.text) {
		int answer = tasks->event(tasks->event_context, record);
		if (answer)
			return answer;
	}
	if (result == 0)
		return 0;
	struct hart *hart = hart_of(tasks, record->hart);
	if (!hart)
		return EAR_E_NO_MEMORY;
	hart->valid = false;
	return 0;
}

static int follow_all(struct ear_tasks *tasks, int count)
{
	int result = 0;

	for (int i = 0; i < count && result == 0; i++)
		result = follow(tasks, ear_port_events_get(tasks->port, i));
	return result;
}

/* The number of the task that a hart runs. */
static int current(struct ear_tasks *tasks, uint16_t number, uint32_t *task)
{
	struct hart *hart = hart_of(tasks, number);
	struct ear_task known;

	if (!hart)
		return EAR_E_NO_MEMORY;
	if (!hart->valid) {
		int result = 0;
		hart->number = 0;
		if (ear_task_follower_get(tasks->follower, number, &known))
			result = number_of(tasks, known.pid, &hart->number);
		if (result)
			return result;
		hart->valid = true;
	}
	*task = hart->number;
	return 0;
}

static int read_run(
	struct ear_tasks *tasks, const struct ear_batch *batch, ear_tasks_take *take, void *context)
{
	uint32_t task = 0, next;
	size_t first = 0;
	int result = 0;

	for (size_t i = 0; i < batch->count && result == 0; i++) {
		const struct ear_record *record = ear_batch_record(batch, i);
		const uint16_t hart = record->hart;
		int count = ear_port_events_push(tasks->port, record);
		if (count < 0)
			return count;
		/* What came before its events comes before them. */
		if (count > 1 && i > first && take) {
			result = take(context, batch, first, i - first, task);
			first = i;
		}
		if (result == 0)
			result = follow_all(tasks, count);
		if (result == 0)
			result = current(tasks, hart, &next);
		if (result)
			return result;
		if (i > first && next != task) {
			result = take ? take(context, batch, first, i - first, task) : 0;
			first = i;
		}
		task = next;
	}
	if (result == 0 && take && batch->count > first)
		result = take(context, batch, first, batch->count - first, task);
	return result;
}

/* A record that is no instruction. */
static int read_other(struct ear_tasks *tasks, const struct ear_record *record)
{
	if (!tasks->port)
		return follow(tasks, record);
	int count = ear_port_events_push(tasks->port, record);
	return count < 0 ? count : follow_all(tasks, count);
}

int ear_tasks_batch(
	struct ear_tasks *tasks, const struct ear_batch *batch, ear_tasks_take *take, void *context)
{
	const bool instructions = batch->run || batch->record->kind == EAR_RECORD_INSTRUCTION;
	uint32_t task;

	if (!instructions)
		return read_other(tasks, batch->record);
	if (tasks->port)
		return read_run(tasks, batch, take, context);
	/* Without a port no instruction changes anything, but for the first one of a hart. */
	const struct ear_record *record = ear_batch_record(batch, 0);
	const uint16_t hart = record->hart;
	int result = follow(tasks, record);
	if (result == 0)
		result = current(tasks, hart, &task);
	return result == 0 && take ? take(context, batch, 0, batch->count, task) : result;
}

int ear_tasks_start(struct ear_tasks *tasks, uint64_t position, const struct ear_progress *progress)
{
	struct ear_batch batch = {.size = sizeof(batch)};
	ear_tasks_event *const event = tasks->event;
	struct ear_cursor cursor;
	struct ear_meter meter;

	int result = ear_trace_need_places(tasks->trace, "tasks");
	if (result)
		return result;
	cursor = ear_trace_cursor(tasks->trace);
	ear_meter_begin(&meter, progress, "reading tasks", position);
	tasks->event = NULL;
	while (result == 0 && cursor.position < position) {
		result = ear_cursor_next_batch(
			&cursor, &batch, (size_t)(position - cursor.position));
		if (result < 0)
			result = ear_trace_fail_reading(tasks->trace, &cursor, result);
		if (result <= 0)
			break;
		result = ear_tasks_batch(tasks, &batch, NULL, NULL);
		if (result == 0)
			result = ear_meter_pass(&meter, batch.count);
	}
	tasks->event = event;
	ear_cursor_close(&cursor);
	return result;
}

void ear_tasks_set_event(struct ear_tasks *tasks, ear_tasks_event *event, void *context)
{
	tasks->event = event;
	tasks->event_context = context;
}

/* ---- Answers. ---- */

uint32_t ear_tasks_count(const struct ear_tasks *tasks)
{
	return tasks->count;
}

static struct ear_task find_task(const struct ear_tasks *tasks, uint32_t number)
{
	struct ear_task known;

	if (!ear_task_follower_find(tasks->follower, tasks->pids[number - 1], &known))
		known = (struct ear_task){.pid = tasks->pids[number - 1]};
	return known;
}

bool ear_tasks_get(struct ear_tasks *tasks, uint32_t number, struct ear_task_facts *task)
{
	struct ear_task_facts whole = {.size = task->size};

	if (number == 0 || number > tasks->count || task->size == 0)
		return false;
	const struct ear_task known = find_task(tasks, number);
	const size_t size = known.name.text ? known.name.size : 0;
	if (size > 0)
		memcpy(tasks->name, known.name.text, size);
	tasks->name[size] = '\0';
	whole.pid = known.pid;
	whole.has_process = known.has_group;
	whole.process = known.group;
	whole.name = tasks->name;
	memcpy(task, &whole, task->size < sizeof(whole) ? task->size : sizeof(whole));
	return true;
}

bool ear_tasks_is(struct ear_tasks *tasks, uint32_t number, const char *text)
{
	const struct ear_task_wanted wanted = ear_task_wanted(text);

	if (number == 0 || number > tasks->count)
		return false;
	const struct ear_task known = find_task(tasks, number);
	return ear_task_is(&known, &wanted);
}

uint64_t ear_tasks_events(const struct ear_tasks *tasks)
{
	return ear_task_follower_events(tasks->follower);
}
