#ifndef EAR_INFER_SOLVE_H
#define EAR_INFER_SOLVE_H

#include "library/infer/infer_snapshot.h"

/* What the facts of these steps, which are of one hart, say of each other: what is known later says
 * what was there before, and the other way round. Adds to them, for the next forward pass. infer:
 * after the last step; end: what a snapshot says of it, NULL: there is none.
 *
 * Returns 1 if something was added, 0 if not, or EAR_E_NO_MEMORY.
 */
int infer_solve(const struct ear_infer *infer, struct infer_facts *steps, size_t count,
	const struct infer_end *end);

#endif
