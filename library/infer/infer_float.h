#ifndef EAR_INFER_FLOAT_H
#define EAR_INFER_FLOAT_H

#include "library/infer/infer_state.h"

/* What computes with f registers. */
void infer_float(struct infer_step *step);

#endif
