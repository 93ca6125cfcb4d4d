#ifndef EAR_ANALYSES_ISA_COUNTING_H
#define EAR_ANALYSES_ISA_COUNTING_H

#include "analyses/coverage/isa_state.h"

/* An instruction that retired. Returns 0 or EAR_E_NO_MEMORY. */
int ear_isa_count_retired(struct ear_isa_coverage *coverage, uint32_t number, struct isa_hart *hart,
	const struct ear_record *record);
/* The hazards of a step, which then is the last one. */
void ear_isa_count_step(
	struct ear_isa_opcode *opcode, struct isa_step *before, const struct isa_step *step);
void ear_isa_count_values(
	struct ear_isa_opcode *opcode, unsigned rs1, unsigned rs2, uint64_t count);
/* Of a register's value: a number of the format's classes. */
unsigned ear_isa_value_of(uint64_t value, unsigned format, unsigned xlen);

#endif
