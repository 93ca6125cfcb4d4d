#ifndef EAR_INFER_ACCESS_H
#define EAR_INFER_ACCESS_H

#include "library/infer/infer_state.h"

/* Loads, stores and atomics. */
void infer_access(struct infer_step *step);

/* Whether the SC that is pending has stored. */
void infer_access_resolve(struct ear_infer *infer, struct infer_hart *hart, bool stored);

#endif
