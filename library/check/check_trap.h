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

/* The same where it is unknown where the instruction goes: a text may leave out that the next one
 * trapped. */
void check_trap_may_hide(const struct ear_checker *checker, struct check_hart *hart);

/* Is a handler there? */
enum check_handler { CHECK_HANDLER_NO, CHECK_HANDLER_UNKNOWN, CHECK_HANDLER_YES };

/* vector: the number of xtvec, 0: nothing traps to that mode. The other: of M or S. */
enum check_handler check_trap_leads_to(const struct ear_checker *checker,
	const struct check_hart *hart, unsigned vector, uint64_t pc);
enum check_handler check_trap_leads(
	const struct ear_checker *checker, const struct check_hart *hart, uint64_t pc);

/* A record with a wrong pc, or one swapped with the next: the one after it is where the program
 * would be without. A handler does not go there, as it has interrupts off and no return yet. */
bool check_trap_comes_back(const struct check_hart *hart, uint64_t pc);

/* The instruction does not go where it must. Has a text left a trap out between it and the next
 * record? Then the rule counts as not checked, and the next record begins a handler. */
bool check_trap_hides(struct ear_checker *checker, struct check_hart *hart,
	enum ear_check_rule rule, uint64_t expected, uint64_t next);

#endif
