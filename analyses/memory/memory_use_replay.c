/* What the rows of a part report happens in the sum. */
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/memory/memory_part.h"

static void set_registers(struct memory_hart *hart, const uint64_t numbers[MEMORY_REGISTERS + 1])
{
	for (unsigned i = 0; i < MEMORY_REGISTERS; i++) {
		if (numbers[0] >> i & 1)
			hart->x[memory_registers[i]] = numbers[1 + i];
		if (numbers[0] >> (MEMORY_REGISTERS + i) & 1)
			hart->known |= 1u << memory_registers[i];
	}
}

static void take_sp(struct ear_usage *sum, struct memory_hart *hart, const uint64_t *numbers)
{
	const struct memory_step step = {
		.pc = numbers[2], .result = numbers[1], .hart = hart->number};

	sum->number = numbers[3];
	sum->task = (uint32_t)numbers[5];
	ear_usage_set_sp(sum, hart, &step, numbers[4] ? MEMORY_SP_MOVES : MEMORY_SP_SET);
}

static void take_half(struct ear_usage *sum, struct memory_hart *hart, const uint64_t *numbers)
{
	const struct memory_step step = {.hart = hart->number};

	sum->number = numbers[1];
	ear_usage_set_sp(sum, hart, &step, MEMORY_SP_HALF);
}

/* Those of several harts are not in order: of two that are as low the first one counts. */
static int take_moves(struct ear_usage *sum, struct memory_hart *hart, const uint64_t *numbers)
{
	if (hart->stack == NONE)
		return EAR_E_BAD_FILE;
	struct ear_usage_stack *stack = &sum->stacks[hart->stack];
	if (numbers[1] > stack->high)
		stack->high = numbers[1];
	if (numbers[2] < stack->low || (numbers[2] == stack->low && numbers[4] < stack->record)) {
		stack->low = numbers[2];
		stack->pc = numbers[3];
		stack->record = numbers[4];
		stack->task = (uint32_t)numbers[5];
		stack->hart = hart->number;
	}
	return 0;
}

static void take_step(struct ear_usage *sum, struct memory_hart *hart, const uint64_t *numbers)
{
	const struct memory_step step = {.pc = numbers[1], .hart = hart->number};

	sum->number = numbers[2];
	set_registers(hart, numbers + 3);
	ear_usage_heap_step(sum, hart, &step);
}

static void take_event(struct ear_usage *sum, struct memory_hart *hart, const uint64_t *numbers)
{
	const bool muted = sum->muted;
	const struct memory_heap_event event = {.kind = (uint8_t)numbers[1],
		.address = numbers[2],
		.size = numbers[3],
		.record = numbers[4],
		.hart = hart->number};

	set_registers(hart, numbers + 6);
	sum->muted = numbers[5] != 0;
	sum->number = event.record > 0 ? event.record - 1 : 0;
	ear_usage_heap_event(sum, &event);
	sum->muted = muted;
}

static bool stores_unreported(const struct ear_usage *sum, uint64_t before)
{
	for (uint32_t i = 0; i < sum->call_count; i++)
		if (ear_usage_is_posix(sum, sum->calls[i].entry) && sum->calls[i].record < before)
			return true;
	return false;
}

static int take_row(struct ear_usage *sum, unsigned row, const uint64_t *numbers)
{
	if (row == MEMORY_ROW_GAP) {
		sum->number = numbers[0];
		ear_usage_gap(sum);
		return 0;
	}
	if (row == MEMORY_ROW_UNREPORTED)
		return stores_unreported(sum, numbers[0]) ? EAR_E_UNSUPPORTED : 0;
	struct memory_hart *hart =
		numbers[0] > UINT16_MAX ? NULL : ear_usage_hart(sum, (uint16_t)numbers[0]);
	if (!hart)
		return numbers[0] > UINT16_MAX ? EAR_E_BAD_FILE : EAR_E_NO_MEMORY;
	switch ((enum memory_row)row) {
	case MEMORY_ROW_SP: take_sp(sum, hart, numbers); return 0;
	case MEMORY_ROW_HALF: take_half(sum, hart, numbers); return 0;
	case MEMORY_ROW_MOVES: return take_moves(sum, hart, numbers);
	case MEMORY_ROW_STEP: take_step(sum, hart, numbers); return 0;
	case MEMORY_ROW_STORE:
		ear_usage_heap_store(sum, hart->number, numbers[1], numbers[2]);
		return 0;
	case MEMORY_ROW_EVENT: take_event(sum, hart, numbers); return 0;
	default:
		hart->is_accessing |= numbers[1] != 0;
		set_registers(hart, numbers + 2);
		return 0;
	}
}

