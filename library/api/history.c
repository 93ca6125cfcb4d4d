/* The surroundings of a moment. The records of a window are in memory as they came: compact runs,
 * and copies of all others. Registers at any record of it follow from the state at the beginning of
 * its part, one of a few that are kept, and the records from there on. Memory is what it was at the
 * window's beginning, which a moment knows, and what a log of the window's accesses says; where
 * that cannot say it, a second moment goes to the place itself.
 */
#include <earshot/history.h>

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/versioned.h"
#include "decoder/record/record_copy.h"
#include "library/api/indexed.h"
#include "library/api/moment_internal.h"
#include "library/api/trace_internal.h"
#include "library/index/file/index_log.h"
#include "library/memory/memory_types.h"
#include "library/state/state.h"

#define WINDOW_MIN ((size_t)1 << 16) /* records of a window */
#define WINDOW_MAX ((size_t)1 << 20)
#define PARTS_MAX  32u
#define BASES      64u                 /* lines of memory that are kept */
#define RECENT     8u                  /* questions about memory that are kept */
#define BYTES_MAX  ((size_t)256 << 20) /* of copies of records */

/* A run, or a record. */
struct item {
	uint64_t position, number; /* of the first */
	struct ear_compact_run run;
	struct ear_record *record; /* with all that it points to; NULL: a run */
};

/* A line of memory at the window's beginning. */
struct base {
	bool used;
	uint64_t address, never; /* never known */
	uint8_t bytes[EAR_MEMORY_LINE], known[EAR_MEMORY_LINE];
};

/* What the first accesses of the log say of the bytes that are asked for: a debugger asks about the
 * same ones again and again, going forward. */
struct recent {
	uint64_t asked; /* the bytes of the line; 0: this is free */
	size_t count;   /* of accesses */
	struct ear_memory_line line;
};

struct ear_history {
	struct ear_trace *trace;
	struct ear_moment *moment; /* at base, if it is placed */
	struct ear_moment *exact;  /* at any place; NULL: not needed so far */
	uint64_t base;
	struct ear_cursor cursor;
	struct ear_meter meter;
	uint64_t position;

	/* Records first .. end - 1. */
	uint64_t first, end;
	bool at_end; /* of the trace */
	size_t size; /* records that a window has, but for the last one */
	struct item *items;
	size_t item_count, item_capacity;
	struct ear_compact_record *compacts; /* of record i in [i - first], if it is in a run */
	size_t compact_capacity;
	size_t bytes; /* of copies */

	/* Accesses before each record: of record i the first log_counts[i - first] of the log. */
	struct ear_index_log log;
	uint32_t *log_counts;
	bool log_asked, log_usable;
	struct base bases[BASES];
	struct recent recent[RECENT];

	/* States before the first record of each part. */
	size_t part_size, part_count;
	struct ear_state *parts[PARTS_MAX + 1];
	struct ear_state *state; /* before record state_position; NULL: none */
	uint64_t state_position;

	struct ear_compact_run handed;
	struct ear_expanded_record expanded;
};

/* Records of the first window. */
static size_t least(const struct ear_history *history)
{
	return history->trace->past_window ? history->trace->past_window : WINDOW_MIN;
}

/* Of a window, those on the far side of where it was loaded for. */
static size_t behind(size_t size)
{
	return size / 16;
}

/* ---- The window. ---- */

static void drop_states(struct ear_history *history)
{
	for (size_t i = 0; i < history->part_count; i++)
		ear_state_free(history->parts[i]);
	history->part_count = 0;
	ear_state_free(history->state);
	history->state = NULL;
}

static void drop_window(struct ear_history *history)
{
	for (size_t i = 0; i < history->item_count; i++)
		free(history->items[i].record);
	history->item_count = 0;
	history->bytes = 0;
	history->first = history->end = 0;
	history->at_end = false;
	ear_index_log_begin(&history->log, 0, UINT64_MAX);
	history->log_asked = false;
	memset(history->bases, 0, sizeof(history->bases));
	memset(history->recent, 0, sizeof(history->recent));
	drop_states(history);
}

static int no_memory(struct ear_history *history)
{
	return ear_trace_fail(history->trace, EAR_E_NO_MEMORY, "out of memory");
}

