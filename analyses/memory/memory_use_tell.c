/* What happened to stacks and the heap in a part, in rows: memory_part.h says which. */
#include "analyses/memory/memory_part.h"

#include <stdlib.h>

#include <earshot/error.h>

const uint8_t memory_registers[MEMORY_REGISTERS] = {1, 2, 10, 11, 12, 13};
const uint8_t memory_row_sizes[MEMORY_ROW_KINDS] = {6, 2, 6, 10, 3, 1, 1, 9};

static void tell(struct ear_usage *memory, enum memory_row row, const uint64_t *numbers)
{
	struct memory_part *part = memory->part;

	if (part->rows.bytes > MEMORY_ROWS_BYTES)
		part->is_untellable = true;
	else if (!ear_rows_add(&part->rows, row, numbers, memory_row_sizes[row]))
		memory->failed = true;
}

/* Numbers of a row from this one on: the registers. */
static void put_registers(const struct memory_hart *hart, uint64_t numbers[MEMORY_REGISTERS + 1])
{
	const uint32_t written = hart->telling.written | hart->known;

	numbers[0] = 0;
	for (unsigned i = 0; i < MEMORY_REGISTERS; i++) {
		const unsigned number = memory_registers[i];
		numbers[0] |= (uint64_t)(written >> number & 1) << i;
		numbers[0] |= (uint64_t)(hart->known >> number & 1) << (MEMORY_REGISTERS + i);
		numbers[1 + i] = written >> number & 1 ? hart->x[number] : 0;
	}
}

/* ---- Stacks. ---- */

static void tell_moves(struct ear_usage *memory, struct memory_hart *hart)
{
	struct memory_telling *telling = &hart->telling;
	const uint64_t numbers[] = {hart->number, telling->highest, telling->lowest, telling->pc,
		telling->record, telling->task};

	if (!telling->has_moves)
		return;
	telling->has_moves = false;
	tell(memory, MEMORY_ROW_MOVES, numbers);
}

/* Of all harts: what comes may be in another stack, or find one. */
static void tell_all_moves(struct ear_usage *memory)
{
	for (uint32_t i = 0; i < memory->part->hart_count; i++)
		tell_moves(memory, memory->part->harts[i]);
}

/* Calls that are known to be open; the others are told by the highest sp. */
static bool is_of_segment(const struct heap_call *call, const struct memory_hart *hart)
{
	return call->hart == hart->number && call->stack == hart->telling.segment;
}

/* Those of an earlier segment go, but of those that store. */
static void make_room(struct ear_usage *memory)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < memory->call_count; i++) {
		const struct heap_call *call = &memory->calls[i];
		const struct memory_hart *hart = memory->harts[call->hart];
		if (is_of_segment(call, hart) || ear_usage_is_posix(memory, call->entry))
			memory->calls[kept++] = *call;
	}
	memory->call_count = kept;
}

/* From here on steps are told again at the sp that it is. */
static void begin_segment(struct ear_usage *memory, struct memory_hart *hart, uint64_t sp)
{
	hart->telling.top = sp;
	hart->telling.level = ++memory->part->level;
	hart->telling.segment = ++memory->part->segments;
	hart->is_at_top = memory->facts.has_heap;
	if (memory->call_count > 0)
		make_room(memory);
}

static void move(struct ear_usage *memory, struct memory_hart *hart, const struct memory_step *step)
{
	struct memory_telling *telling = &hart->telling;
	const uint64_t sp = step->result;

	if (!telling->has_moves || sp < telling->lowest) {
		telling->lowest = sp;
		telling->pc = step->pc;
		telling->record = memory->number;
		telling->task = memory->task;
	}
	if (!telling->has_moves || sp > telling->highest)
		telling->highest = sp;
	telling->has_moves = true;
	if (sp > telling->top) {
		telling->top = sp;
		telling->level = ++memory->part->level;
	}
	hart->is_at_top = sp == telling->top && memory->facts.has_heap;
}

