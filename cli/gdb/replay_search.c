/* Searching: see replay_search.h. Conditions need the state at each hit. Going forward it is at
 * hand; so a backward search goes forward through one stretch after the other, and takes the last
 * hit of each.
 */
#include "cli/gdb/replay_search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/gdb/target.h"

#define STRETCH 32768u /* records: states are kept for as many in large windows */

#define TRAPPED (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)

/* One search. */
struct search {
	struct ear_gdb_replay *replay;
	const struct ear_gdb_goal *goal;
	bool missed; /* a record of this window nearly was it */
	bool failed; /* reading memory for a condition */
};

static bool is_instruction(const struct ear_record *record)
{
	return record->kind == EAR_RECORD_INSTRUCTION;
}

bool ear_gdb_is_return(const struct ear_record *record)
{
	uint64_t opcode = record->opcode;

	return is_instruction(record) && !(record->flags & (TRAPPED | EAR_RECORD_NO_OPCODE)) &&
	       (opcode == 0x30200073 || opcode == 0x10200073 || opcode == 0x00200073 ||
		       opcode == 0x70200073 || opcode == 0x7b200073);
}

/* ---- Conditions. ---- */

/* The place of a hit, at which the history is. */
struct scene {
	struct search *search;
	const struct ear_record *record;
	uint64_t pc;
	uint16_t hart;
	uint8_t privilege;
	bool has_privilege;
};

static bool read_register(void *context, unsigned number, uint64_t *value)
{
	const struct scene *scene = context;
	enum ear_register_class reg_class;
	unsigned index;

	if (number == EAR_GDB_PC) {
		*value = scene->pc;
		return true;
	}
	if (number == EAR_GDB_PRIV && scene->has_privilege) {
		*value = scene->privilege;
		return true;
	}
	return ear_gdb_register_of(number, &reg_class, &index) &&
	       ear_history_register(
		       scene->search->replay->history, scene->hart, reg_class, index, value);
}

static bool read_memory(void *context, uint64_t address, uint8_t *bytes, size_t size)
{
	const struct scene *scene = context;
	struct ear_gdb_replay *replay = scene->search->replay;
	uint8_t known[8];
	int64_t count =
		ear_history_memory(replay->history, address, bytes, known, size, &replay->progress);

	scene->search->failed = scene->search->failed || count < 0;
	return count == (int64_t)size;
}

/* Is one of the conditions true? Returns 1, 0 or an error. */
static int is_true(struct search *search, const struct ear_gdb_point *point, uint64_t position,
	const struct ear_record *record, struct ear_gdb_stop *stop)
{
	struct scene scene = {.search = search,
		.pc = record->pc,
		.hart = record->hart,
		.privilege = record->privilege,
		.has_privilege = !(record->flags & EAR_RECORD_NO_PRIVILEGE)};
	const struct ear_gdb_readers readers = {read_register, read_memory, &scene};

	if (point->condition_count == 0)
		return 1;
	int result = ear_history_move(search->replay->history, position, NULL);
	if (result)
		return result;
	result = ear_gdb_point_counts(point, &readers, stop->text);
	if (search->failed)
		return EAR_E_CANCELLED;
	search->missed = search->missed || result == 0;
	return result;
}

/* ---- Is it this record? ---- */

static void say_gap(struct ear_gdb_stop *stop, const struct ear_gap *gap)
{
	const char *reason = ear_gap_reason_text(gap->reason);

	if (gap->count_known)
		snprintf(stop->text, sizeof(stop->text), "%" PRIu64 " records are missing here: %s",
			gap->count, reason);
	else
		snprintf(stop->text, sizeof(stop->text),
			"records are missing here, it is not known how many: %s", reason);
}

static bool is_caught(const struct ear_gdb_replay *replay, const struct ear_record *record)
{
	unsigned kind =
		record->flags & EAR_RECORD_INTERRUPT ? EAR_QUERY_INTERRUPT : EAR_QUERY_EXCEPTION;
	uint64_t cause = record->cause & INT32_MAX;

	return record->flags & TRAPPED && replay->caught & kind &&
	       (!replay->has_cause ||
		       (!(record->flags & EAR_RECORD_NO_CAUSE) && cause == replay->cause));
}

