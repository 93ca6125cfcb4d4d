#ifndef EAR_CHECK_PMP_H
#define EAR_CHECK_PMP_H

#include "library/check/check_state.h"

/* Physical memory protection: what was executed, loaded and stored must be allowed. Volume II,
 * "Physical Memory Protection".
 */

/* What the rule makes of an instruction in a mode. */
enum check_pmp_use {
	CHECK_PMP_NONE,    /* machine mode, and no entry is for it: nothing to check */
	CHECK_PMP_UNKNOWN, /* counted as such */
	CHECK_PMP_ACTIVE,
};

enum check_pmp_use check_pmp_use(struct check_hart *hart, struct check_value mode);

/* Are the addresses of this privilege those of memory? */
bool check_pmp_is_bare(const struct check_hart *hart, unsigned privilege);

/* The record's fetch and accesses. */
void check_pmp(struct ear_checker *checker, struct check_hart *hart);

/* Is the access within what was allowed last? For the fast path; false: ask check_pmp. */
static inline bool check_pmp_holds(
	const struct check_hart *hart, enum check_pmp_kind kind, uint64_t address, unsigned size)
{
	const struct check_pmp_range *range = &hart->pmp.allowed[kind];

	return address >= range->first && address <= range->last &&
	       range->last - address >= size - 1;
}

#endif
