/* The record that the cursor is on, and what is around it. A history of the library has the records
 * of a window, the registers and the memory; a second one is for rows outside of that window, so
 * that the first one stays where the cursor is. A key that stays in the window costs microseconds,
 * one that leaves it what a moment of the index costs.
 */
#include "cli/commands/browse/browse_model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/moment.h>

int browse_none(struct browse_model *model, const char *form, ...)
{
	va_list arguments;

	va_start(arguments, form);
	vsnprintf(model->why, sizeof(model->why), form, arguments);
	va_end(arguments);
	return 0;
}

int browse_fail(struct browse_model *model, int result)
{
	const char *sentence = ear_trace_error(model->trace);

	if (result == EAR_E_CANCELLED)
		sentence = "interrupted";
	else if (sentence[0] == '\0')
		sentence = ear_error_text((enum ear_error)result);
	snprintf(model->why, sizeof(model->why), "%s", sentence);
	return result;
}

/* ---- Records. ---- */

const struct ear_record *browse_model_record(struct browse_model *model, uint64_t position)
{
	const struct ear_record *record = ear_history_record(model->history, position);

	if (record || (model->counted && position >= model->counts.records))
		return record;
	record = model->around ? ear_history_record(model->around, position) : NULL;
	if (record)
		return record;
	uint64_t first, end;
	if (ear_history_window(model->history, &first, &end) && position >= end)
		return NULL;
	if (!model->around) {
		if (ear_history_new(&model->around, model->trace, position, model->progress))
			return NULL;
	} else if (ear_history_move(model->around, position, model->progress)) {
		return NULL;
	}
	return ear_history_record(model->around, position);
}

bool browse_model_number(struct browse_model *model, uint64_t position, uint64_t *number)
{
	struct ear_batch batch = {.size = sizeof(batch)};

	if (!browse_model_record(model, position))
		return false;
	if (ear_history_batch(model->history, position, &batch) != 1 &&
		(!model->around || ear_history_batch(model->around, position, &batch) != 1))
		return false;
	*number = batch.number;
	return true;
}

double browse_model_percent(const struct browse_model *model)
{
	if (!model->counted || model->counts.records == 0)
		return -1;
	if (model->cursor + 1 >= model->counts.records)
		return 100;
	return 100.0 * (double)model->cursor / (double)model->counts.records;
}

const struct browse_calls *browse_model_calls(struct browse_model *model)
{
	uint64_t first, end;

	ear_history_window(model->history, &first, &end);
	if (model->calls.node_count == 0 || model->calls.first != first || model->calls.end != end)
		browse_calls_read(&model->calls, model->history, model->progress);
	return &model->calls;
}

/* ---- Going. ---- */

/* The end of the trace is in the window: what it has is known without an index, too. */
static void note_end(struct browse_model *model)
{
	uint64_t first, end, number;

	if (model->counted || !ear_history_window(model->history, &first, &end) || end == 0)
		return;
	if (!browse_model_number(model, end - 1, &number))
		return;
	const struct ear_record *record = ear_history_record(model->history, end - 1);
	model->counts.records = end;
	model->counts.instructions = number + (record->kind == EAR_RECORD_INSTRUCTION);
	model->counted = true;
}

/* The history is after the record, with the record in its window. Returns 0, with the record that
 * it is, or an error. */
static int place(struct browse_model *model, uint64_t *position)
{
	const uint64_t after = *position < UINT64_MAX ? *position + 1 : *position;
	int result = ear_history_move(model->history, after, model->progress);

	if (result)
		return result;
	const uint64_t at = ear_history_position(model->history);
	*position = at > 0 ? at - 1 : 0;
	if (at > 0 && !ear_history_record(model->history, at - 1)) {
		result = ear_history_move(model->history, at - 1, model->progress);
		if (result == 0)
			result = ear_history_move(model->history, at, model->progress);
	}
	return result;
}

int browse_go(struct browse_model *model, uint64_t position)
{
	const uint64_t before = model->cursor;

	if (model->empty)
		return browse_none(model, "there are no records in it");
	int result = place(model, &position);
	if (result) {
		browse_fail(model, result);
		uint64_t back = before;
		place(model, &back);
		return result;
	}
	model->cursor = position;
	note_end(model);
	return 1;
}

static void leave_trail(struct browse_model *model, uint64_t from)
{
	if (model->trail_at == BROWSE_TRAIL_MAX - 1) {
		memmove(model->trail, model->trail + 1,
			(BROWSE_TRAIL_MAX - 1) * sizeof(model->trail[0]));
		model->trail_at--;
	}
	model->trail[model->trail_at++] = from;
	model->trail_count = model->trail_at;
}

int browse_jump(struct browse_model *model, uint64_t position)
{
	const uint64_t from = model->cursor;
	int result = browse_go(model, position);

	if (result == 1 && model->cursor != from)
		leave_trail(model, from);
	return result;
}

int browse_back(struct browse_model *model)
{
	if (model->trail_at == 0)
		return browse_none(model, "there was no jump before");
	const uint64_t from = model->cursor;
	int result = browse_go(model, model->trail[model->trail_at - 1]);
	if (result == 1) {
		if (model->trail_at == model->trail_count)
			model->trail_count++;
		model->trail[model->trail_at] = from;
		model->trail_at--;
	}
	return result;
}

