#ifndef EAR_CHECK_CSR_H
#define EAR_CHECK_CSR_H

#include "library/check/check_state.h"

/* A CSR instruction. Returns the old value, for rd. */
struct check_value check_csr(struct ear_checker *checker, struct check_hart *hart,
	const struct ear_semantics *op, const struct check_operands *operands);

/* What the record shows of CSRs; one of them; what all harts begin with after a reset. */
void check_csr_believe(struct check_hart *hart, const struct ear_record *record);
void check_csr_learn(struct check_hart *hart, unsigned number, uint64_t value);
void check_csr_reset(struct check_hart *hart);
void check_csr_forget(struct check_hart *hart, unsigned number);

#endif