static bool reserve_compacts(struct ear_history *history, size_t count)
{
	if (count <= history->compact_capacity)
		return true;
	struct ear_compact_record *compacts = realloc(history->compacts, count * sizeof(*compacts));
	if (!compacts)
		return false;
	history->compacts = compacts;
	uint32_t *counts = realloc(history->log_counts, count * sizeof(*counts));
	if (!counts)
		return false;
	history->log_counts = counts;
	history->compact_capacity = count;
	return true;
}

static struct item *add_item(struct ear_history *history)
{
	if (!EAR_ARRAY_RESERVE(history->items, &history->item_capacity, history->item_count + 1))
		return NULL;
	struct item *item = &history->items[history->item_count++];
	*item = (struct item){0};
	return item;
}

/* One record of a run, or another one, goes into the log. */
static void log_record(struct ear_history *history, size_t at, const struct ear_source_run *run)
{
	history->log_counts[at] = (uint32_t)history->log.count;
	ear_index_log_push(&history->log, run);
}

static int keep_run(struct ear_history *history, const struct ear_batch *batch)
{
	struct item *item = add_item(history);
	size_t at = (size_t)(history->end - history->first);

	if (!item)
		return no_memory(history);
	item->position = batch->position;
	item->number = batch->number;
	item->run = *batch->run;
	memcpy(history->compacts + at, batch->compacts, batch->count * sizeof(*batch->compacts));
	struct ear_compact_run one = *batch->run;
	one.count = 1;
	for (size_t i = 0; i < batch->count; i++)
		log_record(history, at + i,
			&(struct ear_source_run){.run = &one, .compacts = &batch->compacts[i]});
	history->end += batch->count;
	return 0;
}

static int keep_record(struct ear_history *history, const struct ear_batch *batch)
{
	size_t size = sizeof(struct ear_record) + ear_record_clone_size(batch->record);
	struct item *item = add_item(history);
	struct ear_record *record = item ? malloc(size + 8) : NULL;

	if (!record)
		return no_memory(history);
	ear_record_clone(record, (char *)(record + 1), batch->record);
	item->position = batch->position;
	item->number = batch->number;
	item->record = record;
	history->bytes += size;
	log_record(history, (size_t)(history->end - history->first),
		&(struct ear_source_run){.record = record});
	history->end++;
	return 0;
}

/* The next records of the cursor, up to position to. */
static int read_on(struct ear_history *history, uint64_t to)
{
	struct ear_batch batch;

	while (history->end < to && history->bytes < BYTES_MAX) {
		int result = ear_cursor_next_batch(
			&history->cursor, &batch, (size_t)(to - history->end));
		if (result < 0)
			return ear_trace_fail_reading(history->trace, &history->cursor, result);
		if (result == 0) {
			history->at_end = true;
			return 0;
		}
		if (!reserve_compacts(history, (size_t)(to - history->first)))
			return no_memory(history);
		result = batch.record ? keep_record(history, &batch) : keep_run(history, &batch);
		if (result)
			return result;
		if (ear_meter_pass(&history->meter, batch.count))
			return ear_trace_fail(history->trace, EAR_E_CANCELLED, "cancelled");
	}
	return 0;
}

static const struct item *item_at(const struct ear_history *history, uint64_t position)
{
	size_t low = 0, high = history->item_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (history->items[middle].position <= position)
			low = middle;
		else
			high = middle;
	}
	return &history->items[low];
}

/* Records of the window from position on, of one item: count of them, or fewer. */
static size_t take(struct ear_history *history, uint64_t position, uint64_t to,
	const struct item **item, struct ear_compact_run *run)
{
	*item = item_at(history, position);
	if ((*item)->record)
		return 1;
	size_t at = (size_t)(position - (*item)->position);
	uint64_t left = (*item)->run.count - at;
	*run = (*item)->run;
	run->count = (size_t)(left < to - position ? left : to - position);
	run->first_index += at;
	if (run->first_line)
		run->first_line += at;
	if (at > 0)
		run->first_timed = run->all_timed;
	return run->count;
}

/* ---- Registers. ---- */

static int follow(struct ear_history *history, struct ear_state *state, uint64_t from, uint64_t to)
{
	while (from < to) {
		const struct item *item;
		struct ear_compact_run run;
		size_t count = take(history, from, to, &item, &run);
		int result = item->record ? ear_state_follow(state, item->record)
					  : ear_state_push_run(state, &run,
						    history->compacts + (from - history->first));
		if (result)
			return ear_trace_fail(history->trace, result,
				result == EAR_E_FULL ? "there are too many harts"
						     : "out of memory");
		from += count;
	}
	return 0;
}

