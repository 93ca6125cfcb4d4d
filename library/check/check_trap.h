#ifndef EAR_CHECK_TRAP_H
#define EAR_CHECK_TRAP_H

#include "library/check/check_state.h"

/* An instruction that trapped, an interrupt that was taken, and MRET or SRET. */
void check_trap(struct ear_checker *checker, struct check_hart *hart);
void check_interrupt(struct ear_checker *checker, struct check_hart *hart);
/* An instruction that trapped in a text that has no word for traps: it writes its pc to xEPC, and
 * no CSR instruction could. Returns false, and nothing is done, if it is none. */
bool check_hidden_trap(struct ear_checker *checker, struct check_hart *hart);
void check_return(struct ear_checker *checker, struct check_hart *hart, bool machine);

/* An interrupt may have been taken of which the source shows nothing. */
void check_trap_forget(struct check_hart *hart);

#endif
