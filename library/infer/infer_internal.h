#ifndef EAR_INFER_INTERNAL_H
#define EAR_INFER_INTERNAL_H

#include "library/infer/infer_state.h"

/* As ear_infer_step; *facts is what is known of the record from elsewhere, and becomes what is
 * known of it now. All zero: nothing is. */
int infer_step_with(struct ear_infer *infer, const struct ear_record *record,
	const struct ear_record *next, struct ear_inferred *inferred, struct infer_facts *facts);

#endif
