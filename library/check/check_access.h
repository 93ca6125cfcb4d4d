#ifndef EAR_CHECK_ACCESS_H
#define EAR_CHECK_ACCESS_H

#include "library/check/check_state.h"

/* Loads, stores and atomics. Returns what rd should become. */
struct check_value check_accesses(struct ear_checker *checker, struct check_hart *hart,
	const struct ear_semantics *op, const struct check_operands *operands);

/* Of an instruction that accesses nothing, or whose semantics are not known (judge false). */
void check_no_accesses(struct ear_checker *checker, bool judge);

#endif
