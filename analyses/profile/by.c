/* Rows by a key. Numbers of tasks are those in which tasks ran, which who follows them from the
 * trace's beginning finds in the same way in every part, so rows of parts are joined by them.
 */
#include "analyses/profile/by.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/profile/profile_private.h"

#define ROWS_MAX   (1u << 20)
#define NAME_BYTES 1024u /* of a task, with its end: it has at most 255 */

struct ear_by {
	struct ear_profile_options options;
	enum ear_by_key key;
	struct ear_tasks *tasks; /* until it is finished */
	uint32_t task;           /* of the next batch */
	struct ear_by_row *rows;
	uint32_t count;
	struct ear_numbering numbers;   /* by key */
	struct ear_profile_times times; /* owners are rows */
	uint8_t seen;

	/* At the end: tasks by number - 1. */
	struct ear_by_task *known;
	uint32_t known_count;
	uint64_t events;
};

/* ---- Begin and end. ---- */

static int create(void **count, const struct ear_analysis_setup *setup, enum ear_by_key key)
{
	const struct ear_profile_options *options = setup->options;
	struct ear_by *by = calloc(1, sizeof(*by));

	*count = by;
	if (!by)
		return EAR_E_NO_MEMORY;
	by->options = *options;
	by->key = key;
	by->tasks = setup->tasks;
	by->seen = ear_profile_lacks(options->no_traps, options->no_interrupts);
	return 0;
}

static int create_task(void **count, const struct ear_analysis_setup *setup)
{
	return create(count, setup, EAR_BY_TASK);
}

static int create_process(void **count, const struct ear_analysis_setup *setup)
{
	return create(count, setup, EAR_BY_PROCESS);
}

static int create_privilege(void **count, const struct ear_analysis_setup *setup)
{
	return create(count, setup, EAR_BY_PRIVILEGE);
}

static int create_hart(void **count, const struct ear_analysis_setup *setup)
{
	return create(count, setup, EAR_BY_HART);
}

static void describe(const void *count, char text[EAR_PART_WORD_MAX])
{
	const struct ear_by *by = count;

	ear_profile_describe(&by->options, text);
}

static void free_known(struct ear_by *by)
{
	for (uint32_t i = 0; i < by->known_count; i++)
		free(by->known[i].name);
	free(by->known);
	by->known = NULL;
	by->known_count = 0;
}

static void free_count(void *count)
{
	struct ear_by *by = count;

	if (!by)
		return;
	free_known(by);
	free(by->rows);
	ear_profile_times_fini(&by->times);
	ear_numbering_fini(&by->numbers);
	free(by);
}

/* ---- Rows. ---- */

static uint32_t *find(const struct ear_by *by, bool known, uint64_t key)
{
	const struct ear_numbering *numbers = &by->numbers;
	uint32_t at = ear_numbering_first(numbers, ear_numbering_hash(key, known));

	while (numbers->places[at]) {
		const struct ear_by_row *row = &by->rows[numbers->places[at] - 1];
		if (row->key == key && row->known == known)
			break;
		at = ear_numbering_next(numbers, at);
	}
	return &numbers->places[at];
}

/* NULL if memory is short. Beyond ROWS_MAX all are the row of what is not known. */
static struct ear_by_row *take_row(struct ear_by *by, bool known, uint64_t key)
{
	bool again;

	known = known && by->count < ROWS_MAX;
	key = known ? key : 0;
	struct ear_by_row *rows =
		ear_numbering_grow(&by->numbers, by->rows, sizeof(*rows), by->count, &again);
	if (!rows)
		return NULL;
	by->rows = rows;
	for (uint32_t i = 0; i < by->count && again; i++)
		*find(by, rows[i].known, rows[i].key) = i + 1;
	uint32_t *slot = find(by, known, key);
	if (*slot == 0) {
		rows[by->count] = (struct ear_by_row){.known = known, .key = key};
		*slot = ++by->count;
	}
	return &rows[*slot - 1];
}

static struct ear_by_row *row_of_task(struct ear_by *by)
{
	struct ear_task_facts facts = {.size = sizeof(facts)};

	if (by->key == EAR_BY_TASK)
		return take_row(by, by->task > 0, by->task);
	bool known = by->task > 0 && ear_tasks_get(by->tasks, by->task, &facts);
	return take_row(by, known, facts.has_process ? facts.process : facts.pid);
}

static void set_task(void *count, uint32_t task, bool wanted)
{
	struct ear_by *by = count;

	(void)wanted;
	by->task = task;
}

