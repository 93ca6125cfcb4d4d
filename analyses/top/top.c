/* Counting what runs, interval by interval. Each record adds to its function, its instruction, its
 * hart and the sum, in rows of which those with something in them are listed: so the end of an
 * interval costs as much as ran in it, not as much as ever ran.
 *
 * The rules are those of analyses/profile and analyses/stat, which have the same numbers: the test
 * of this folder compares them. It is not built on them because they sum up once, at the end.
 */
#include "analyses/top/top.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/top/top_state.h"

/* The RISC-V Instruction Set Manual: volume II, chapter 3.3.3 (wfi), and jal and c.j with offset 0.
 */
#define OPCODE_WFI      0x10500073u
#define OPCODE_JAL_SELF 0x0000006fu
#define OPCODE_CJ_SELF  0xa001u

/* ---- Harts. ---- */

static uint32_t hart_of(struct ear_top *top, uint16_t hart)
{
	for (uint32_t i = 0; i < top->hart_count; i++)
		if (top->harts[i].hart == hart)
			return i;
	const size_t count = top->hart_count + (size_t)1;
	struct ear_top_hart *harts = realloc(top->harts, count * sizeof(*harts));
	if (harts)
		top->harts = harts;
	struct ear_top_clock *clocks = realloc(top->clocks, count * sizeof(*clocks));
	if (clocks)
		top->clocks = clocks;
	if (!harts || !clocks)
		return EAR_TOP_NONE;
	harts[top->hart_count] = (struct ear_top_hart){.hart = hart};
	clocks[top->hart_count] = (struct ear_top_clock){.timed = false};
	return top->hart_count++;
}

/* Frames of a path. A parent has a lower number than those it called. */
static uint32_t depth_of(struct ear_top *top, uint32_t path)
{
	const uint32_t count = ear_calls_count(top->calls) + 1;

	if (path == 0 || path >= count)
		return 0;
	if (count > top->depth_room) {
		const size_t room = 2 * (size_t)count;
		uint32_t *depths = realloc(top->depths, room * sizeof(*depths));
		if (!depths)
			return EAR_TOP_NONE;
		top->depths = depths;
		top->depth_room = (uint32_t)room;
	}
	if (top->depth_count == 0)
		top->depths[top->depth_count++] = 0;
	for (; top->depth_count < count; top->depth_count++) {
		struct ear_call_path call = {.size = sizeof(call)};
		const bool known = ear_calls_path(top->calls, top->depth_count, &call);
		top->depths[top->depth_count] = known ? top->depths[call.parent] + 1 : 0;
	}
	return top->depths[path];
}

/* ---- Records. ---- */

static bool has_opcode(const struct ear_record *record)
{
	return record->isa == EAR_ISA_RISCV && !(record->flags & EAR_RECORD_NO_OPCODE);
}

static void count_class(struct ear_top *top, const struct ear_record *record)
{
	const uint32_t opcode = (uint32_t)record->opcode;
	const uint32_t at = (opcode ^ opcode >> 12 ^ opcode >> 20) & (EAR_TOP_OPCODES - 1);
	struct ear_top_opcode *entry = &top->opcodes[at];
	struct ear_instruction instruction = {.size = sizeof(instruction)};

	if (entry->opcode != opcode || entry->xlen != record->xlen) {
		if (ear_instruction_decode(top->instructions, &instruction, opcode, record->xlen))
			instruction.instruction_class = EAR_CLASS_ILLEGAL;
		*entry = (struct ear_top_opcode){
			opcode, record->xlen, instruction.instruction_class};
	}
	top->now.decoded++;
	top->now.classes[entry->instruction_class]++;
}