/* Is it where a handler came back to, or, backward, what it was for? Returns 1, 0 or an error. */
static int is_arrival(struct search *search, uint64_t position, const struct ear_record *record,
	enum ear_direction direction)
{
	const struct ear_gdb_goal *goal = search->goal;
	struct ear_gdb_replay *replay = search->replay;
	uint64_t pc = record->pc, sp = 0;
	const bool interrupt = record->flags & EAR_RECORD_INTERRUPT;

	if (goal->pc_count == 0 || record->hart != goal->hart)
		return 0;
	if (direction == EAR_BACKWARD) {
		uint64_t after = pc + record->opcode_size;
		if (!(record->flags & TRAPPED) ||
			(pc != goal->pcs[0] && (interrupt || after != goal->pcs[0])))
			return 0;
	} else {
		if (pc != goal->pcs[0] && (goal->pc_count == 1 || pc != goal->pcs[1]))
			return 0;
		const struct ear_record *before = ear_gdb_before(replay, goal->hart, position);
		if (!before || !ear_gdb_is_return(before))
			return 0;
	}
	search->missed = true;
	int result = ear_history_move(replay->history, position, NULL);
	if (result)
		return result;
	return ear_history_register(replay->history, goal->hart, EAR_REGISTER_X, 2, &sp) &&
	       sp == goal->sp;
}

static bool is_passed(const struct ear_gdb_goal *goal, uint64_t position)
{
	return position == goal->passed[0] || position == goal->passed[1];
}

static int judge_instruction(struct search *search, uint64_t position,
	const struct ear_record *record, enum ear_direction direction, struct ear_gdb_hit *hit)
{
	const struct ear_gdb_goal *goal = search->goal;
	struct ear_gdb_replay *replay = search->replay;
	const struct ear_record copy = *record; /* what follows may invalidate it */
	const bool executed = !(copy.flags & TRAPPED);

	int result = is_arrival(search, position, record, direction);
	if (result) {
		hit->arrived = result == 1;
		return result;
	}
	if (goal->points && !(copy.flags & EAR_RECORD_INTERRUPT) && !is_passed(goal, position)) {
		const struct ear_gdb_point *point = ear_gdb_points_break(&replay->points, copy.pc);
		hit->stop.reason = EAR_GDB_BREAK;
		result = point ? is_true(search, point, position, &copy, &hit->stop) : 0;
		if (result)
			return result;
	}
	if (goal->traps && is_caught(replay, &copy) && !is_passed(goal, position)) {
		hit->stop.reason = EAR_GDB_CAUGHT;
		hit->stop.cause = copy.cause & INT32_MAX;
		hit->stop.is_interrupt = copy.flags & EAR_RECORD_INTERRUPT;
		return 1;
	}
	record = ear_history_record(replay->history, position);
	for (size_t i = 0; goal->points && executed && record && i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		const struct ear_gdb_point *point =
			access->masked ? NULL
				       : ear_gdb_points_watch(&replay->points, access->address,
						 access->size ? access->size : 1, access->write);
		if (!point)
			continue;
		hit->stop.reason = EAR_GDB_WATCH;
		hit->stop.watch = point->kind;
		hit->stop.address = point->address;
		return 1;
	}
	return 0;
}

/* Returns 1 and *hit, 0 or an error. */
static int judge(struct search *search, uint64_t position, const struct ear_record *record,
	enum ear_direction direction, struct ear_gdb_hit *hit)
{
	struct ear_gdb_hit found = {.position = position, .stop.hart = record->hart};
	int result = 0;

	if (record->kind == EAR_RECORD_GAP && search->goal->gaps) {
		found.stop.reason = EAR_GDB_GAP;
		say_gap(&found.stop, &record->u.gap);
		result = 1;
	} else if (is_instruction(record)) {
		result = judge_instruction(search, position, record, direction, &found);
	}
	if (result == 1)
		*hit = found;
	return result;
}

/* ---- Records in memory. ---- */