static int take_batch(void *count, const struct ear_batch *batch)
{
	struct ear_by *by = count;
	const bool by_task = by->key == EAR_BY_TASK || by->key == EAR_BY_PROCESS;
	struct ear_by_row *row = NULL;

	if (batch->record && batch->record->kind != EAR_RECORD_INSTRUCTION) {
		if (batch->record->kind == EAR_RECORD_GAP)
			ear_profile_times_stop(&by->times);
		return 0;
	}
	if (by_task && batch->count > 0) {
		row = row_of_task(by);
		if (!row)
			return EAR_E_NO_MEMORY;
	}
	for (size_t i = 0; i < batch->count; i++) {
		const struct ear_record *record = ear_batch_record(batch, i);
		const bool known =
			by->key == EAR_BY_HART || !(record->flags & EAR_RECORD_NO_PRIVILEGE);
		const uint64_t key = by->key == EAR_BY_HART ? record->hart : record->privilege;
		if (!by_task && (!row || row->known != known || (known && row->key != key)))
			row = take_row(by, known, key);
		if (!row)
			return EAR_E_NO_MEMORY;
		ear_profile_count(record, &row->counts, &by->seen);
		int result = ear_profile_times_count(
			&by->times, record, (uint32_t)(row - by->rows), &row->counts.clocks);
		if (result < 0)
			return result;
	}
	return 0;
}

/* ---- The end. ---- */

/* Returns false if memory is short. */
static bool add_known(
	struct ear_by *by, uint64_t pid, bool has_process, uint64_t process, const char *name)
{
	/* A power of two is full. */
	if ((by->known_count & (by->known_count - 1)) == 0) {
		const size_t capacity = by->known_count ? 2 * (size_t)by->known_count : 1;
		struct ear_by_task *known = realloc(by->known, capacity * sizeof(*known));
		if (!known)
			return false;
		by->known = known;
	}
	char *copy = strdup(name);
	if (copy)
		by->known[by->known_count++] =
			(struct ear_by_task){pid, process, has_process, copy};
	return copy;
}

/* What is known of the tasks is kept. The whole has it from its parts. */
static int finish(void *count)
{
	struct ear_by *by = count;

	if (!by->tasks)
		return 0;
	free_known(by);
	for (uint32_t i = 1; i <= ear_tasks_count(by->tasks); i++) {
		struct ear_task_facts facts = {.size = sizeof(facts)};
		if (!ear_tasks_get(by->tasks, i, &facts) ||
			!add_known(by, facts.pid, facts.has_process, facts.process, facts.name))
			return EAR_E_NO_MEMORY;
	}
	by->events = ear_tasks_events(by->tasks);
	by->tasks = NULL;
	return 0;
}

/* ---- Parts. ---- */

struct joining {
	struct ear_by *by;
	uint32_t *rows; /* of the part, by its rows: those here */
};

static uint32_t own_row(void *context, uint32_t owner)
{
	const struct joining *join = context;

	return join->rows[owner];
}

static void add_clocks(void *context, uint32_t owner, uint64_t clocks)
{
	const struct joining *join = context;

	join->by->rows[join->rows[owner]].counts.clocks += clocks;
}

static int join_rows(struct joining *join, const struct ear_by *next)
{
	for (uint32_t i = 0; i < next->count; i++) {
		struct ear_by_row *row = take_row(join->by, next->rows[i].known, next->rows[i].key);
		if (!row)
			return EAR_E_NO_MEMORY;
		ear_profile_add(&row->counts, &next->rows[i].counts);
		join->rows[i] = (uint32_t)(row - join->by->rows);
	}
	return 0;
}

static int join(void *whole, void *part)
{
	struct ear_by *by = whole, *next = part;
	struct joining join = {by, calloc((size_t)next->count + 1, sizeof(*join.rows))};
	const struct ear_profile_times_joining joining = {own_row, add_clocks, &join};
	int result = join.rows ? join_rows(&join, next) : EAR_E_NO_MEMORY;

	if (result == 0)
		result = ear_profile_times_join(&by->times, &next->times, &joining);
	free(join.rows);
	if (result)
		return result;
	by->seen |= next->seen;
	by->events = next->events;
	free_known(by);
	by->known = next->known;
	by->known_count = next->known_count;
	next->known = NULL;
	next->known_count = 0;
	return 0;
}

/* ---- Files of parts. ---- */