/* The states of all parts, from the first one, which is there. */
static int make_parts(struct ear_history *history)
{
	uint64_t count = history->end - history->first;

	history->part_size = history->size / (PARTS_MAX / 2) + 1;
	if (count / history->part_size >= PARTS_MAX)
		history->part_size = (size_t)(count / PARTS_MAX + 1);
	for (uint64_t at = history->part_size; at < count; at += history->part_size) {
		struct ear_state *state;
		uint64_t from = history->first + at - history->part_size;
		int result = ear_state_clone(&state, history->parts[history->part_count - 1]);
		if (result)
			return no_memory(history);
		history->parts[history->part_count++] = state;
		result = follow(history, state, from, history->first + at);
		if (result)
			return result;
	}
	return 0;
}

/* Let history->state be that at the position. */
static int need_state(struct ear_history *history)
{
	uint64_t at = history->position - history->first;
	size_t part = (size_t)(at / history->part_size);

	if (part >= history->part_count)
		part = history->part_count - 1;
	uint64_t begin = history->first + part * history->part_size;
	if (!history->state || history->state_position > history->position ||
		history->state_position < begin) {
		ear_state_free(history->state);
		history->state = NULL;
		if (ear_state_clone(&history->state, history->parts[part]))
			return no_memory(history);
		history->state_position = begin;
	}
	uint64_t from = history->state_position;
	history->state_position = history->position;
	int result = follow(history, history->state, from, history->position);
	if (result) {
		ear_state_free(history->state);
		history->state = NULL;
	}
	return result;
}

bool ear_history_register(struct ear_history *history, uint16_t hart,
	enum ear_register_class reg_class, unsigned number, uint64_t *value)
{
	unsigned count = reg_class == EAR_REGISTER_CSR ? 4096 : 32;

	if (number >= count || reg_class > EAR_REGISTER_CSR || history->part_count == 0 ||
		need_state(history))
		return false;
	if (reg_class == EAR_REGISTER_X && number == 0) {
		*value = 0;
		return true;
	}
	return ear_state_register(history->state, hart, reg_class, number, value);
}

bool ear_history_next_pc(struct ear_history *history, uint16_t hart, uint64_t *pc)
{
	const struct ear_record *next;

	if (history->part_count == 0 || need_state(history))
		return false;
	if (ear_state_next_pc(history->state, hart, pc))
		return true;
	next = ear_history_record(history, history->position);
	if (!next || next->hart != hart || next->kind != EAR_RECORD_INSTRUCTION)
		return false;
	*pc = next->pc;
	return true;
}

/* ---- Moving. ---- */

/* The moment goes to the window's beginning. */
static int need_moment(struct ear_history *history, const struct ear_progress *progress)
{
	return history->moment
		       ? ear_moment_move(history->moment, history->first, progress)
		       : ear_moment_new(&history->moment, history->trace, history->first, progress);
}

static int begin_parts(struct ear_history *history, struct ear_state *first)
{
	history->parts[0] = first;
	history->part_count = 1;
	return make_parts(history);
}

/* The cursor goes to the first record, which the moment is at. */
static int seek(struct ear_history *history)
{
	const struct ear_index_walk *walk = ear_moment_walk(history->moment);

	return walk && history->cursor.index
		       ? ear_cursor_join(&history->cursor, walk, &history->meter)
		       : ear_cursor_seek(&history->cursor, history->first, &history->meter);
}

/* A window from first on, of history->size records. */
static int load(struct ear_history *history, uint64_t first, const struct ear_progress *progress)
{
	struct ear_state *state;

	drop_window(history);
	history->first = history->end = first;
	int result = need_moment(history, progress);
	if (result)
		return result;
	/* What lies beyond the end is the end. */
	history->first = history->end = ear_moment_position(history->moment);
	ear_cursor_use_index(&history->cursor, history->trace->index);
	ear_meter_begin(&history->meter, progress, "reading", 0);
	result = seek(history);
	if (result < 0)
		return ear_trace_fail_reading(history->trace, &history->cursor, result);
	result = read_on(history, history->first + history->size);
	if (result == 0 && ear_state_clone(&state, ear_moment_state(history->moment)))
		result = no_memory(history);
	return result ? result : begin_parts(history, state);
}

