#ifndef EAR_INFER_CSR_H
#define EAR_INFER_CSR_H

#include "library/infer/infer_state.h"

/* A CSR instruction. */
void infer_csr(struct infer_step *step);

/* A trap came: its handler begins with this record. */
void infer_csr_trap(struct infer_hart *hart, const struct ear_record *handler);

/* A CSR holds this. */
void infer_csr_show(struct infer_hart *hart, unsigned number, uint64_t value);

/* Does a trap lead there? */
bool infer_csr_is_handler(const struct infer_hart *hart, uint64_t pc);

#endif
