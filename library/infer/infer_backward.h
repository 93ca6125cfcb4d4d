#ifndef EAR_INFER_BACKWARD_H
#define EAR_INFER_BACKWARD_H

#include "library/infer/infer_snapshot.h"

/* One pass from the last of these steps to the first: what is known later says what was there
 * before. Adds to their facts, which the next forward pass takes. All are of one hart. infer: after
 * the last step; end: what a snapshot says of it, NULL: there is none. Returns 0 or
 * EAR_E_NO_MEMORY.
 */
int infer_backward(const struct ear_infer *infer, struct infer_facts *steps, size_t count,
	const struct infer_end *end);

#endif