void ear_usage_tell_sp(struct ear_usage *memory, struct memory_hart *hart,
	const struct memory_step *step, enum memory_sp kind)
{
	struct memory_telling *telling = &hart->telling;
	const uint64_t half[] = {hart->number, memory->number};
	const uint64_t numbers[] = {hart->number, step->result, step->pc, memory->number,
		kind == MEMORY_SP_MOVES, memory->task};

	memory->facts.has_sp = true;
	if (kind == MEMORY_SP_MOVES && telling->is_in_stack) {
		move(memory, hart, step);
		return;
	}
	tell_all_moves(memory);
	if (kind == MEMORY_SP_HALF) {
		tell(memory, MEMORY_ROW_HALF, half);
	} else {
		tell(memory, MEMORY_ROW_SP, numbers);
		memory->part->sets++;
	}
	telling->is_in_stack = kind != MEMORY_SP_HALF;
	begin_segment(memory, hart, step->result);
}

/* ---- The heap. ---- */

/* Another one that ends where it does, as of a function that calls itself in its place. */
static bool has_like(const struct ear_usage *memory, const struct heap_call *call)
{
	for (uint32_t i = 0; i < memory->call_count; i++) {
		const struct heap_call *other = &memory->calls[i];
		if (other->hart == call->hart && other->stack == call->stack &&
			other->sp == call->sp && other->return_pc == call->return_pc &&
			(!ear_usage_is_posix(memory, call->entry) ||
				(ear_usage_is_posix(memory, other->entry) &&
					other->a0 == call->a0)))
			return true;
	}
	return false;
}

static void enter(struct ear_usage *memory, struct memory_hart *hart, uint8_t entry)
{
	const uint32_t written = hart->telling.written | hart->known;
	const unsigned first = 10u + memory->entries[entry].first;
	const bool is_posix = ear_usage_is_posix(memory, entry);

	if (is_posix && !(written >> first & 1)) { /* where it stores is not known */
		memory->stores_left = MEMORY_STORES_MAX;
		memory->part->unknown_before = memory->number + 1;
	}
	if (!(written >> 1 & 1)) /* nor where it returns to: as one from before the part */
		begin_segment(memory, hart, hart->x[2]);
	const struct heap_call call = {
		.return_pc = hart->x[1],
		.sp = hart->x[2],
		.a0 = hart->x[first],
		.stack = hart->telling.segment,
		.hart = hart->number,
		.entry = entry,
	};
	if (has_like(memory, &call))
		return;
	if (memory->call_count == HEAP_CALLS_MAX)
		make_room(memory);
	if (memory->call_count == HEAP_CALLS_MAX)
		memory->part->is_untellable = true;
	else
		memory->calls[memory->call_count++] = call;
}

/* Does a call of the segment end here? */
static bool leave(struct ear_usage *memory, const struct memory_hart *hart, uint64_t pc)
{
	const uint64_t sp = hart->x[2];
	bool found = false;

	for (uint32_t i = 0; i < memory->call_count; i++) {
		const struct heap_call *call = &memory->calls[i];
		if (!is_of_segment(call, hart) ||
			!(sp > call->sp || (sp == call->sp && pc == call->return_pc)))
			continue;
		memory->calls[i--] = memory->calls[--memory->call_count];
		found = true;
	}
	return found;
}

/* Is it the first time for the highest sp? */
static bool is_first_at_top(struct ear_usage *memory, const struct memory_hart *hart, uint64_t pc)
{
	const size_t at = pc / 2 % MEMORY_CACHE;

	if (!hart->is_at_top || (memory->part->cache[at].pc == pc &&
					memory->part->cache[at].level == hart->telling.level))
		return false;
	memory->part->cache[at].pc = pc;
	memory->part->cache[at].level = hart->telling.level;
	return true;
}

void ear_usage_tell_step(
	struct ear_usage *memory, struct memory_hart *hart, const struct memory_step *step)
{
	const uint32_t entry = ear_usage_heap_entry(memory, step->pc);
	const bool is_first = is_first_at_top(memory, hart, step->pc);
	const bool is_left = memory->call_count > 0 && leave(memory, hart, step->pc);
	uint64_t numbers[3 + 1 + MEMORY_REGISTERS] = {hart->number, step->pc, memory->number};

