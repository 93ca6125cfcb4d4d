/* Where an instruction of a record went: to the next record, if the flow can go there, else where
 * the record itself says. What does neither is a place where records are missing.
 */
#include "decoder/flow/flow_held.h"

static bool find_opcode(struct ear_flow_held *held, const struct ear_flow_code *code)
{
	struct ear_flow_range range = {0};
	const struct ear_flow_instruction *found = ear_flow_code_at(code, &range, held->pc);

	if (found)
		held->instruction = *found;
	return found != NULL;
}

void ear_flow_hold(struct ear_flow_held *held, const struct ear_record *record, unsigned xlen,
	const struct ear_flow_code *code)
{
	const uint64_t mask = UINT64_MAX >> (64 - xlen);

	*held = (struct ear_flow_held){
		.present = true,
		.trapped = record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT),
		.interrupted = record->flags & EAR_RECORD_INTERRUPT,
		.taken = record->flags & EAR_RECORD_TAKEN,
		.has_next = !(record->flags & EAR_RECORD_NO_NEXT_PC),
		.has_privilege = !(record->flags & EAR_RECORD_NO_PRIVILEGE),
		.has_time = record->flags & EAR_RECORD_HAS_TIME,
		.has_cause = !(record->flags & EAR_RECORD_NO_CAUSE),
		.privilege = record->privilege,
		.pc = record->pc & mask,
		.next_pc = record->next_pc & mask,
		.time = record->ticks,
		.cause = record->cause,
	};
	if (record->flags & EAR_RECORD_NO_OPCODE) {
		held->has_opcode = find_opcode(held, code);
		return;
	}
	held->has_opcode = true;
	ear_flow_instruction_decode(&held->instruction, (uint32_t)record->opcode, xlen);
}

bool ear_flow_leads_to(const struct ear_flow_held *held, uint64_t mask, uint64_t next)
{
	const struct ear_flow_instruction *instruction = &held->instruction;
	uint64_t after = (held->pc + instruction->size) & mask;
	uint64_t target = ear_flow_target(instruction, held->pc) & mask;

	switch (instruction->kind) {
	case EAR_FLOW_BRANCH: return next == target || next == after;
	case EAR_FLOW_JUMP: return next == target;
	case EAR_FLOW_INDIRECT:
	case EAR_FLOW_TRAP_RETURN: return true;
	default: return next == after;
	}
}

bool ear_flow_own_next(const struct ear_flow_held *held, uint64_t mask, uint64_t *next)
{
	const struct ear_flow_instruction *instruction = &held->instruction;

	*next = held->next_pc;
	if (held->has_next && (held->trapped || ear_flow_leads_to(held, mask, *next)))
		return true;
	*next = (instruction->kind == EAR_FLOW_JUMP ? ear_flow_target(instruction, held->pc)
						    : held->pc + instruction->size) &
		mask;
	return !held->trapped && ear_flow_leads_to(held, mask, *next) &&
	       instruction->kind <= EAR_FLOW_JUMP && instruction->kind != EAR_FLOW_BRANCH;
}

bool ear_flow_is_taken(const struct ear_flow_held *held, uint64_t mask, uint64_t next)
{
	uint64_t after = (held->pc + held->instruction.size) & mask;
	uint64_t target = ear_flow_target(&held->instruction, held->pc) & mask;

	return next != after || (held->taken && target == next);
}
