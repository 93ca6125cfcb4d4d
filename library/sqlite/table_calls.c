/* trace_calls: the calls of a trace, each when it ends; at the end of the trace those that are
 * still active. Only active ones are kept.
 */
#include <earshot/calls.h>
#include <earshot/error.h>
#include <stdlib.h>

#include "library/sqlite/tables.h"

enum { HART, KIND, ENTRY, FUNCTION, CALL_PC, CALLER, ENTERED, LEFT, END, DEPTH, RECORDS };
enum { HARTS = UINT16_MAX + 1 };

static const struct table_column columns[] = {
	{"hart", "INTEGER", TERM_NONE},
	{"kind", "TEXT", TERM_NONE},
	{"entry", "INTEGER", TERM_NONE},
	{"function", "TEXT", TERM_NONE},
	{"call_pc", "INTEGER", TERM_NONE},
	{"caller", "TEXT", TERM_NONE},
	{"entered", "INTEGER", TERM_NONE},
	{"left", "INTEGER", TERM_NONE},
	{"end", "TEXT", TERM_NONE},
	{"depth", "INTEGER", TERM_NONE},
	{"records", "INTEGER", TERM_NONE},
	TABLE_PARAMETERS,
};

struct active {
	struct ear_call_frame frame;
	uint64_t position, records; /* when it was entered: records of its hart before */
	uint64_t order;             /* of entering */
	uint32_t depth, next_free;
	uint16_t hart;
	bool used;
};

struct calls {
	struct ear_calls *calls;
	struct active *active; /* frame with mark m is active[m - 1] */
	uint32_t count, room, first_free;
	uint64_t entered;
	uint64_t *records; /* of each hart so far */
	bool no_memory;
	struct cursor *cursor;
};

static uint32_t entered(void *context, const struct ear_call_change *change)
{
	struct calls *calls = context;
	uint32_t mark = calls->first_free;

	if (mark) {
		calls->first_free = calls->active[mark - 1].next_free;
	} else if (calls->count == calls->room) {
		uint32_t room = calls->room ? calls->room * 2 : 64;
		struct active *grown = realloc(calls->active, room * sizeof(*grown));
		if (!grown) {
			calls->no_memory = true;
			return 1;
		}
		calls->active = grown;
		calls->room = room;
	}
	if (!mark)
		mark = ++calls->count;
	bool below = change->below && change->below <= calls->count;
	calls->active[mark - 1] = (struct active){.frame = change->frame,
		.position = change->position,
		.records = calls->records[change->hart],
		.order = calls->entered++,
		.depth = below ? calls->active[change->below - 1].depth + 1 : 0,
		.hart = change->hart,
		.used = true};
	return mark;
}

static void add(struct calls *calls, const struct active *at)
{
	static const char *const kinds[] = {[EAR_FRAME_BASE] = NULL,
		[EAR_FRAME_CALL] = "call",
		[EAR_FRAME_TRAP] = "trap",
		[EAR_FRAME_INTERRUPT] = "interrupt"};
	struct cursor *cursor = calls->cursor;

	if (!cursor_add_row(cursor))
		return;
	cursor_set_integer(cursor, HART, at->hart);
	cursor_set_literal(cursor, KIND, kinds[at->frame.kind]);
	cursor_set_integer(cursor, ENTRY, at->frame.entry);
	cursor_set_function(cursor, FUNCTION, at->frame.entry);
	cursor_set_integer(cursor, CALL_PC, at->frame.call_pc);
	cursor_set_function(cursor, CALLER, at->frame.call_pc);
	cursor_set_integer(cursor, ENTERED, at->position);
	cursor_set_integer(cursor, DEPTH, at->depth);
	cursor_set_integer(cursor, RECORDS, calls->records[at->hart] - at->records);
}

