#ifndef EAR_CHECK_INSTRUCTION_H
#define EAR_CHECK_INSTRUCTION_H

#include "library/check/check_state.h"

/* An instruction that executed to its end. */
void check_instruction(struct ear_checker *checker, struct check_hart *hart);

#endif
