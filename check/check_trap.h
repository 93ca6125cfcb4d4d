#ifndef EAR_CHECK_TRAP_H
#define EAR_CHECK_TRAP_H

#include "check/check_state.h"

/* An instruction that trapped, an interrupt that was taken, and MRET or SRET. */
void check_trap(struct ear_checker *checker, struct check_hart *hart);
void check_interrupt(struct ear_checker *checker, struct check_hart *hart);
void check_return(struct ear_checker *checker, struct check_hart *hart, bool machine);

#endif
