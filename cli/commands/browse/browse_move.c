/* Moves of the cursor. Over and out follow the tree of calls as far as the window reaches, and then
 * search for the place that the call returns to, with the stack pointer that it began with: the
 * same rule as of the moment `crc:return`. So a call of a billion records costs one search.
 */
#include "cli/commands/browse/browse_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/moment.h>
#include <earshot/moment_text.h>

#define FAR ((uint64_t)1 << 20) /* records that are looked at for the next one of a hart */

/* ---- Rows. ---- */

static int no_row(struct browse_model *model, bool forward)
{
	return browse_none(model, forward ? "this is the last record" : "this is the first record");
}

/* The record after a fold of which the window does not have the end. */
static int pass_fold(
	struct browse_model *model, const struct browse_row *row, bool forward, uint64_t *position)
{
	if (!row->cut) {
		*position = forward ? row->last + 1 : row->first - 1;
		return 1;
	}
	const uint64_t cursor = model->cursor;
	int result = browse_over(model, forward ? EAR_FORWARD : EAR_BACKWARD);
	*position = model->cursor;
	if (result == 1 && *position == cursor)
		result = 0;
	return result;
}

/* One row further from position. Returns as a move, and *position. */
static int next_row(struct browse_model *model, bool forward, uint64_t *position)
{
	struct browse_row row;

	if (!forward) {
		if (!browse_row_before(model, *position, &row))
			return 0;
		if (row.fold && row.first == 0)
			return 0;
		if (row.fold)
			return pass_fold(model, &row, false, position);
		*position = row.first;
		return 1;
	}
	if (!browse_row_at(model, *position + 1, &row))
		return 0;
	if (!row.fold) {
		*position = row.first;
		return 1;
	}
	if (!row.cut && !browse_model_record(model, row.last + 1))
		return 0;
	return pass_fold(model, &row, true, position);
}

int browse_rows(struct browse_model *model, int64_t count)
{
	const bool forward = count > 0;
	uint64_t position = model->cursor;
	uint64_t left = (uint64_t)(forward ? count : -count);

	if (model->empty)
		return browse_none(model, "there are no records in it");
	if (model->fold == BROWSE_FOLD_NONE) {
		position = forward ? position + left : position > left ? position - left : 0;
		if (!forward && model->cursor == 0)
			return no_row(model, false);
		const uint64_t before = model->cursor;
		int result = browse_go(model, position);
		return result == 1 && model->cursor == before ? no_row(model, forward) : result;
	}
	int result = 1;
	for (; left > 0 && result == 1; left--)
		result = next_row(model, forward, &position);
	if (result < 0)
		return result;
	if (position == model->cursor)
		return result == 1 ? 1 : no_row(model, forward);
	return browse_go(model, position);
}

/* ---- Records of a hart. ---- */

static uint16_t hart_of(struct browse_model *model)
{
	const struct ear_record *record = browse_model_record(model, model->cursor);

	return record ? record->hart : 0;
}

/* The next record of the hart, of any kind but what is of no hart. Returns 1, or 0. */
static int near(struct browse_model *model, uint16_t hart, uint64_t from,
	enum ear_direction direction, uint64_t *position)
{
	uint64_t at = from;

	for (uint64_t i = 0; i < FAR; i++) {
		if (direction == EAR_BACKWARD && at == 0)
			return 0;
		at = direction == EAR_FORWARD ? at + 1 : at - 1;
		const struct ear_record *record = browse_model_record(model, at);
		if (!record)
			return 0;
		if (record->kind == EAR_RECORD_GAP || record->hart == hart) {
			*position = at;
			return 1;
		}
	}
	return 0;
}

int browse_step(struct browse_model *model, enum ear_direction direction)
{
	uint64_t position;

	if (model->empty)
		return browse_none(model, "there are no records in it");
	if (near(model, hart_of(model), model->cursor, direction, &position) != 1)
		return no_row(model, direction == EAR_FORWARD);
	return browse_go(model, position);
}

/* ---- The end of a call. ---- */

/* Is the call of frame still active before the record at position? Returns 1, 0 or an error. */
static int is_active(struct browse_model *model, const struct browse_node *node, uint64_t position)
{
	const size_t max = 4096;
	struct ear_call_frame *frames = calloc(max, sizeof(*frames));
	struct ear_moment *moment = NULL;
	int64_t count = frames ? 0 : EAR_E_NO_MEMORY;
	int active = 0;

	if (count == 0)
		count = ear_moment_new(&moment, model->trace, position, model->progress);
	if (count == 0)
		count = ear_moment_stack(
			moment, node->hart, frames, sizeof(*frames), max, model->progress);
	for (int64_t i = 0; i < count && i < (int64_t)max; i++)
		active |= frames[i].kind != EAR_FRAME_BASE &&
			  frames[i].position == node->frame.position;
	ear_moment_free(moment);
	free(frames);
	return count < 0 ? (int)count : active;
}

