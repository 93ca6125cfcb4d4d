/* The tables of a live view: functions and instructions, by hash tables that never shrink. Which
 * function a pc is in is said by the names, as analyses/profile has it: the numbers of both are
 * equal because the rule is the same. A pc is looked up once; its answer is kept.
 */
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/top/top_state.h"

int ear_top_touch(struct ear_top_touched *touched, uint32_t number)
{
	if (touched->count == touched->room) {
		const uint32_t room = touched->room ? 2 * touched->room : 256;
		uint32_t *numbers = realloc(touched->numbers, room * sizeof(*numbers));
		if (!numbers)
			return EAR_E_NO_MEMORY;
		touched->numbers = numbers;
		touched->room = room;
	}
	touched->numbers[touched->count++] = number;
	return 0;
}

/* ---- Functions. ---- */

static uint32_t *find_function(const struct ear_top *top, uint64_t entry, uint16_t hart)
{
	const struct ear_numbering *numbers = &top->function_numbers;
	uint32_t at = ear_numbering_first(numbers, ear_numbering_hash(entry, hart));

	while (numbers->places[at]) {
		const struct ear_top_function *row = &top->functions[numbers->places[at] - 1];
		if (row->entry == entry && row->hart == hart)
			break;
		at = ear_numbering_next(numbers, at);
	}
	return &numbers->places[at];
}

static bool grow_functions(struct ear_top *top)
{
	bool again;
	struct ear_top_function *rows = ear_numbering_grow(
		&top->function_numbers, top->functions, sizeof(*rows), top->function_count, &again);

	if (!rows)
		return false;
	top->functions = rows;
	for (uint32_t i = 0; i < top->function_count && again; i++)
		*find_function(top, rows[i].entry, rows[i].hart) = i + 1;
	return true;
}

static bool is_idle(const struct ear_top *top, uint64_t entry)
{
	for (size_t i = 0; i < top->options.idle_count; i++)
		if (top->idle[i] == entry)
			return true;
	return false;
}

/* Where there are too many, new ones are the unknown function of their hart, of which there may be
 * as many as harts. */
static uint32_t take_function(struct ear_top *top, const char *name, uint64_t entry, uint16_t hart)
{
	if (!grow_functions(top))
		return EAR_TOP_NONE;
	uint32_t *slot = find_function(top, entry, hart);
	if (*slot == 0 && entry != 0 && top->function_count >= top->options.rows_max) {
		top->limited = true;
		name = "";
		entry = 0;
		slot = find_function(top, entry, hart);
	}
	if (*slot == 0) {
		top->functions[top->function_count] = (struct ear_top_function){.name = name,
			.entry = entry,
			.hart = hart,
			.is_idle = entry != 0 && is_idle(top, entry)};
		*slot = ++top->function_count;
	}
	return *slot - 1;
}

static const struct ear_top_place *look_up(struct ear_top *top, uint64_t pc)
{
	struct ear_top_place *place =
		&top->places[ear_numbering_hash(pc, 0) & (EAR_TOP_PLACES - 1)];
	struct ear_function function = {.size = sizeof(function)};

	if (place->known && place->pc == pc)
		return place;
	*place = (struct ear_top_place){
		.known = true, .pc = pc, .first = pc, .last = pc, .name = ""};
	if (!top->options.names || !ear_names_function_at(top->options.names, pc, &function) ||
		!function.name[0])
		return place;
	place->named = true;
	place->first = function.first;
	place->last = function.last;
	place->name = function.name;
	place->entry = function.entry;
	return place;
}

uint32_t ear_top_function_of(struct ear_top *top, uint64_t pc, uint16_t hart, uint32_t path,
	uint64_t *first, uint64_t *last)
{
	const struct ear_top_place *place = look_up(top, pc);
	struct ear_call_path call = {.size = sizeof(call)};

	*first = place->first;
	*last = place->last;
	if (place->named)
		return take_function(top, place->name, place->entry, hart);
	/* Where nothing has a name, what was entered is the function. */
	if (!ear_calls_path(top->calls, path, &call) || call.kind == EAR_FRAME_BASE)
		call.entry = 0;
	return take_function(top, "", call.entry, hart);
}

/* ---- Instructions. ---- */

static uint32_t *find_pc(const struct ear_top *top, uint64_t pc, uint32_t function)
{
	const struct ear_numbering *numbers = &top->pc_numbers;
	uint32_t at = ear_numbering_first(numbers, ear_numbering_hash(pc, function));

	while (numbers->places[at]) {
		const struct ear_top_pc *row = &top->pcs[numbers->places[at] - 1];
		if (row->pc == pc && row->function == function)
			break;
		at = ear_numbering_next(numbers, at);
	}
	return &numbers->places[at];
}

static bool grow_pcs(struct ear_top *top)
{
	bool again;
	struct ear_top_pc *rows = ear_numbering_grow(
		&top->pc_numbers, top->pcs, sizeof(*rows), top->pc_count, &again);

	if (!rows)
		return false;
	top->pcs = rows;
	for (uint32_t i = 0; i < top->pc_count && again; i++)
		*find_pc(top, rows[i].pc, rows[i].function) = i + 1;
	return true;
}

uint32_t ear_top_pc_of(struct ear_top *top, uint64_t pc, uint32_t function, bool *full)
{
	const struct ear_top_function *owner = &top->functions[function];
	struct ear_line line = {.size = sizeof(line)};

	*full = false;
	if (!grow_pcs(top))
		return EAR_TOP_NONE;
	uint32_t *slot = find_pc(top, pc, function);
	if (*slot)
		return *slot - 1;
	if (top->pc_count >= top->options.rows_max) {
		*full = true;
		top->limited = true;
		return EAR_TOP_NONE;
	}
	struct ear_top_pc *row = &top->pcs[top->pc_count];
	*row = (struct ear_top_pc){.pc = pc,
		.function = function,
		.hart = owner->hart,
		.name = owner->name,
		.entry = owner->entry};
	if (top->options.names && ear_names_line_at(top->options.names, pc, &line) && line.line) {
		row->path = line.path;
		row->line = line.line;
	}
	*slot = ++top->pc_count;
	return *slot - 1;
}