/* May this one be it? */
static bool is_candidate(const struct search *search, const struct ear_compact_record *compact)
{
	const struct ear_gdb_points *points = &search->replay->points;
	const struct ear_gdb_goal *goal = search->goal;
	bool write = compact->flags & EAR_COMPACT_WRITE;

	if (goal->pc_count > 0 &&
		(compact->pc == goal->pcs[0] || compact->pc == goal->pcs[goal->pc_count - 1]))
		return true;
	if (!goal->points)
		return false;
	if (ear_gdb_points_break(points, compact->pc))
		return true;
	return points->watched && compact->size != EAR_COMPACT_NO_ACCESS &&
	       ear_gdb_points_watch(points, compact->address, compact->size, write);
}

static bool is_interrupted(struct ear_gdb_replay *replay, uint64_t count)
{
	replay->scanned += count;
	if (replay->scanned < 1u << 16)
		return false;
	replay->scanned = 0;
	return replay->interrupted && replay->interrupted(replay->context);
}

/* Records from .. to - 1, which are in the window. Returns 1 and the first hit, or with all the
 * last one; 0; or an error, and *reached. */
static int scan(struct search *search, uint64_t from, uint64_t to, bool all,
	struct ear_gdb_hit *hit, uint64_t *reached)
{
	struct ear_gdb_replay *replay = search->replay;
	const enum ear_direction direction = all ? EAR_BACKWARD : EAR_FORWARD;
	struct ear_batch batch = {.size = sizeof(batch)};
	int found = 0;

	for (*reached = from; from < to; *reached = from) {
		if (ear_history_batch(replay->history, from, &batch) != 1)
			return found;
		size_t count = batch.count < to - from ? batch.count : (size_t)(to - from);
		bool look = !batch.run || batch.run->flags & TRAPPED;
		for (size_t i = 0; i < count; i++) {
			if (!look && !is_candidate(search, &batch.compacts[i]))
				continue;
			int result = judge(search, from + i,
				ear_history_record(replay->history, from + i), direction, hit);
			if (result < 0 || (result == 1 && !all))
				return result;
			found |= result;
		}
		from += count;
		if (is_interrupted(replay, count))
			return EAR_E_CANCELLED;
	}
	return found;
}

/* The last hit among the records to .. from - 1 of the window. */
static int scan_back(struct search *search, uint64_t from, uint64_t to, struct ear_gdb_hit *hit,
	uint64_t *reached)
{
	uint64_t ignored;

	for (*reached = from; from > to; *reached = from) {
		uint64_t first = from - to > STRETCH ? from - STRETCH : to;
		int result = scan(search, first, from, true, hit, &ignored);
		if (result)
			return result;
		from = first;
	}
	return 0;
}

/* ---- Beyond. ---- */

static struct ear_span *spans_of(const struct search *search, size_t *count)
{
	const struct ear_gdb_points *points = &search->replay->points;
	const struct ear_gdb_goal *goal = search->goal;
	struct ear_span *spans = calloc(points->break_count + 4, sizeof(*spans));

	*count = 0;
	for (size_t i = 0; spans && goal->points && i < points->break_count; i++)
		spans[(*count)++] =
			(struct ear_span){points->breaks[i]->address, points->breaks[i]->address};
	for (unsigned i = 0; spans && i < goal->pc_count; i++)
		spans[(*count)++] = (struct ear_span){goal->pcs[i], goal->pcs[i]};
	return spans;
}

/* The nearer one of what was found so far and what meets the query. */
static int find_one(struct search *search, const struct ear_query *query, uint64_t from,
	enum ear_direction direction, bool *found, uint64_t *position)
{
	struct ear_gdb_replay *replay = search->replay;
	uint64_t at;
	int result = ear_trace_find(replay->trace, query, from, direction, &at, &replay->progress);

	if (result == 1 &&
		(!*found || (direction == EAR_FORWARD ? at < *position : at > *position)))
		*position = at;
	*found = *found || result == 1;
	return result < 0 ? result : 0;
}

static int find_breaks(struct search *search, uint64_t from, enum ear_direction direction,
	bool *found, uint64_t *position)
{
	struct ear_query query = EAR_QUERY_ANY;
	size_t count;
	struct ear_span *spans = spans_of(search, &count);

	if (!spans)
		return EAR_E_NO_MEMORY;
	query.pcs = spans;
	query.pc_count = count;
	int result = count == 0 ? 0 : find_one(search, &query, from, direction, found, position);
	free(spans);
	return result;
}