/* Forget the records before position, of which the states are known. */
static int forget_before(struct ear_history *history, uint64_t position)
{
	struct ear_state *state;
	size_t dropped = (size_t)(position - history->first);
	size_t left = (size_t)(history->end - position), items = 0;
	uint32_t logged = history->log_counts[dropped];

	history->position = position;
	if (need_state(history) || ear_state_clone(&state, history->state))
		return no_memory(history);
	while (items < history->item_count && history->items[items].position < position) {
		struct item *item = &history->items[items];
		size_t count = item->record ? 1 : item->run.count;
		if (item->position + count > position)
			break;
		if (item->record)
			history->bytes -=
				sizeof(*item->record) + ear_record_clone_size(item->record);
		free(item->record);
		items++;
	}
	history->item_count -= items;
	memmove(history->items, history->items + items,
		history->item_count * sizeof(*history->items));
	memmove(history->compacts, history->compacts + dropped, left * sizeof(*history->compacts));
	memmove(history->log_counts, history->log_counts + dropped,
		left * sizeof(*history->log_counts));
	for (size_t i = 0; i < left; i++)
		history->log_counts[i] -= logged;
	struct ear_index_log *log = &history->log;
	log->count -= logged;
	memmove(log->addresses, log->addresses + logged, log->count * sizeof(*log->addresses));
	memmove(log->values, log->values + logged, log->count * sizeof(*log->values));
	memmove(log->forms, log->forms + logged, log->count);
	drop_states(history);
	history->parts[0] = state;
	history->part_count = 1;
	history->first = position;
	history->log_asked = false;
	memset(history->bases, 0, sizeof(history->bases));
	memset(history->recent, 0, sizeof(history->recent));
	return 0;
}

/* The window after this one, which keeps some of it. */
static int slide(struct ear_history *history, const struct ear_progress *progress)
{
	/* At the beginning of a run, so that no item is cut. */
	uint64_t position = item_at(history, history->end - behind(history->size))->position;

	if (history->log.failed)
		return load(history, position, progress);
	int result = forget_before(history, position);
	if (result)
		return result;
	ear_meter_begin(&history->meter, progress, "reading", 0);
	result = read_on(history, history->first + history->size);
	return result ? result : make_parts(history);
}

static int move_out(
	struct ear_history *history, uint64_t position, const struct ear_progress *progress)
{
	size_t size = least(history);
	bool loaded = history->part_count > 0;

	if (loaded && position == history->end && !history->at_end &&
		history->end - history->first > history->size / 2 &&
		history->cursor.position == history->end && history->cursor.source &&
		history->size == size)
		return slide(history, progress);
	/* Further back, and again: larger steps. */
	if (loaded && position < history->first &&
		history->first - position <= behind(history->size))
		size = history->size < WINDOW_MAX / 2 ? 2 * history->size : WINDOW_MAX;
	bool back = loaded && position < history->first;
	size_t before = back ? size - behind(size) : behind(size);
	history->size = size;
	return load(history, position > before ? position - before : 0, progress);
}

/* The window before the end, which was found by looking for something after it. */
static int load_before_end(struct ear_history *history, const struct ear_progress *progress)
{
	size_t before = history->size - behind(history->size);

	return load(history, history->end > before ? history->end - before : 0, progress);
}

static bool is_inside(const struct ear_history *history, uint64_t position)
{
	return history->part_count > 0 && position >= history->first &&
	       (position < history->end || (position == history->end && history->at_end));
}

int ear_history_move(
	struct ear_history *history, uint64_t position, const struct ear_progress *progress)
{
	struct ear_trace *trace = history->trace;
	uint64_t before = history->position;

	/* Beyond the end, which is known. */
	if (history->at_end && position > history->end)
		position = history->end;
	if (is_inside(history, position)) {
		history->position = position;
		return 0;
	}
	int result = ear_trace_need_index(trace, progress);
	if (result == 0 && trace->index && position > ear_index_totals(trace->index).records)
		position = ear_index_totals(trace->index).records;
	if (result == 0)
		result = move_out(history, position, progress);
	/* Records may have run out of their memory before the position. */
	while (result == 0 && position > history->end && !history->at_end)
		result = load(history, history->end, progress);
	if (result == 0 && position == history->end && !history->at_end)
		result = load(history, position, progress);
	if (result == 0 && position > history->end)
		position = history->end;
	if (result == 0 && history->first == history->end && position > 0)
		result = load_before_end(history, progress);
	history->position = position;
	if (result) {
		drop_window(history);
		history->position = before;
	}
	return result;
}

