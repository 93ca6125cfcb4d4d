/* A place in a trace. A run that the decoder hands out is kept until all of it is used: what is
 * read record by record is expanded in place, and a batch that begins or ends inside of it gets a
 * run of its own, which shares the compact records.
 */
#include "library/api/cursor.h"

#include <assert.h>

int ear_cursor_open(struct ear_cursor *cursor)
{
	if (cursor->source)
		return 0;
	int result = ear_source_new(&cursor->source, cursor->fd, &cursor->options);
	if (result == 0 && cursor->with_reads)
		ear_source_with_reads(cursor->source);
	if (result == 0 && cursor->layers)
		result = ear_source_set_layers(cursor->source, cursor->layers);
	return result;
}

void ear_cursor_close(struct ear_cursor *cursor)
{
	ear_index_walk_free(cursor->walk);
	cursor->walk = NULL;
	ear_source_free(cursor->source);
	cursor->source = NULL;
	cursor->run = NULL;
	cursor->last = NULL;
	cursor->again = false;
	cursor->position = 0;
	cursor->number = 0;
}

static void pass(struct ear_cursor *cursor, const struct ear_record *record)
{
	cursor->position++;
	cursor->number += record->kind == EAR_RECORD_INSTRUCTION;
}

static bool in_run(const struct ear_cursor *cursor)
{
	return cursor->run && cursor->at < cursor->run->count;
}

/* The next run or record from the source. */
static int take(struct ear_cursor *cursor, const struct ear_record **record)
{
	struct ear_source_run next;

	int result = ear_cursor_open(cursor);
	if (result)
		return result;
	cursor->run = NULL;
	result = cursor->walk ? ear_index_walk_next_run(cursor->walk, &next)
			      : ear_source_next_run(cursor->source, &next);
	if (result == 0 && cursor->seen)
		ear_seen_end(cursor->seen, cursor->position, cursor->source);
	if (result <= 0)
		return result;
	if (cursor->seen)
		ear_seen_note(cursor->seen, cursor->position, cursor->number,
			next.run ? next.run->count : 1, next.run ? NULL : next.record);
	*record = next.record;
	if (next.run) {
		cursor->run = next.run;
		cursor->compacts = next.compacts;
		cursor->operands = next.operands;
		cursor->at = 0;
		cursor->expanded_begun = false;
	}
	return 1;
}

int ear_cursor_next(struct ear_cursor *cursor, const struct ear_record **record)
{
	if (cursor->again) {
		cursor->again = false;
		*record = cursor->last;
		pass(cursor, *record);
		return 1;
	}
	if (!in_run(cursor)) {
		int result = take(cursor, record);
		if (result <= 0)
			return result;
		if (!cursor->run) {
			pass(cursor, *record);
			cursor->last = *record;
			return 1;
		}
	}
	if (!cursor->expanded_begun)
		ear_compact_run_begin(&cursor->expanded, cursor->run);
	cursor->expanded_begun = true;
	*record = ear_compact_run_get(
		&cursor->expanded, cursor->run, &cursor->compacts[cursor->at], cursor->at);
	cursor->at++;
	cursor->last = *record;
	pass(cursor, *record);
	return 1;
}

/* What points into the cursor itself, which has moved from another place in memory. */
static void settle(struct ear_cursor *cursor, const struct ear_cursor *from)
{
	struct ear_expanded_record *expanded = &cursor->expanded;

	if (cursor->last == &from->expanded.record)
		cursor->last = &expanded->record;
	expanded->record.registers = &expanded->reg;
	expanded->record.memory = &expanded->access;
	if (expanded->record.extra)
		expanded->record.extra = &expanded->extra;
}

void ear_cursor_swap(struct ear_cursor *a, struct ear_cursor *b)
{
	const struct ear_cursor kept = *a;

	*a = *b;
	*b = kept;
	settle(a, b);
	settle(b, a);
}

void ear_cursor_back(struct ear_cursor *cursor)
{
	assert(cursor->last && !cursor->again);
	cursor->position--;
	cursor->number -= cursor->last->kind == EAR_RECORD_INSTRUCTION;
	cursor->again = true;
}