static void left(void *context, const struct ear_call_change *change)
{
	static const char *const ends[] = {[EAR_CALL_RETURNED] = "returned",
		[EAR_CALL_UNWOUND] = "unwound",
		[EAR_CALL_FORGOTTEN] = "forgotten"};
	struct calls *calls = context;

	if (change->mark == 0 || change->mark > calls->count)
		return;
	struct active *at = &calls->active[change->mark - 1];
	add(calls, at);
	cursor_set_integer(calls->cursor, LEFT, change->position);
	cursor_set_literal(calls->cursor, END, ends[change->end]);
	at->used = false;
	at->next_free = calls->first_free;
	calls->first_free = change->mark;
}

static int take(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t path)
{
	struct calls *calls = context;
	uint16_t hart = batch->run ? batch->run->hart : batch->record->hart;

	(void)first;
	(void)path;
	calls->records[hart] += count;
	return 0;
}

static void end(struct cursor *cursor)
{
	struct calls *calls = cursor->private;

	if (!calls)
		return;
	ear_calls_free(calls->calls);
	free(calls->active);
	free(calls->records);
	free(calls);
}

static int begin(struct cursor *cursor)
{
	struct calls *calls = calloc(1, sizeof(*calls));
	int result = EAR_E_NO_MEMORY;

	cursor->private = calls;
	cursor->from = 0;
	if (!calls)
		return result;
	calls->cursor = cursor;
	calls->records = calloc(HARTS, sizeof(*calls->records));
	if (calls->records)
		result = ear_calls_new(&calls->calls, NULL);
	if (result == 0) {
		const struct ear_calls_watch watch = {
			.size = sizeof(watch), .entered = entered, .left = left, .context = calls};
		result = ear_calls_set_watch(calls->calls, &watch);
	}
	if (result == 0 && ear_trace_position(cursor->trace) != 0) {
		result = ear_trace_seek(cursor->trace, 0, NULL);
		if (result < 0)
			cursor_fail(cursor, ear_trace_error(cursor->trace));
	}
	return result < 0 ? result : 0;
}

static int compare_order(const void *a, const void *b)
{
	uint64_t x = ((const struct active *)a)->order, y = ((const struct active *)b)->order;

	return x < y ? -1 : x > y;
}

/* The trace ended: what is still active, in the order in which it was entered. */
static int finish(struct cursor *cursor)
{
	struct calls *calls = cursor->private;
	int result = ear_calls_end(calls->calls);

	cursor->from = UINT64_MAX;
	if (calls->count > 0)
		qsort(calls->active, calls->count, sizeof(*calls->active), compare_order);
	for (uint32_t i = 0; i < calls->count; i++)
		if (calls->active[i].used)
			add(calls, &calls->active[i]);
	return result;
}

static int fill(struct cursor *cursor)
{
	struct calls *calls = cursor->private;
	struct ear_batch batch = {.size = sizeof(batch)};
	size_t goal = cursor_goal(cursor);

	while (cursor->from != UINT64_MAX && cursor->row_count < goal && !cursor->no_memory) {
		if (cursor_is_interrupted(cursor))
			return EAR_E_CANCELLED;
		int result = ear_trace_next_batch(cursor->trace, &batch);
		if (result < 0) {
			cursor_fail(cursor, ear_trace_error(cursor->trace));
			return result;
		}
		result = result == 1 ? ear_calls_batch(calls->calls, &batch, take, calls)
				     : finish(cursor);
		if (result == EAR_E_FULL)
			cursor_fail(cursor, "the trace has more than 1024 harts");
		if (result || calls->no_memory)
			return result ? result : EAR_E_NO_MEMORY;
	}
	return 0;
}

const struct table table_calls = {
	.name = "trace_calls",
	.columns = columns,
	.count = sizeof(columns) / sizeof(columns[0]),
	.parameters = 4,
	.names_for = 1u << FUNCTION | 1u << CALLER,
	.begin = begin,
	.fill = fill,
	.end = end,
};