int ear_history_new(struct ear_history **history, struct ear_trace *trace, uint64_t position,
	const struct ear_progress *progress)
{
	int result = ear_trace_need_places(trace, "going back");

	if (result == 0)
		result = ear_trace_need_private_index(trace, progress);
	if (result)
		return result;
	struct ear_history *made = calloc(1, sizeof(*made));
	if (!made)
		return ear_trace_fail(trace, EAR_E_NO_MEMORY, "out of memory");
	made->trace = trace;
	made->size = least(made);
	made->cursor = ear_trace_cursor(trace);
	result = ear_history_move(made, position, progress);
	if (result) {
		ear_history_free(made);
		return result;
	}
	*history = made;
	return 0;
}

void ear_history_free(struct ear_history *history)
{
	if (!history)
		return;
	drop_window(history);
	ear_moment_free(history->moment);
	ear_moment_free(history->exact);
	ear_cursor_close(&history->cursor);
	ear_index_log_fini(&history->log);
	free(history->items);
	free(history->compacts);
	free(history->log_counts);
	free(history);
}

uint64_t ear_history_position(const struct ear_history *history)
{
	return history->position;
}

int ear_history_begin(struct ear_history *history, struct ear_moment **moment,
	const struct ear_progress *progress)
{
	if (history->part_count == 0)
		return ear_trace_fail(
			history->trace, EAR_E_BAD_ARGUMENT, "the history is at no position");
	int result = need_moment(history, progress);
	*moment = history->moment;
	return result;
}

bool ear_history_window(const struct ear_history *history, uint64_t *first, uint64_t *end)
{
	*first = history->first;
	*end = history->end;
	return history->at_end;
}

int ear_history_batch(struct ear_history *history, uint64_t position, struct ear_batch *batch)
{
	const struct item *item;

	if (batch->size < sizeof(batch->size))
		return EAR_E_BAD_ARGUMENT;
	if (position < history->first || position >= history->end)
		return 0;
	struct ear_batch own = {.size = sizeof(own), .position = position};
	own.count = take(history, position, UINT64_MAX, &item, &history->handed);
	own.number = item->number + (position - item->position);
	if (item->record) {
		own.record = item->record;
	} else {
		own.run = &history->handed;
		own.compacts = history->compacts + (position - history->first);
		own.expanded = &history->expanded;
		ear_compact_run_begin(&history->expanded, own.run);
	}
	return ear_versioned_write(batch, &own, sizeof(own)) ? EAR_E_BAD_ARGUMENT : 1;
}

const struct ear_record *ear_history_record(struct ear_history *history, uint64_t position)
{
	struct ear_batch batch = {.size = sizeof(batch)};

	return ear_history_batch(history, position, &batch) == 1 ? ear_batch_record(&batch, 0)
								 : NULL;
}

/* ---- Memory. ---- */

/* The line at the window's beginning. */
static int need_base(struct ear_history *history, uint64_t address, struct base **base,
	const struct ear_progress *progress)
{
	struct base *kept = &history->bases[address / EAR_MEMORY_LINE % BASES];

	*base = kept;
	if (kept->used && kept->address == address)
		return 0;
	kept->used = false;
	int64_t result = need_moment(history, progress);
	if (result == 0)
		result = ear_moment_memory(history->moment, address, kept->bytes, kept->known,
			EAR_MEMORY_LINE, progress);
	if (result >= 0)
		result = ear_moment_never_known(history->moment, address, &kept->never);
	if (result < 0)
		return (int)result;
	kept->used = true;
	kept->address = address;
	return 0;
}

/* Does the log say what happened between the window's beginning and its end? */
static bool has_log(struct ear_history *history, const struct ear_progress *progress)
{
	if (!history->log_asked) {
		history->log_usable =
			!history->log.failed && need_moment(history, progress) == 0 &&
			ear_moment_has_log(history->moment, history->first, history->end);
		history->log_asked = true;
	}
	return history->log_usable;
}

/* What the log up to the position says of the bytes of a line that are not settled. Returns false
 * if it cannot say. */