/* The next count records of the run, of which there are so many. */
static void take_part(struct ear_cursor *cursor, struct ear_batch *batch, size_t count)
{
	size_t at = cursor->at;

	batch->run = cursor->run;
	if (at > 0 || count < cursor->run->count) {
		cursor->part = *cursor->run;
		cursor->part.count = count;
		cursor->part.first_index += at;
		if (cursor->part.first_line)
			cursor->part.first_line += at;
		if (at > 0)
			cursor->part.first_timed = cursor->part.all_timed;
		batch->run = &cursor->part;
	}
	batch->compacts = cursor->compacts + at;
	batch->count = count;
	batch->expanded = &cursor->expanded;
	ear_compact_run_begin(&cursor->expanded, batch->run);
	cursor->expanded_begun = false;
	cursor->at += count;
	cursor->position += count;
	cursor->number += count;
}

int ear_cursor_next_batch(struct ear_cursor *cursor, struct ear_batch *batch, size_t max)
{
	*batch = (struct ear_batch){.size = sizeof(*batch),
		.count = 1,
		.position = cursor->position,
		.number = cursor->number};
	if (cursor->again) {
		cursor->again = false;
		batch->record = cursor->last;
		pass(cursor, batch->record);
		return 1;
	}
	if (!in_run(cursor)) {
		int result = take(cursor, &batch->record);
		if (result <= 0)
			return result;
		if (!cursor->run) {
			pass(cursor, batch->record);
			return 1;
		}
		batch->record = NULL;
	}
	size_t left = cursor->run->count - cursor->at;
	take_part(cursor, batch, left < max ? left : max);
	return 1;
}

void ear_cursor_use_index(struct ear_cursor *cursor, struct ear_index *index)
{
	if (cursor->index == index)
		return;
	ear_index_walk_free(cursor->walk);
	cursor->walk = NULL;
	cursor->index = index;
}

bool ear_cursor_changed(const struct ear_cursor *cursor)
{
	return cursor->walk && ear_index_walk_changed(cursor->walk);
}

static int walk_on(void *context, uint64_t done, uint64_t total)
{
	struct ear_meter *meter = context;

	meter->done = done;
	meter->total = total;
	return ear_meter_ask(meter);
}

/* The cursor has a walk of its own, which is about to move. */
static int begin_walk(struct ear_cursor *cursor, struct ear_meter *meter)
{
	int result = ear_cursor_open(cursor);

	if (result == 0 && !cursor->walk)
		result = ear_index_walk_new(&cursor->walk, cursor->index, cursor->source);
	if (result)
		return result;
	cursor->run = NULL;
	cursor->again = false;
	cursor->last = NULL;
	ear_index_walk_set_progress(cursor->walk, walk_on, meter);
	return 0;
}

static void end_walk(struct ear_cursor *cursor)
{
	ear_index_walk_set_progress(cursor->walk, NULL, NULL);
	cursor->position = ear_index_walk_position(cursor->walk);
	cursor->number = ear_index_walk_number(cursor->walk);
}

int ear_cursor_walk_to(struct ear_cursor *cursor, uint64_t position, struct ear_meter *meter)
{
	uint64_t end = ear_index_totals(cursor->index).records;
	int result = begin_walk(cursor, meter);

	if (result)
		return result;
	result = ear_index_walk_to(cursor->walk, position < end ? position : end);
	end_walk(cursor);
	return result ? result : position <= end;
}

int ear_cursor_join(
	struct ear_cursor *cursor, const struct ear_index_walk *walk, struct ear_meter *meter)
{
	int result = begin_walk(cursor, meter);

	if (result)
		return result;
	result = ear_index_walk_join(cursor->walk, walk);
	end_walk(cursor);
	return result ? result : 1;
}

/* position is among the records that are in memory: the one that comes again, the rest of a run. */
static bool is_at_hand(const struct ear_cursor *cursor, uint64_t position)
{
	uint64_t left = in_run(cursor) ? cursor->run->count - cursor->at : 0;

	return position >= cursor->position && position - cursor->position <= left + cursor->again;
}

int ear_cursor_seek(struct ear_cursor *cursor, uint64_t position, struct ear_meter *meter)
{
	struct ear_batch batch;

	if (cursor->index && !is_at_hand(cursor, position))
		return ear_cursor_walk_to(cursor, position, meter);
	if (position < cursor->position)
		ear_cursor_close(cursor);
	while (cursor->position < position) {
		uint64_t left = position - cursor->position;
		int result = ear_cursor_next_batch(
			cursor, &batch, left < SIZE_MAX ? (size_t)left : SIZE_MAX);
		if (result <= 0)
			return result;
		result = ear_meter_pass(meter, batch.count);
		if (result)
			return result;
	}
	return 1;
}