int browse_forth(struct browse_model *model)
{
	if (model->trail_at + 1 >= model->trail_count)
		return browse_none(model, "there is nothing to go forth to: no `back` was before");
	const uint64_t from = model->cursor;
	int result = browse_go(model, model->trail[model->trail_at + 1]);
	if (result == 1)
		model->trail[model->trail_at++] = from;
	return result;
}

/* ---- Opening. ---- */

/* From the index, if there is one; else they are known when the end was read. */
static void count(struct browse_model *model)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};

	model->counts = (struct ear_trace_counts){.size = sizeof(model->counts)};
	if (ear_trace_facts(model->trace, &facts) == 0 && facts.has_index)
		model->counted =
			ear_trace_counts(model->trace, &model->counts, model->progress) == 0;
}

/* The last instruction says more than a note of the trace's end. */
int browse_model_end(struct browse_model *model)
{
	const struct ear_query query = {
		.size = sizeof(query), .hart = -1, .kinds = 1u << EAR_RECORD_INSTRUCTION};
	uint64_t position;

	if (model->empty)
		return 0;
	int result = ear_trace_find(
		model->trace, &query, UINT64_MAX, EAR_BACKWARD, &position, model->progress);

	if (result < 0)
		return browse_fail(model, result);
	result = browse_go(model, result == 1 ? position : UINT64_MAX);
	return result < 0 ? result : 0;
}

int browse_model_open(struct browse_model *model, struct ear_trace *trace, struct ear_names *names,
	const struct ear_progress *progress)
{
	*model = (struct browse_model){.trace = trace, .names = names, .progress = progress};
	if (ear_instructions_new(&model->instructions, NULL, NULL))
		return browse_fail(model, EAR_E_NO_MEMORY);
	int result = ear_history_new(&model->history, trace, 0, progress);
	if (result)
		return browse_fail(model, result);
	count(model);
	model->empty = !ear_history_record(model->history, 0);
	result = model->empty ? 0 : browse_go(model, 0);
	return result < 0 ? result : 0;
}

void browse_model_close(struct browse_model *model)
{
	browse_calls_free(&model->calls);
	ear_history_free(model->around);
	ear_history_free(model->history);
	ear_instructions_free(model->instructions);
	model->around = model->history = NULL;
	model->instructions = NULL;
}

/* ---- Rows. ---- */

/* The outermost node of a record that may be folded: the cursor is not in it. 0: none is. */
static uint32_t folded(struct browse_model *model, uint64_t position)
{
	if (model->fold == BROWSE_FOLD_NONE || position == model->cursor)
		return 0;
	const struct browse_calls *calls = browse_model_calls(model);
	const uint32_t here = browse_calls_node(calls, model->cursor);
	uint32_t found = 0;

	for (uint32_t node = browse_calls_node(calls, position); node;
		node = calls->nodes[node].parent) {
		const bool is_loop = calls->nodes[node].kind == BROWSE_NODE_LOOP;
		if (is_loop && model->fold != BROWSE_FOLD_LOOPS)
			continue;
		if (browse_calls_inside(calls, here, node))
			break;
		/* One more round is no line shorter. */
		if (!is_loop || calls->nodes[node].rounds > 1)
			found = node;
	}
	return found;
}

/* As far as the node reaches without another record in between. */
static void extend(struct browse_model *model, uint32_t node, uint64_t position,
	enum ear_direction direction, struct browse_row *row)
{
	const struct browse_calls *calls = &model->calls;
	uint64_t at = position;
	uint32_t last = 0;

	for (;;) {
		const uint64_t next = direction == EAR_FORWARD ? at + 1 : at - 1;
		if ((direction == EAR_FORWARD ? next >= calls->end : at == calls->first) ||
			next == model->cursor)
			break;
		const uint32_t other = browse_calls_node(calls, next);
		if (other != last && !browse_calls_inside(calls, other, node))
			break;
		last = other;
		at = next;
	}
	if (direction == EAR_FORWARD)
		row->last = at;
	else
		row->first = at;
	row->cut |= direction == EAR_FORWARD
			    ? at + 1 >= calls->end && browse_model_record(model, at + 1)
			    : at == calls->first && at > 0;
}

static void make_row(struct browse_model *model, uint64_t position, enum ear_direction direction,
	struct browse_row *row)
{
	const uint32_t node = folded(model, position);

	*row = (struct browse_row){.first = position, .last = position};
	if (!node)
		return;
	extend(model, node, position, direction, row);
	if (row->first == row->last)
		return;
	row->fold = &model->calls.nodes[node];
}

bool browse_row_at(struct browse_model *model, uint64_t position, struct browse_row *row)
{
	if (!browse_model_record(model, position))
		return false;
	make_row(model, position, EAR_FORWARD, row);
	return true;
}

bool browse_row_before(struct browse_model *model, uint64_t position, struct browse_row *row)
{
	if (position == 0 || !browse_model_record(model, position - 1))
		return false;
	make_row(model, position - 1, EAR_BACKWARD, row);
	return true;
}
