#ifndef EAR_CHECK_OPERAND_H
#define EAR_CHECK_OPERAND_H

#include "library/check/check_state.h"

/* What the instruction read from x[number]: what the record shows, else what was written. */
struct check_value check_operand(
	struct ear_checker *checker, struct check_hart *hart, unsigned number);

/* The operands that the record shows, of an instruction that trapped. */
void check_shown_operands(struct ear_checker *checker, struct check_hart *hart);

#endif