static bool read_log(struct ear_history *history, struct ear_memory_line *line)
{
	struct recent *recent = &history->recent[line->address / EAR_MEMORY_LINE % RECENT];
	const uint64_t asked = ~line->settled;
	struct ear_index_log log = history->log;
	size_t count = history->position < history->end
			       ? history->log_counts[history->position - history->first]
			       : log.count;
	bool known = recent->asked == asked && recent->line.address == line->address &&
		     recent->count <= count;
	size_t begin = known ? recent->count : 0;

	if (begin > 0) { /* an empty log has no arrays */
		log.addresses += begin;
		log.values += begin;
		log.forms += begin;
	}
	log.count = count - begin;
	if (!ear_index_log_lines(&log, line, 1))
		return false;
	if (known)
		ear_memory_line_under(line, &recent->line);
	*recent = (struct recent){.asked = asked, .count = count, .line = *line};
	return true;
}

/* Bytes of one line by the log. Returns 1; 0: it cannot say; or an error. */
static int read_line(struct ear_history *history, uint64_t address, uint8_t *bytes, uint8_t *known,
	size_t size, const struct ear_progress *progress)
{
	struct ear_memory_line line = {.address = address & ~(uint64_t)(EAR_MEMORY_LINE - 1)};
	unsigned at = (unsigned)(address - line.address);
	uint64_t asked = (size < 64 ? ((uint64_t)1 << size) - 1 : UINT64_MAX) << at;
	struct base *base;

	/* Only what is asked for. */
	line.settled = ~asked;
	if (!read_log(history, &line))
		return 0;
	int result = need_base(history, line.address, &base, progress);
	if (result)
		return result;
	for (size_t i = 0; i < size; i++) {
		bool logged = line.settled >> (at + i) & 1;
		bool is_known = logged ? !(base->never >> (at + i) & 1)
				       : base->known[at + i] != EAR_BYTE_UNKNOWN;
		known[i] = !is_known ? EAR_BYTE_UNKNOWN
			   : logged  ? EAR_BYTE_TRACE
				     : base->known[at + i];
		bytes[i] = !is_known ? 0 : logged ? line.bytes[at + i] : base->bytes[at + i];
	}
	return 1;
}

/* The same for any bytes that do not wrap. */
static int read_lines(struct ear_history *history, uint64_t address, uint8_t *bytes, uint8_t *known,
	size_t size, const struct ear_progress *progress)
{
	for (size_t done = 0; done < size;) {
		size_t left = EAR_MEMORY_LINE - (size_t)((address + done) % EAR_MEMORY_LINE);
		size_t part = left < size - done ? left : size - done;
		int result = read_line(
			history, address + done, bytes + done, known + done, part, progress);
		if (result <= 0)
			return result;
		done += part;
	}
	return 1;
}

/* Larger questions are for the moment itself, which answers them faster. */
#define LINES_MAX ((size_t)BASES * EAR_MEMORY_LINE / 2)

static int64_t read_by_log(struct ear_history *history, uint64_t address, uint8_t *bytes,
	uint8_t *known, size_t size, const struct ear_progress *progress)
{
	int64_t count = 0;

	if (size == 0 || size > LINES_MAX || address + (size - 1) < address ||
		!has_log(history, progress))
		return EAR_E_UNSUPPORTED;
	int result = read_lines(history, address, bytes, known, size, progress);
	if (result <= 0)
		return result < 0 ? result : EAR_E_UNSUPPORTED;
	for (size_t i = 0; i < size; i++)
		count += known[i] != EAR_BYTE_UNKNOWN;
	return count;
}

int64_t ear_history_memory(struct ear_history *history, uint64_t address, uint8_t *bytes,
	uint8_t *known, size_t size, const struct ear_progress *progress)
{
	uint8_t own[LINES_MAX];

	if (history->part_count == 0)
		return ear_trace_fail(
			history->trace, EAR_E_BAD_ARGUMENT, "the history is at no position");
	int64_t count = known || size <= sizeof(own) ? read_by_log(history, address, bytes,
							       known ? known : own, size, progress)
						     : EAR_E_UNSUPPORTED;
	if (count != EAR_E_UNSUPPORTED)
		return count;
	int result = history->exact ? ear_moment_move(history->exact, history->position, progress)
				    : ear_moment_new(&history->exact, history->trace,
					      history->position, progress);
	return result ? result
		      : ear_moment_memory(history->exact, address, bytes, known, size, progress);
}