static void count_cause(struct ear_top *top, const struct ear_record *record, bool is_interrupt)
{
	const bool known = !(record->flags & EAR_RECORD_NO_CAUSE);
	struct ear_top_cause *row = &top->causes[EAR_TOP_CAUSES + is_interrupt];
	uint32_t i = 0;

	while (i < top->cause_count && (top->causes[i].cause != record->cause ||
					       top->causes[i].is_interrupt != is_interrupt))
		i++;
	if (known && i < EAR_TOP_CAUSES) {
		row = &top->causes[i];
		if (i == top->cause_count)
			*row = (struct ear_top_cause){is_interrupt, true, record->cause, 0, 0};
		top->cause_count += i == top->cause_count;
	}
	row->is_interrupt = is_interrupt;
	row->now++;
}

/* The clocks that passed until a record, as profile.c has them. */
static uint64_t clocks_until(struct ear_top_clock *clock, const struct ear_record *record)
{
	uint64_t clocks = 0;

	if (!(record->flags & EAR_RECORD_HAS_TIME))
		return 0;
	if (clock->timed && record->ticks >= clock->ticks)
		clocks = record->ticks - clock->ticks;
	clock->timed = true;
	clock->ticks = record->ticks;
	return clocks;
}

static void count_idle(struct ear_top_idle *idle, struct ear_top_clock *clock,
	const struct ear_record *record, bool in_idle_function, bool retired, uint64_t clocks)
{
	const uint32_t opcode = retired && has_opcode(record) ? (uint32_t)record->opcode : 0;
	const bool waits = opcode == OPCODE_WFI;
	const bool is_idle =
		in_idle_function || waits || opcode == OPCODE_JAL_SELF || opcode == OPCODE_CJ_SELF;

	idle->waits += waits;
	idle->records += is_idle;
	idle->clocks += is_idle || clock->after_wait ? clocks : 0;
	clock->after_wait = waits;
}

/* What one record adds. */
static struct ear_top_counts count_record(
	struct ear_top *top, const struct ear_record *record, uint32_t hart, bool in_idle_function)
{
	const bool is_interrupt = record->flags & EAR_RECORD_INTERRUPT;
	const bool is_trap = !is_interrupt && record->flags & EAR_RECORD_TRAP;
	struct ear_top_clock *clock = &top->clocks[hart];
	struct ear_top_idle before = top->now.idle;
	const uint64_t clocks = clocks_until(clock, record);

	top->now.timed += (record->flags & EAR_RECORD_HAS_TIME) != 0;
	if (is_interrupt || is_trap)
		count_cause(top, record, is_interrupt);
	else if (has_opcode(record))
		count_class(top, record);
	count_idle(
		&top->now.idle, clock, record, in_idle_function, !is_interrupt && !is_trap, clocks);
	struct ear_top_idle *own = &top->harts[hart].idle_now;
	own->records += top->now.idle.records - before.records;
	own->clocks += top->now.idle.clocks - before.clocks;
	own->waits += top->now.idle.waits - before.waits;
	return (struct ear_top_counts){{1, clocks, is_trap, is_interrupt}};
}

static int add_to_function(
	struct ear_top *top, uint32_t function, const struct ear_top_counts *counts)
{
	struct ear_top_function *row = &top->functions[function];

	if (ear_top_counts_are_empty(&row->now) && ear_top_touch(&top->touched_functions, function))
		return EAR_E_NO_MEMORY;
	ear_top_counts_add(&row->now, counts);
	return 0;
}

static int add_to_pc(
	struct ear_top *top, uint64_t pc, uint32_t function, const struct ear_top_counts *counts)
{
	bool full;
	const uint32_t number = ear_top_pc_of(top, pc, function, &full);

	if (number == EAR_TOP_NONE)
		return full ? 0 : EAR_E_NO_MEMORY;
	if (ear_top_counts_are_empty(&top->pcs[number].now) &&
		ear_top_touch(&top->touched_pcs, number))
		return EAR_E_NO_MEMORY;
	ear_top_counts_add(&top->pcs[number].now, counts);
	return 0;
}

