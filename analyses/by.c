#include "analyses/by.h"

#include <stdlib.h>

#include <earshot/error.h>

#include "analyses/profile_private.h"

#define ROWS_MAX (1u << 20)

struct ear_by {
	enum ear_by_key key;
	struct ear_tasks *tasks;
	struct ear_by_row *rows;
	uint32_t count;
	struct ear_numbering numbers; /* by key */
	struct ear_profile_times times;
	uint8_t seen;
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

void ear_by_free(struct ear_by *by)
{
	if (!by)
		return;
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
		int result = ear_profile_times_count(&by->times, record, &row->counts.clocks);
		if (result)
			return result;
	}
	return 0;
}

/* ---- Answers. ---- */

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