	if (entry == NONE && !is_first && !is_left)
		return;
	put_registers(hart, numbers + 3);
	tell(memory, MEMORY_ROW_STEP, numbers);
	if (entry != NONE)
		enter(memory, hart, (uint8_t)entry);
}

/* Of calls that began before the part, or a later record. */
static void tell_untold(struct ear_usage *memory)
{
	uint64_t before = memory->part->unknown_before;

	if (before == 0)
		before = memory->started ? memory->facts.begin : memory->number;
	memory->part->has_untold = true;
	tell(memory, MEMORY_ROW_UNTOLD, &before);
}

void ear_usage_tell_store(struct ear_usage *memory, uint16_t hart, uint64_t address, uint64_t value)
{
	const uint64_t numbers[] = {hart, address, value};
	bool is_told = memory->stores_left > 0;

	for (uint32_t i = 0; i < memory->call_count && !is_told; i++) {
		const struct heap_call *call = &memory->calls[i];
		is_told = call->hart == hart && call->a0 == address &&
			  ear_usage_is_posix(memory, call->entry);
	}
	if (!is_told)
		return;
	tell(memory, MEMORY_ROW_STORE, numbers);
	if (memory->stores_left > 0 && --memory->stores_left == 0)
		tell_untold(memory);
}

/* ---- Gaps, begin and end. ---- */

void ear_usage_tell_gap(struct ear_usage *memory)
{
	tell_all_moves(memory);
	tell(memory, MEMORY_ROW_GAP, &memory->number);
	for (uint32_t i = 0; i < memory->part->hart_count; i++) {
		struct memory_hart *hart = memory->part->harts[i];
		hart->telling.written |= hart->known;
		hart->telling.is_in_stack = false;
		begin_segment(memory, hart, hart->x[2]);
	}
}

int ear_usage_part_begin(struct ear_usage *memory)
{
	struct memory_part *part = calloc(1, sizeof(*part));

	if (!part)
		return EAR_E_NO_MEMORY;
	memory->part = part;
	part->walked_page = part->walked_share = NONE;
	for (uint32_t i = 0; i < memory->entry_count; i++)
		if (ear_usage_is_posix(memory, i))
			memory->stores_left = MEMORY_STORES_MAX;
	return 0;
}

void ear_usage_part_free(struct ear_usage *memory)
{
	if (!memory->part)
		return;
	ear_rows_fini(&memory->part->rows);
	ear_numbering_fini(&memory->part->open_numbers);
	free(memory->part->open);
	free((void *)memory->part->harts);
	free(memory->part);
	memory->part = NULL;
}

void ear_usage_part_hart(struct ear_usage *memory, struct memory_hart *hart)
{
	struct memory_part *part = memory->part;
	void *grown =
		realloc((void *)part->harts, (part->hart_count + 1) * sizeof(struct memory_hart *));

	if (!grown) {
		memory->failed = true;
		return;
	}
	part->harts = grown;
	part->harts[part->hart_count++] = hart;
	begin_segment(memory, hart, 0);
}

/* What accesses there were belong to the step of the instruction before the part. */
static void set_heat_before(struct ear_usage *memory)
{
	for (uint32_t i = 0; i < memory->page_count; i++) {
		memory_part_bits(memory->bits[i])->heat_before = memory->pages[i].heat[0];
		memory->pages[i].heat[0] = 0;
	}
}

void ear_usage_part_first(struct ear_usage *memory)
{
	set_heat_before(memory);
}

void ear_usage_tell_rest(struct ear_usage *memory)
{
	tell_all_moves(memory);
	if (!memory->started)
		set_heat_before(memory);
	for (uint32_t i = 0; i < memory->part->hart_count; i++) {
		const struct memory_hart *hart = memory->part->harts[i];
		uint64_t numbers[2 + 1 + MEMORY_REGISTERS] = {hart->number, hart->is_accessing};
		put_registers(hart, numbers + 2);
		tell(memory, MEMORY_ROW_HART, numbers);
	}
}
