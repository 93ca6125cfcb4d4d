/* Rows by a key. Numbers of tasks are those in which tasks ran, which who follows them from the
 * trace's beginning finds in the same way in every part, so rows of parts are joined by them.
 */
#include "analyses/profile/by.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/profile/profile_private.h"

#define ROWS_MAX   (1u << 20)
#define NAME_BYTES 1024u /* of a task, with its end: it has at most 255 */

struct ear_by {
	enum ear_by_key key;
	struct ear_tasks *tasks;
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

int ear_by_new(struct ear_by **by_out, enum ear_by_key key, struct ear_tasks *tasks)
{
	struct ear_by *by = calloc(1, sizeof(*by));

	if (!by)
		return EAR_E_NO_MEMORY;
	by->key = key;
	by->tasks = tasks;
	*by_out = by;
	return 0;
}

void ear_by_lacks(struct ear_by *by, bool traps, bool interrupts)
{
	by->seen |= ear_profile_lacks(traps, interrupts);
}

static void free_known(struct ear_by *by)
{
	for (uint32_t i = 0; i < by->known_count; i++)
		free(by->known[i].name);
	free(by->known);
	by->known = NULL;
	by->known_count = 0;
}

void ear_by_free(struct ear_by *by)
{
	if (!by)
		return;
	free_known(by);
	free(by->rows);
	ear_profile_times_fini(&by->times);
	ear_numbering_fini(&by->numbers);
	free(by);
}

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
	uint32_t *place = find(by, known, key);
	if (*place == 0) {
		rows[by->count] = (struct ear_by_row){.known = known, .key = key};
		*place = ++by->count;
	}
	return &rows[*place - 1];
}

static struct ear_by_row *row_of_task(struct ear_by *by, uint32_t task)
{
	struct ear_task_facts facts = {.size = sizeof(facts)};

	if (by->key == EAR_BY_TASK)
		return take_row(by, task > 0, task);
	bool known = task > 0 && ear_tasks_get(by->tasks, task, &facts);
	return take_row(by, known, facts.has_process ? facts.process : facts.pid);
}

int ear_by_records(
	struct ear_by *by, const struct ear_batch *batch, size_t first, size_t count, uint32_t task)
{
	const bool by_task = by->key == EAR_BY_TASK || by->key == EAR_BY_PROCESS;
	struct ear_by_row *row = NULL;