static int find_accesses(struct search *search, unsigned accesses, uint64_t from,
	enum ear_direction direction, bool *found, uint64_t *position)
{
	const struct ear_gdb_points *points = &search->replay->points;
	struct ear_query query = EAR_QUERY_ANY;
	struct ear_span *spans = calloc(points->watch_count + 1, sizeof(*spans));
	const enum ear_gdb_kind other = accesses == EAR_QUERY_WRITE ? EAR_GDB_READ : EAR_GDB_WRITE;

	if (!spans)
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < points->watch_count; i++) {
		const struct ear_gdb_point *point = points->watches[i];
		if (point->kind != other)
			spans[query.address_count++] = (struct ear_span){
				point->address, point->address + (point->size - 1)};
	}
	query.addresses = spans;
	query.accesses = accesses;
	int result = find_one(search, &query, from, direction, found, position);
	free(spans);
	return result;
}

/* The next record that may be it. Returns 1, 0 or an error. */
static int find_far(
	struct search *search, uint64_t from, enum ear_direction direction, uint64_t *position)
{
	const struct ear_gdb_goal *goal = search->goal;
	const struct ear_gdb_replay *replay = search->replay;
	struct ear_query gaps = EAR_QUERY_ANY, traps = EAR_QUERY_ANY;
	bool found = false;
	int result = find_breaks(search, from, direction, &found, position);

	gaps.kinds = 1u << EAR_RECORD_GAP;
	traps.traps = replay->caught;
	traps.has_cause = replay->has_cause;
	traps.cause = replay->cause;
	for (unsigned access = EAR_QUERY_READ; access <= EAR_QUERY_WRITE; access <<= 1)
		if (result == 0 && goal->points && replay->points.watched & access)
			result = find_accesses(search, access, from, direction, &found, position);
	if (result == 0 && goal->gaps)
		result = find_one(search, &gaps, from, direction, &found, position);
	if (result == 0 && goal->traps && replay->caught)
		result = find_one(search, &traps, from, direction, &found, position);
	return result < 0 ? result : found;
}

static int search_forward(
	struct search *search, uint64_t from, uint64_t to, struct ear_gdb_hit *hit)
{
	struct ear_gdb_replay *replay = search->replay;
	struct ear_history *history = replay->history;
	uint64_t first, end;

	while (from < to) {
		hit->position = from;
		int result = ear_history_move(history, from, &replay->progress);
		if (result)
			return result;
		bool at_end = ear_history_window(history, &first, &end);
		search->missed = false;
		result = scan(search, from, end < to ? end : to, false, hit, &hit->position);
		if (result || at_end || end >= to)
			return result;
		from = end;
		if (search->missed)
			continue;
		hit->position = from;
		result = find_far(search, from, EAR_FORWARD, &from);
		if (result != 1)
			return result;
	}
	return 0;
}

static int search_backward(
	struct search *search, uint64_t from, uint64_t to, struct ear_gdb_hit *hit)
{
	struct ear_gdb_replay *replay = search->replay;
	struct ear_history *history = replay->history;
	uint64_t first, end, position;

	while (from > to) {
		hit->position = from;
		int result = ear_history_move(history, from - 1, &replay->progress);
		if (result)
			return result;
		ear_history_window(history, &first, &end);
		from = from < end ? from : end;
		search->missed = false;
		result = scan_back(search, from, first > to ? first : to, hit, &hit->position);
		if (result || first <= to)
			return result;
		from = first;
		if (search->missed)
			continue;
		hit->position = from;
		result = find_far(search, from, EAR_BACKWARD, &position);
		if (result != 1)
			return result;
		from = position + 1;
	}
	return 0;
}

int ear_gdb_search(struct ear_gdb_replay *replay, const struct ear_gdb_goal *goal, uint64_t from,
	uint64_t to, enum ear_direction direction, struct ear_gdb_hit *hit)
{
	struct search search = {.replay = replay, .goal = goal};

	return direction == EAR_FORWARD ? search_forward(&search, from, to, hit)
					: search_backward(&search, from, to, hit);
}
