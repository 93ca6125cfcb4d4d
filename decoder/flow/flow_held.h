#ifndef EAR_FLOW_HELD_H
#define EAR_FLOW_HELD_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>

#include "decoder/flow/flow_code.h"

/* An instruction of a record, for an encoder of branch traces: it is held until the next record
 * shows where it went. All zero: there is none. */
struct ear_flow_held {
	bool present, trapped, interrupted, taken, has_next, has_privilege, has_time, has_cause;
	bool has_opcode; /* else instruction means nothing */
	uint8_t privilege;
	uint64_t pc, next_pc, time, cause;
	struct ear_flow_instruction instruction;
};

/* xlen: 32 or 64. code: of the opcodes that records lack, or NULL. */
void ear_flow_hold(struct ear_flow_held *held, const struct ear_record *record, unsigned xlen,
	const struct ear_flow_code *code);

/* Does it never retire: is it a trap, or an instruction that always traps? */
static inline bool ear_flow_held_traps(const struct ear_flow_held *held)
{
	return held->trapped || held->instruction.kind == EAR_FLOW_TRAPS;
}

/* Does the flow go from this instruction to next by itself? mask: of XLEN bits. */
bool ear_flow_leads_to(const struct ear_flow_held *held, uint64_t mask, uint64_t next);

/* Where it went without a next record. Returns false if that is not known. */
bool ear_flow_own_next(const struct ear_flow_held *held, uint64_t mask, uint64_t *next);

/* Was a branch that went to next taken? */
bool ear_flow_is_taken(const struct ear_flow_held *held, uint64_t mask, uint64_t next);

#endif