/* The first record after the call, by where it returns to. Returns 1 and *position, 0 or an error.
 */
static int search_end(struct browse_model *model, const struct browse_node *node, uint64_t from,
	uint64_t *position)
{
	const uint64_t pc = node->frame.return_pc;
	const struct ear_span spans[] = {{pc, pc}, {pc + 2, pc + 2}, {pc + 4, pc + 4}};
	struct ear_query query = EAR_QUERY_ANY;
	uint64_t at = from, sp;

	query.hart = node->hart;
	query.pcs = spans;
	query.pc_count = node->frame.kind == EAR_FRAME_CALL ? 1 : 3;
	for (;; at++) {
		int result =
			ear_trace_find(model->trace, &query, at, EAR_FORWARD, &at, model->progress);
		if (result != 1)
			return result;
		if (node->frame.sp_known) {
			browse_model_record(model, at); /* the window of around is there */
			result = ear_history_move(model->around ? model->around : model->history,
				at, model->progress);
			if (result)
				return result;
			if (ear_history_register(model->around ? model->around : model->history,
				    node->hart, EAR_REGISTER_X, 2, &sp) &&
				sp != node->frame.sp)
				continue;
		}
		result = is_active(model, node, at);
		if (result < 0)
			return result;
		if (result == 0) {
			*position = at;
			return 1;
		}
	}
}

/* The first record of its hart that is not in the node any more, from position on. */
static int end_of(struct browse_model *model, uint32_t number, uint64_t position, uint64_t *end)
{
	const struct browse_calls *calls = browse_model_calls(model);
	const struct browse_node node = calls->nodes[number];
	uint64_t at = position;
	uint32_t last = 0;

	for (; at < calls->end; at++) {
		const uint32_t other = browse_calls_node(calls, at);
		if (other == last && last)
			continue;
		const struct ear_record *record = browse_model_record(model, at);
		if (record && record->kind != EAR_RECORD_GAP && record->hart != node.hart)
			continue;
		if (!browse_calls_inside(calls, other, number)) {
			*end = at;
			return 1;
		}
		last = other;
	}
	if (!browse_model_record(model, at))
		return 0;
	return node.kind == BROWSE_NODE_FRAME ? search_end(model, &node, at, end) : 0;
}

static int over_forward(struct browse_model *model)
{
	const struct browse_calls *calls = browse_model_calls(model);
	const uint32_t here = browse_calls_frame(calls, browse_calls_node(calls, model->cursor));
	uint64_t next, end;

	if (near(model, hart_of(model), model->cursor, EAR_FORWARD, &next) != 1)
		return no_row(model, true);
	const uint32_t frame = browse_calls_frame(calls, browse_calls_node(calls, next));
	if (next >= calls->end || frame == here || !browse_calls_inside(calls, frame, here))
		return browse_go(model, next);
	int result = end_of(model, frame, next, &end);
	if (result < 0)
		return browse_fail(model, result);
	if (result == 0)
		return browse_none(model, "the call does not return");
	return browse_go(model, end);
}

/* The frame inside of here that a record is in, the outermost one; 0: it is not inside. */
static uint32_t called_from(const struct browse_calls *calls, uint32_t here, uint32_t node)
{
	uint32_t found = 0;

	while (node && node != here) {
		if (calls->nodes[node].kind == BROWSE_NODE_FRAME)
			found = node;
		node = calls->nodes[node].parent;
	}
	return node == here ? found : 0;
}

static int over_backward(struct browse_model *model)
{
	const struct browse_calls *calls = browse_model_calls(model);
	const uint32_t here = browse_calls_frame(calls, browse_calls_node(calls, model->cursor));
	uint64_t before;

	if (near(model, hart_of(model), model->cursor, EAR_BACKWARD, &before) != 1)
		return no_row(model, false);
	const uint32_t called = called_from(calls, here, browse_calls_node(calls, before));
	return browse_go(model, called ? calls->nodes[called].frame.position : before);
}

