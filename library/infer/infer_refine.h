#ifndef EAR_INFER_REFINE_H
#define EAR_INFER_REFINE_H

#include "library/infer/infer_value.h"

/* What the operands and the result of an instruction say of each other, in any direction. */

/* Adds what other knows. Both are right; if they differ, something is supposed that does not hold,
 * and *value stays: the forward pass finds it. Returns whether *value knows more now. */
bool infer_learn(struct infer_value *value, struct infer_value other);

/* An operation on x registers, a kind from EAR_SEM_ADD on; b is rs2 or the immediate. same: both
 * operands are one register, and *b is *a. */
void infer_refine(enum ear_semantics_kind kind, unsigned xlen, bool same, struct infer_value *a,
	struct infer_value *b, struct infer_value *result);

/* The branch was taken, or was not. */
void infer_refine_branch(enum ear_semantics_kind kind, unsigned xlen, bool taken,
	struct infer_value *a, struct infer_value *b);

#endif
