#ifndef EAR_TOLERANCE_MARKS_H
#define EAR_TOLERANCE_MARKS_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>

#include "library/compare/followed_memory.h"

/* Which registers of one side of a hart depend on tolerated reads (tolerance.h), and on which. All
 * zero: none does.
 */
#define EAR_MARKS_CSRS_MAX 32 /* CSRs that are marked at one time; more are not followed */

struct ear_marks {
	uint32_t x_set, f_set; /* a bit for each register */
	unsigned csr_count;
	struct ear_origin x[32], f[32];
	uint16_t csr_numbers[EAR_MARKS_CSRS_MAX];
	struct ear_origin csrs[EAR_MARKS_CSRS_MAX];
};

static inline bool ear_marks_any(const struct ear_marks *marks)
{
	return (marks->x_set | marks->f_set | marks->csr_count) != 0;
}

/* The mark of a register, or NULL; also NULL for registers of other classes than x, f and CSRs. */
const struct ear_origin *ear_marks_find(
	const struct ear_marks *marks, enum ear_register_class reg_class, unsigned number);

void ear_marks_clear(struct ear_marks *marks, enum ear_register_class reg_class, unsigned number);

/* Mark a register, or clear its mark if origin has no source. x0 is never marked. */
void ear_marks_set(struct ear_marks *marks, enum ear_register_class reg_class, unsigned number,
	const struct ear_origin *origin);

#endif