int browse_over(struct browse_model *model, enum ear_direction direction)
{
	if (model->empty)
		return browse_none(model, "there are no records in it");
	return direction == EAR_FORWARD ? over_forward(model) : over_backward(model);
}

int browse_out(struct browse_model *model, enum ear_direction direction)
{
	const struct browse_calls *calls = browse_model_calls(model);
	const uint32_t here = browse_calls_frame(calls, browse_calls_node(calls, model->cursor));
	uint64_t end;

	if (model->empty)
		return browse_none(model, "there are no records in it");
	if (!here)
		return browse_none(
			model, calls->known ? "who called this function is not known: the trace "
					      "begins, or has a gap, after the call"
					    : "the trace shows no calls here");
	if (direction == EAR_BACKWARD)
		return browse_jump(model, calls->nodes[here].frame.position);
	int result = end_of(model, here, model->cursor, &end);
	if (result < 0)
		return browse_fail(model, result);
	if (result == 0)
		return browse_none(model, "the function does not return");
	return browse_jump(model, end);
}

/* ---- Lines. ---- */

struct place {
	const char *path;
	uint32_t line, frame;
	uint64_t pc;
};

static bool place_of(struct browse_model *model, struct place *place)
{
	const struct ear_record *record = browse_model_record(model, model->cursor);
	struct ear_line line = {.size = sizeof(line)};
	const struct browse_calls *calls = browse_model_calls(model);

	if (!record || record->kind != EAR_RECORD_INSTRUCTION)
		return false;
	const uint64_t pc = record->pc;
	*place = (struct place){.pc = pc,
		.frame = browse_calls_frame(calls, browse_calls_node(calls, model->cursor))};
	if (!model->names || !ear_names_line_at(model->names, pc, &line))
		return false;
	place->path = line.path;
	place->line = line.line;
	return true;
}

static bool same_line(const struct place *a, const struct place *b)
{
	return a->line == b->line && a->path && b->path && strcmp(a->path, b->path) == 0;
}

/* Over records until the line is another one: forward its first record, backward that of the line
 * before. Instructions without a line are passed. */
int browse_line(struct browse_model *model, enum ear_direction direction)
{
	struct place from = {0}, at = {0};
	const uint64_t begin = model->cursor;
	const bool has_line = place_of(model, &from);
	int result;

	do {
		result = browse_over(model, direction);
		if (result == 1 && model->progress && model->progress->call &&
			model->progress->call(model->progress->context, 0, 0, "stepping"))
			result = EAR_E_CANCELLED;
	} while (result == 1 && (!place_of(model, &at) || (has_line && same_line(&from, &at))));
	if (result < 0) {
		browse_fail(model, result);
		browse_go(model, begin);
		return result;
	}
	if (result == 0 && model->cursor == begin)
		return 0;
	/* To the begin of that line. */
	while (direction == EAR_BACKWARD && result == 1) {
		const uint64_t here = model->cursor;
		struct place before;
		result = browse_over(model, direction);
		if (result == 1 && (!place_of(model, &before) || !same_line(&before, &at)))
			return browse_go(model, here);
	}
	return result < 0 ? result : 1;
}

/* ---- Searches. ---- */

int browse_find(struct browse_model *model, const struct ear_query *query,
	enum ear_direction direction, const char *what)
{
	const bool forward = direction == EAR_FORWARD;
	uint64_t position;

	if (model->empty)
		return browse_none(model, "there are no records in it");
	int result = ear_trace_find(model->trace, query, model->cursor + forward, direction,
		&position, model->progress);
	if (result < 0)
		return browse_fail(model, result);
	if (result == 0)
		return browse_none(
			model, "there is no %s %s this record", what, forward ? "after" : "before");
	return browse_jump(model, position);
}

/* Calls are changes of the tree in the window, and jumps that link beyond it. */
static int find_change(struct browse_model *model, enum ear_direction direction, bool call)
{
	const bool forward = direction == EAR_FORWARD;
	const uint64_t begin = model->cursor;
	const uint16_t hart = hart_of(model);
	uint64_t at = begin, next;
	int result = 1;

	if (!browse_model_calls(model)->known)
		return browse_none(model, "the trace shows no calls here");
	while (near(model, hart, at, direction, &next) == 1) {
		if (next < model->calls.first || next + 1 >= model->calls.end) {
			result = browse_go(model, next);
			if (result != 1)
				break;
			browse_model_calls(model);
		}
		uint64_t after;
		at = next;
		if (near(model, hart, at, EAR_FORWARD, &after) != 1)
			continue;
		const struct browse_calls *calls = &model->calls;
		const uint32_t here = browse_calls_frame(calls, browse_calls_node(calls, at));
		const uint32_t then = browse_calls_frame(calls, browse_calls_node(calls, after));
		if (here == then || after >= calls->end)
			continue;
		const bool enters = browse_calls_inside(calls, then, here);
		if (enters != call)
			continue;
		if (browse_go(model, begin) == 1)
			result = browse_jump(model, at);
		return result;
	}
	if (result < 0)
		browse_fail(model, result);
	browse_go(model, begin);
	return result < 0 ? result
			  : browse_none(model, "there is no %s %s this record",
				    call ? "call" : "return", forward ? "after" : "before");
}

