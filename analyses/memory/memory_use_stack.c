/* Stacks, by what sp does: it moves within one by additions to it or to the frame pointer; where it
 * is set in another way, it is in the stack that had been there, or in a new one. So tasks and
 * handlers with stacks of their own are found without names.
 */
#include "analyses/memory/memory_part.h"

#include <stdlib.h>

/* Does the instruction compute sp from sp, or from the frame pointer? */
static bool moves(uint32_t opcode)
{
	const uint32_t rs1 = opcode >> 15 & 31, rs2 = opcode >> 20 & 31;

	if ((opcode & 3) != 3) {
		const uint32_t quadrant = opcode & 3, funct = opcode >> 13 & 7;
		if (quadrant == 1)
			return funct == 0 || funct == 3; /* c.addi, c.addi16sp */
		if (quadrant != 2 || funct != 4)
			return false;
		/* c.add; c.mv from the frame pointer */
		return opcode >> 12 & 1 || (opcode >> 2 & 31) == 8;
	}
	switch (opcode & 0x7f) {
	case 0x13: /* addi, andi */
	case 0x1b: return rs1 == 2 || rs1 == 8;
	case 0x33: /* add, sub */
	case 0x3b: return rs1 == 2 || rs1 == 8 || rs2 == 2;
	default: return false;
	}
}

static uint32_t find(const struct ear_usage *memory, uint64_t sp)
{
	for (uint32_t i = 0; i < memory->stack_count; i++)
		if (sp >= memory->stacks[i].low && sp <= memory->stacks[i].high)
			return i;
	return NONE;
}

static uint32_t add(struct ear_usage *memory, uint64_t sp)
{
	if (memory->stack_count == EAR_USAGE_STACKS_MAX) {
		memory->facts.stacks_lost++;
		return NONE;
	}
	if (!memory->stacks) {
		memory->stacks = calloc(EAR_USAGE_STACKS_MAX, sizeof(*memory->stacks));
		if (!memory->stacks) {
			memory->failed = true;
			return NONE;
		}
	}
	memory->stacks[memory->stack_count] =
		(struct ear_usage_stack){.high = sp, .low = UINT64_MAX};
	return memory->stack_count++;
}

void ear_usage_set_sp(struct ear_usage *memory, struct memory_hart *hart,
	const struct memory_step *step, enum memory_sp kind)
{
	const uint64_t sp = step->result;
	const uint32_t before = hart->stack;

	memory->facts.has_sp = true;
	if (kind == MEMORY_SP_HALF) {
		hart->stack = NONE;
		return;
	}
	if (before == NONE || kind == MEMORY_SP_SET) {
		const bool stays = before != NONE && sp >= memory->stacks[before].low &&
				   sp <= memory->stacks[before].high;
		hart->since = memory->number;
		if (!stays)
			hart->stack = find(memory, sp);
		if (hart->stack == NONE)
			hart->stack = add(memory, sp);
		if (hart->stack == NONE)
			return;
		memory->stacks[hart->stack].switches += hart->stack != before;
	}
	struct ear_usage_stack *stack = &memory->stacks[hart->stack];
	stack->counts |= !memory->muted;
	if (sp > stack->high)
		stack->high = sp;
	if (sp < stack->low) {
		stack->low = sp;
		stack->pc = step->pc;
		stack->record = memory->number;
		stack->hart = step->hart;
		stack->task = memory->task;
	}
}

void ear_usage_sp(
	struct ear_usage *memory, struct memory_hart *hart, const struct memory_step *step)
{
	enum memory_sp kind = moves(step->opcode) ? MEMORY_SP_MOVES : MEMORY_SP_SET;

	if ((step->opcode & 0x7f) == 0x17 || (step->opcode & 0x7f) == 0x37)
		kind = MEMORY_SP_HALF; /* auipc, lui */
	if (memory->part)
		ear_usage_report_sp(memory, hart, step, kind);
	else
		ear_usage_set_sp(memory, hart, step, kind);
}
