#ifndef EAR_CHECK_WARL_H
#define EAR_CHECK_WARL_H

#include "library/check/check_state.h"

/* A CSR keeps of what is written what its core has (WARL). Which bits it has, the trace shows: a
 * bit that took a value takes it the next time, too, and one that refused it refuses it again.
 * Judged are CSRs whose bits do not depend on each other. written: what software wrote; shown: what
 * the CSR holds then.
 */
void check_warl(struct ear_checker *checker, struct check_hart *hart, unsigned number,
	uint64_t written, uint64_t shown);

#endif