	if (batch->record && batch->record->kind != EAR_RECORD_INSTRUCTION) {
		if (batch->record->kind == EAR_RECORD_GAP)
			ear_profile_times_stop(&by->times);
		return 0;
	}
	if (by_task && count > 0) {
		row = row_of_task(by, task);
		if (!row)
			return EAR_E_NO_MEMORY;
	}
	for (size_t i = first; i < first + count; i++) {
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

int ear_by_end(struct ear_by *by)
{
	const uint32_t count = by->tasks ? ear_tasks_count(by->tasks) : 0;

	free_known(by);
	for (uint32_t i = 1; i <= count; i++) {
		struct ear_task_facts facts = {.size = sizeof(facts)};
		if (!ear_tasks_get(by->tasks, i, &facts) ||
			!add_known(by, facts.pid, facts.has_process, facts.process, facts.name))
			return EAR_E_NO_MEMORY;
	}
	by->events = by->tasks ? ear_tasks_events(by->tasks) : 0;
	by->tasks = NULL;
	return 0;
}

/* ---- Parts. ---- */

struct join {
	struct ear_by *by;
	uint32_t *rows; /* of the part, by its rows: those here */
};

static uint32_t own_row(void *context, uint32_t owner)
{
	const struct join *join = context;

	return join->rows[owner];
}

static void add_clocks(void *context, uint32_t owner, uint64_t clocks)
{
	const struct join *join = context;

	join->by->rows[join->rows[owner]].counts.clocks += clocks;
}

static int join_rows(struct join *join, const struct ear_by *next)
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

int ear_by_join(struct ear_by *by, struct ear_by *next)
{
	struct join join = {by, calloc((size_t)next->count + 1, sizeof(*join.rows))};
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

void ear_by_write(const struct ear_by *by, struct ear_part_writer *writer)
{
	char text[EAR_PROFILE_COUNTS_TEXT];

	for (uint32_t i = 0; i < by->known_count; i++) {
		const struct ear_by_task *task = &by->known[i];
		char name[3 * NAME_BYTES + 2];
		ear_part_quote(name, sizeof(name), task->name);
		ear_part_write(writer, "task %" PRIu64 " %u %" PRIu64 " %s", task->pid,
			task->has_process, task->process, name);
	}
	for (uint32_t i = 0; i < by->count; i++) {
		ear_profile_counts_text(text, &by->rows[i].counts);
		ear_part_write(
			writer, "by %u %" PRIu64 "%s", by->rows[i].known, by->rows[i].key, text);
	}
	ear_profile_times_write(&by->times, writer);
	ear_part_write(writer, "state %u %u %u %" PRIu64, by->times.has_time, by->times.stopped,
		by->seen, by->events);
}

static bool read_task(struct ear_by *by, struct ear_part_reader *reader)
{
	uint64_t pid, has_process, process;
	char name[NAME_BYTES];

	if (!ear_part_number(reader, &pid, UINT64_MAX) ||
		!ear_part_number(reader, &has_process, 1) ||
		!ear_part_number(reader, &process, UINT64_MAX) ||
		!ear_part_text(reader, name, sizeof(name)))
		return false;
	return add_known(by, pid, has_process, process, name) ||
	       ear_part_fail(reader, "out of memory");
}

static bool read_row(struct ear_by *by, struct ear_part_reader *reader)
{
	const uint32_t count = by->count;
	uint64_t known, key;
	struct ear_profile_counts counts;

	if (!ear_part_number(reader, &known, 1) || !ear_part_number(reader, &key, UINT64_MAX) ||
		!ear_profile_counts_read(reader, &counts))
		return false;
	if (by->key == EAR_BY_TASK && known && (key == 0 || key > by->known_count))
		return ear_part_fail(reader, "its task is missing");
	struct ear_by_row *row = take_row(by, known, key);
	if (!row)
		return ear_part_fail(reader, "out of memory");
	row->counts = counts;
	return by->count > count || ear_part_fail(reader, "it came before");
}

static bool read_hart(struct ear_by *by, struct ear_part_reader *reader)
{
	return ear_profile_times_read(&by->times, reader, by->count);
}

static bool read_state(struct ear_by *by, struct ear_part_reader *reader)
{
	uint64_t has_time, stopped, seen;

	if (!ear_part_number(reader, &has_time, 1) || !ear_part_number(reader, &stopped, 1) ||
		!ear_part_number(reader, &seen, EAR_PROFILE_SEEN_MAX) ||
		!ear_part_number(reader, &by->events, UINT64_MAX))
		return false;
	by->times.has_time = has_time;
	by->times.stopped = stopped;
	by->seen = (uint8_t)seen;
	return true;
}

bool ear_by_read(struct ear_by *by, struct ear_part_reader *reader)
{
	static const struct {
		const char *word;
		bool (*read)(struct ear_by *by, struct ear_part_reader *reader);
	} kinds[] = {
		{"task", read_task}, {"by", read_row}, {"hart", read_hart}, {"state", read_state}};
	const size_t kind_count = sizeof(kinds) / sizeof(kinds[0]);
	const char *word;

	while (ear_part_next(reader, &word)) {
		size_t kind = 0;
		if (!word)
			return true;
		while (kind < kind_count && strcmp(kinds[kind].word, word) != 0)
			kind++;
		if (kind == kind_count)
			return ear_part_fail(reader, "it is none of a profile by rows");
		if (!kinds[kind].read(by, reader))
			return false;
	}
	return false;
}

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