int ear_usage_replay(struct ear_usage *sum, struct ear_usage *part)
{
	const uint64_t lost = sum->facts.stacks_lost;
	uint64_t numbers[EAR_ROWS_NUMBERS] = {0};
	unsigned row, count;
	int result = 0;

	ear_rows_rewind(&part->part->rows);
	while (result == 0 && ear_rows_next(&part->part->rows, &row, numbers, &count)) {
		if (row == MEMORY_ROW_EVENT && numbers[4] == 0)
			numbers[4] = part->facts.begin;
		result = row < MEMORY_ROW_KINDS && count == memory_row_sizes[row]
				 ? take_row(sum, row, numbers)
				 : EAR_E_BAD_FILE;
		if (sum->facts.stacks_lost > lost)
			result = EAR_E_UNSUPPORTED;
		if (sum->failed)
			result = EAR_E_NO_MEMORY;
	}
	return result;
}

/* ---- To try it. ---- */

/* What rows change, but for blocks and what they have done wrong. */
struct saved {
	struct ear_usage_facts facts;
	struct heap_call calls[HEAP_CALLS_MAX];
	uint32_t call_count, stack_count, task;
	uint64_t number;
	bool has_events;
	struct ear_usage_stack stacks[EAR_USAGE_STACKS_MAX];
	struct {
		uint64_t since, x[MEMORY_REGISTERS];
		uint32_t known, stack;
		bool is_accessing, is_there;
	} harts[UINT16_MAX + 1];
};

static void save_harts(struct saved *saved, const struct ear_usage *sum)
{
	for (uint32_t i = 0; i < sum->hart_count; i++) {
		const struct memory_hart *hart = sum->harts[i];
		saved->harts[i].is_there = hart;
		if (!hart)
			continue;
		saved->harts[i].since = hart->since;
		saved->harts[i].known = hart->known;
		saved->harts[i].stack = hart->stack;
		saved->harts[i].is_accessing = hart->is_accessing;
		for (unsigned j = 0; j < MEMORY_REGISTERS; j++)
			saved->harts[i].x[j] = hart->x[memory_registers[j]];
	}
}

static void load_harts(const struct saved *saved, struct ear_usage *sum)
{
	for (uint32_t i = 0; i < sum->hart_count; i++) {
		struct memory_hart *hart = sum->harts[i];
		if (hart && !saved->harts[i].is_there) {
			free(hart);
			sum->harts[i] = NULL;
		} else if (hart) {
			hart->since = saved->harts[i].since;
			hart->known = saved->harts[i].known;
			hart->stack = saved->harts[i].stack;
			hart->is_accessing = saved->harts[i].is_accessing;
			for (unsigned j = 0; j < MEMORY_REGISTERS; j++)
				hart->x[memory_registers[j]] = saved->harts[i].x[j];
		}
	}
}

static void save(struct saved *saved, const struct ear_usage *sum)
{
	saved->facts = sum->facts;
	memcpy(saved->calls, sum->calls, sizeof(saved->calls));
	saved->call_count = sum->call_count;
	saved->stack_count = sum->stack_count;
	saved->task = sum->task;
	saved->number = sum->number;
	saved->has_events = sum->has_events;
	if (sum->stacks)
		memcpy(saved->stacks, sum->stacks, sizeof(saved->stacks));
	save_harts(saved, sum);
}

static void load(const struct saved *saved, struct ear_usage *sum)
{
	sum->facts = saved->facts;
	memcpy(sum->calls, saved->calls, sizeof(saved->calls));
	sum->call_count = saved->call_count;
	sum->stack_count = saved->stack_count;
	sum->task = saved->task;
	sum->number = saved->number;
	sum->has_events = saved->has_events;
	if (sum->stacks)
		memcpy(sum->stacks, saved->stacks, sizeof(saved->stacks));
	load_harts(saved, sum);
}

/* Rows do not say all only if there are too many stacks, or where posix_memalign stores is not
 * known of a call before the part. */
static bool may_fail(const struct ear_usage *sum, const struct ear_usage *part)
{
	return sum->stack_count + (uint64_t)part->part->sets > EAR_USAGE_STACKS_MAX ||
	       part->part->has_unreported;
}

int ear_usage_try_replay(struct ear_usage *sum, struct ear_usage *part)
{
	struct saved *saved = may_fail(sum, part) ? calloc(1, sizeof(*saved)) : NULL;

	if (!saved)
		return may_fail(sum, part) ? EAR_E_NO_MEMORY : 0;
	save(saved, sum);
	sum->dry = true;
	const int result = ear_usage_replay(sum, part);
	sum->dry = false;
	load(saved, sum);
	free(saved);
	return result;
}