int browse_call(struct browse_model *model, enum ear_direction direction)
{
	return find_change(model, direction, true);
}

int browse_return(struct browse_model *model, enum ear_direction direction)
{
	return find_change(model, direction, false);
}

int browse_leave_loop(struct browse_model *model, enum ear_direction direction)
{
	const struct browse_calls *calls = browse_model_calls(model);
	uint32_t node = browse_calls_node(calls, model->cursor);
	const bool forward = direction == EAR_FORWARD;

	if (calls->node_count == 0 || calls->nodes[node].kind != BROWSE_NODE_LOOP)
		return browse_none(
			model, "no loop was seen to repeat here: go to its second round");
	const struct browse_node *loop = &calls->nodes[node];
	const uint64_t low = loop->low, high = loop->high;
	const uint32_t frame = browse_calls_frame(calls, node);
	uint64_t at = model->cursor, begin = at;
	/* Within the window by the tree, and beyond it by a search for what is not the loop. */
	while (forward ? at + 1 < calls->end : at > calls->first) {
		at = forward ? at + 1 : at - 1;
		const struct ear_record *record = browse_model_record(model, at);
		if (record && record->kind == EAR_RECORD_INSTRUCTION &&
			record->hart == loop->hart &&
			browse_calls_frame(calls, browse_calls_node(calls, at)) == frame &&
			(record->pc < low || record->pc > high))
			return browse_jump(model, at);
		if (!browse_calls_inside(calls, browse_calls_node(calls, at), frame))
			return browse_jump(model, at);
	}
	struct ear_span others[2];
	struct ear_query query = EAR_QUERY_ANY;
	if (low > 0)
		others[query.pc_count++] = (struct ear_span){0, low - 1};
	if (high < UINT64_MAX)
		others[query.pc_count++] = (struct ear_span){high + 1, UINT64_MAX};
	query.pcs = others;
	query.hart = loop->hart;
	int result = ear_trace_find(model->trace, &query, at, direction, &begin, model->progress);
	if (result < 0)
		return browse_fail(model, result);
	return result == 0 ? browse_none(model, "the loop is not left %s this record",
				     forward ? "after" : "before")
			   : browse_jump(model, begin);
}

/* ---- Places. ---- */

int browse_moment(struct browse_model *model, const char *text)
{
	struct ear_moment_place place = {.size = sizeof(place)};
	uint64_t number = UINT64_MAX;

	if (model->empty)
		return browse_none(model, "there are no records in it");
	browse_model_number(model, model->cursor, &number);
	if (!ear_moment_text_check(text, true))
		return browse_none(model,
			"'%.200s' is not a moment: a number, @TICKS, begin, end, "
			"trap, event, gap, a function, FILE:LINE; also +5, -5",
			text);
	int result = ear_trace_find_moment(
		model->trace, text, model->names, number, &place, model->progress);
	if (result < 0)
		return browse_fail(model, result);
	if (result == 0)
		return browse_none(model, "%s", ear_trace_error(model->trace));
	/* A mark is between two records: what was known then is shown at the one before. */
	if (strncmp(text, "mark=", 5) == 0 && place.before == place.after && place.before > 0)
		place.before--;
	return browse_jump(model, place.before);
}

int browse_percent(struct browse_model *model, double percent)
{
	if (!model->counted)
		return browse_none(model, "how long the trace is is not known without an index: "
					  "go to its end first (G)");
	if (!(percent >= 0 && percent <= 100))
		return browse_none(model, "a part of the trace is 0 to 100 percent");
	const uint64_t records = model->counts.records;
	const double at = percent / 100.0 * (double)records;
	uint64_t position = at >= (double)records ? records : (uint64_t)at;
	return browse_jump(model, position >= records && records > 0 ? records - 1 : position);
}
