/* What happened to stacks and the heap in a part, in rows: memory_part.h says which. */
#include "analyses/memory/memory_part.h"

#include <stdlib.h>

#include <earshot/error.h>

const uint8_t memory_registers[MEMORY_REGISTERS] = {1, 2, 10, 11, 12, 13};
const uint8_t memory_row_sizes[MEMORY_ROW_KINDS] = {6, 2, 6, 10, 3, 1, 1, 9, 13};

static void report(struct ear_usage *memory, enum memory_row row, const uint64_t *numbers)
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
	const uint32_t written = hart->reporting.written | hart->known;

	numbers[0] = 0;
	for (unsigned i = 0; i < MEMORY_REGISTERS; i++) {
		const unsigned number = memory_registers[i];
		numbers[0] |= (uint64_t)(written >> number & 1) << i;
		numbers[0] |= (uint64_t)(hart->known >> number & 1) << (MEMORY_REGISTERS + i);
		numbers[1 + i] = written >> number & 1 ? hart->x[number] : 0;
	}
}

/* ---- Stacks. ---- */

static void report_moves(struct ear_usage *memory, struct memory_hart *hart)
{
	struct memory_reporting *reporting = &hart->reporting;
	const uint64_t numbers[] = {hart->number, reporting->highest, reporting->lowest,
		reporting->pc, reporting->record, reporting->task};

	if (!reporting->has_moves)
		return;
	reporting->has_moves = false;
	report(memory, MEMORY_ROW_MOVES, numbers);
}

/* Of all harts: what comes may be in another stack, or find one. */
static void report_all_moves(struct ear_usage *memory)
{
	for (uint32_t i = 0; i < memory->part->hart_count; i++)
		report_moves(memory, memory->part->harts[i]);
}

/* Calls that are known to be open; the others are reported by the highest sp. */
static bool is_of_segment(const struct heap_call *call, const struct memory_hart *hart)
{
	return call->hart == hart->number && call->stack == hart->reporting.segment;
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

/* From here on steps are reported again at the sp that it is. */
static void begin_segment(struct ear_usage *memory, struct memory_hart *hart, uint64_t sp)
{
	hart->reporting.top = sp;
	hart->reporting.level = ++memory->part->level;
	hart->reporting.segment = ++memory->part->segments;
	hart->is_at_top = memory->facts.has_heap;
	if (memory->call_count > 0)
		make_room(memory);
}

static void move(struct ear_usage *memory, struct memory_hart *hart, const struct memory_step *step)
{
	struct memory_reporting *reporting = &hart->reporting;
	const uint64_t sp = step->result;

	if (!reporting->has_moves || sp < reporting->lowest) {
		reporting->lowest = sp;
		reporting->pc = step->pc;
		reporting->record = memory->number;
		reporting->task = memory->task;
	}
	if (!reporting->has_moves || sp > reporting->highest)
		reporting->highest = sp;
	reporting->has_moves = true;
	if (sp > reporting->top) {
		reporting->top = sp;
		reporting->level = ++memory->part->level;
	}
	hart->is_at_top = sp == reporting->top && memory->facts.has_heap;
}

void ear_usage_report_sp(struct ear_usage *memory, struct memory_hart *hart,
	const struct memory_step *step, enum memory_sp kind)
{
	struct memory_reporting *reporting = &hart->reporting;
	const uint64_t half[] = {hart->number, memory->number};
	const uint64_t numbers[] = {hart->number, step->result, step->pc, memory->number,
		kind == MEMORY_SP_MOVES, memory->task};

	memory->facts.has_sp = true;
	if (kind == MEMORY_SP_MOVES && reporting->is_in_stack) {
		move(memory, hart, step);
		return;
	}
	report_all_moves(memory);
	if (kind == MEMORY_SP_HALF) {
		report(memory, MEMORY_ROW_HALF, half);
	} else {
		report(memory, MEMORY_ROW_SP, numbers);
		memory->part->sets++;
	}
	reporting->is_in_stack = kind != MEMORY_SP_HALF;
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
	const uint32_t written = hart->reporting.written | hart->known;
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
		.stack = hart->reporting.segment,
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
					memory->part->cache[at].level == hart->reporting.level))
		return false;
	memory->part->cache[at].pc = pc;
	memory->part->cache[at].level = hart->reporting.level;
	return true;
}

void ear_usage_report_step(
	struct ear_usage *memory, struct memory_hart *hart, const struct memory_step *step)
{
	const uint32_t entry = ear_usage_heap_entry(memory, step->pc);
	const bool is_first = is_first_at_top(memory, hart, step->pc);
	const bool is_left = memory->call_count > 0 && leave(memory, hart, step->pc);
	uint64_t numbers[3 + 1 + MEMORY_REGISTERS] = {hart->number, step->pc, memory->number};

	if (entry == NONE && !is_first && !is_left)
		return;
	put_registers(hart, numbers + 3);
	report(memory, MEMORY_ROW_STEP, numbers);
	if (entry != NONE)
		enter(memory, hart, (uint8_t)entry);
}

/* Of calls that began before the part, or a later record. */
static void report_unreported(struct ear_usage *memory)
{
	uint64_t before = memory->part->unknown_before;

	if (before == 0)
		before = memory->started ? memory->facts.begin : memory->number;
	memory->part->has_unreported = true;
	report(memory, MEMORY_ROW_UNREPORTED, &before);
}

void ear_usage_report_store(
	struct ear_usage *memory, uint16_t hart, uint64_t address, uint64_t value)
{
	const uint64_t numbers[] = {hart, address, value};
	bool is_reported = memory->stores_left > 0;

	for (uint32_t i = 0; i < memory->call_count && !is_reported; i++) {
		const struct heap_call *call = &memory->calls[i];
		is_reported = call->hart == hart && call->a0 == address &&
			      ear_usage_is_posix(memory, call->entry);
	}
	if (!is_reported)
		return;
	report(memory, MEMORY_ROW_STORE, numbers);
	if (memory->stores_left > 0 && --memory->stores_left == 0)
		report_unreported(memory);
}

void ear_usage_report_event(struct ear_usage *memory, const struct memory_heap_event *event)
{
	const struct memory_hart *hart =
		event->hart < memory->hart_count ? memory->harts[event->hart] : NULL;
	uint64_t numbers[6 + 1 + MEMORY_REGISTERS] = {event->hart, event->kind, event->address,
		event->size, event->record, memory->muted};

	report_all_moves(memory);
	if (hart)
		put_registers(hart, numbers + 6);
	report(memory, MEMORY_ROW_EVENT, numbers);
}

/* ---- Gaps, begin and end. ---- */

void ear_usage_report_gap(struct ear_usage *memory)
{
	report_all_moves(memory);
	report(memory, MEMORY_ROW_GAP, &memory->number);
	for (uint32_t i = 0; i < memory->part->hart_count; i++) {
		struct memory_hart *hart = memory->part->harts[i];
		hart->reporting.written |= hart->known;
		hart->reporting.is_in_stack = false;
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

void ear_usage_report_rest(struct ear_usage *memory)
{
	report_all_moves(memory);
	if (!memory->started)
		set_heat_before(memory);
	for (uint32_t i = 0; i < memory->part->hart_count; i++) {
		const struct memory_hart *hart = memory->part->harts[i];
		uint64_t numbers[2 + 1 + MEMORY_REGISTERS] = {hart->number, hart->is_accessing};
		put_registers(hart, numbers + 2);
		report(memory, MEMORY_ROW_HART, numbers);
	}
}