static void walk_tasks(struct ear_by *by, struct ear_part_walk *walk)
{
	const uint32_t count = by->known_count;

	for (uint32_t i = 0; ear_part_more(walk, i, count) && ear_part_line(walk, "task"); i++) {
		struct ear_by_task task = {0};
		char name[NAME_BYTES] = "";
		if (!ear_part_reads(walk)) {
			task = by->known[i];
			snprintf(name, sizeof(name), "%s", task.name);
		}
		ear_part_u64(walk, &task.pid, UINT64_MAX);
		ear_part_bool(walk, &task.has_process);
		ear_part_u64(walk, &task.process, UINT64_MAX);
		ear_part_quoted(walk, name, sizeof(name));
		if (ear_part_reads(walk) && !walk->bad)
			ear_profile_check_added(walk,
				add_known(by, task.pid, task.has_process, task.process, name),
				true);
	}
}

static void add_row(struct ear_by *by, struct ear_part_walk *walk, const struct ear_by_row *row)
{
	const uint32_t count = by->count;
	struct ear_by_row *own;

	if (by->key == EAR_BY_TASK && row->known && (row->key == 0 || row->key > by->known_count))
		ear_part_reject(walk, "its task is missing");
	own = walk->bad ? NULL : take_row(by, row->known, row->key);
	if (own)
		own->counts = row->counts;
	ear_profile_check_added(walk, own, by->count > count);
}

static void walk_part(void *counted, struct ear_part_walk *walk)
{
	struct ear_by *by = counted;
	const uint32_t count = by->count;

	walk_tasks(by, walk);
	for (uint32_t i = 0; ear_part_more(walk, i, count) && ear_part_line(walk, "by"); i++) {
		struct ear_by_row row = {0};
		if (!ear_part_reads(walk))
			row = by->rows[i];
		ear_part_bool(walk, &row.known);
		ear_part_u64(walk, &row.key, UINT64_MAX);
		ear_profile_counts_walk(&row.counts, walk);
		if (ear_part_reads(walk))
			add_row(by, walk, &row);
	}
	ear_profile_times_walk(&by->times, walk, by->count);
	if (ear_part_line(walk, "state")) {
		ear_part_bool(walk, &by->times.has_time);
		ear_part_bool(walk, &by->times.stopped);
		ear_part_u8(walk, &by->seen, EAR_PROFILE_SEEN_MAX);
		ear_part_u64(walk, &by->events, UINT64_MAX);
	}
}

#define ROW(its_name, its_create) \
	{ \
		.name = (its_name), .unknown_line = "it is none of a profile by rows", \
		.describe = describe, .create = (its_create), .free = free_count, \
		.task = set_task, .batch = take_batch, .finish = finish, .join = join, \
		.walk = walk_part, \
	}

const struct ear_analysis ear_by_analyses[EAR_BY_KEYS] = {
	[EAR_BY_TASK] = ROW("profile --by task", create_task),
	[EAR_BY_PROCESS] = ROW("profile --by process", create_process),
	[EAR_BY_PRIVILEGE] = ROW("profile --by privilege", create_privilege),
	[EAR_BY_HART] = ROW("profile --by hart", create_hart),
};

/* ---- Answers. ---- */

const struct ear_by_task *ear_by_task(const struct ear_by *by, uint64_t number)
{
	return number > 0 && number <= by->known_count ? &by->known[number - 1] : NULL;
}

const struct ear_by_task *ear_by_process(const struct ear_by *by, uint64_t pid)
{
	for (uint32_t i = 0; i < by->known_count; i++)
		if (by->known[i].pid == pid)
			return &by->known[i];
	return NULL;
}

uint64_t ear_by_events(const struct ear_by *by)
{
	return by->events;
}

static int compare(const void *a, const void *b)
{
	const struct ear_by_row *x = a, *y = b;

	if (x->counts.records != y->counts.records)
		return x->counts.records > y->counts.records ? -1 : 1;
	if (x->known != y->known)
		return x->known ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

size_t ear_by_finish(struct ear_by *by, const struct ear_by_row **rows)
{
	if (by->count > 0)
		qsort(by->rows, by->count, sizeof(*by->rows), compare);
	*rows = by->rows;
	return by->count;
}

struct ear_profile_counts ear_by_total(const struct ear_by *by)
{
	struct ear_profile_counts total = {.records = 0};

	for (uint32_t i = 0; i < by->count; i++)
		ear_profile_add(&total, &by->rows[i].counts);
	return total;
}

struct ear_profile_shows ear_by_shows(const struct ear_by *by)
{
	return ear_profile_shows(by->seen, by->times.has_time);
}