/* ear_calls_take: records of one path, of any functions. */
static int take(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t path)
{
	struct ear_top *top = context;
	uint64_t lowest = 0, highest = 0;
	uint32_t function = EAR_TOP_NONE;
	struct ear_top_counts sum = {{0}};
	const uint16_t number = batch->record ? batch->record->hart : batch->run->hart;
	const uint32_t hart = hart_of(top, number), depth = depth_of(top, path);
	int result = 0;

	if (hart == EAR_TOP_NONE || depth == EAR_TOP_NONE)
		return EAR_E_NO_MEMORY;
	for (size_t i = first; i < first + count && result == 0; i++) {
		const struct ear_record *record = ear_batch_record(batch, i);
		const uint64_t pc = record->pc;
		if (function == EAR_TOP_NONE || pc - lowest > highest - lowest)
			function = ear_top_function_of(top, pc, number, path, &lowest, &highest);
		if (function == EAR_TOP_NONE)
			return EAR_E_NO_MEMORY;
		const struct ear_top_counts counts =
			count_record(top, record, hart, top->functions[function].is_idle);
		ear_top_counts_add(&sum, &counts);
		result = add_to_function(top, function, &counts);
		if (result == 0)
			result = add_to_pc(top, pc, function, &counts);
		top->harts[hart].pc = pc;
	}
	struct ear_top_hart *own = &top->harts[hart];
	ear_top_counts_add(&own->now, &sum);
	ear_top_counts_add(&top->now.counts, &sum);
	own->has_depth = path != 0;
	own->depth = depth;
	own->depth_most = own->depth_most > depth ? own->depth_most : depth;
	return result;
}

/* The time that passes in a gap is no function's. */
static void take_gap(struct ear_top *top, const struct ear_gap *gap)
{
	top->now.gaps++;
	if (gap->count_known)
		top->now.missing += gap->count;
	else
		top->now.blind++;
	for (uint32_t i = 0; i < top->hart_count; i++)
		top->clocks[i] = (struct ear_top_clock){.timed = false};
}

int ear_top_batch(struct ear_top *top, const struct ear_batch *batch)
{
	if (batch->record && batch->record->kind == EAR_RECORD_GAP)
		take_gap(top, &batch->record->u.gap);
	else if (batch->record && batch->record->kind == EAR_RECORD_EVENT)
		top->now.events++;
	return ear_calls_batch(top->calls, batch, take, top);
}

uint64_t ear_top_pending(const struct ear_top *top)
{
	return top->now.counts.all[EAR_TOP_RECORDS];
}

/* ---- Begin and end. ---- */

int ear_top_new(struct ear_top **top_out, const struct ear_top_options *options)
{
	const struct ear_calls_options calls = EAR_CALLS_DEFAULTS;
	struct ear_top *top = calloc(1, sizeof(*top));

	if (!top)
		return EAR_E_NO_MEMORY;
	top->options = *options;
	if (top->options.rows_max == 0)
		top->options.rows_max = EAR_TOP_ROWS_MAX;
	top->idle = calloc(options->idle_count + 1, sizeof(*top->idle));
	top->places = calloc(EAR_TOP_PLACES, sizeof(*top->places));
	top->opcodes = calloc(EAR_TOP_OPCODES, sizeof(*top->opcodes));
	int result = top->idle && top->places && top->opcodes ? 0 : EAR_E_NO_MEMORY;
	if (result == 0)
		result = ear_instructions_new(&top->instructions, NULL, NULL);
	if (result == 0)
		result = ear_calls_new(&top->calls, &calls);
	if (result) {
		ear_top_free(top);
		return result;
	}
	if (options->idle_count > 0)
		memcpy(top->idle, options->idle, options->idle_count * sizeof(*top->idle));
	*top_out = top;
	return 0;
}

void ear_top_free(struct ear_top *top)
{
	if (!top)
		return;
	ear_calls_free(top->calls);
	ear_instructions_free(top->instructions);
	free(top->idle);
	free(top->places);
	free(top->opcodes);
	free(top->functions);
	ear_numbering_fini(&top->function_numbers);
	free(top->touched_functions.numbers);
	free(top->pcs);
	ear_numbering_fini(&top->pc_numbers);
	free(top->touched_pcs.numbers);
	free(top->harts);
	free(top->clocks);
	free(top->depths);
	free(top);
}
