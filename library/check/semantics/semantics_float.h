#ifndef EAR_SEMANTICS_FLOAT_H
#define EAR_SEMANTICS_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

#include "library/check/semantics/semantics.h"

/* Instructions of kind EAR_SEM_FLOAT. RISC-V unprivileged specification, chapters "F" and "D". */

/* What one works on. Values of f registers are as the registers hold them; which registers those
 * are, ear_semantics_float_reads says. */
struct ear_float_operands {
	uint64_t f[3]; /* of rs1, rs2, rs3 */
	uint64_t x;    /* of the x register rs1 */
	unsigned frm;  /* the CSR */
	unsigned flen; /* 32 or 64; with 64 a single-precision number is NaN-boxed */
};

struct ear_float_result {
	uint64_t value; /* of the register rd */
	bool is_float;  /* an f register */
	unsigned flags; /* raised: bits of fflags */
};

/* The f registers that the instruction reads: set of 1 (rs1), 2 (rs2), 4 (rs3); their numbers are
 * the fields of op->wide. */
unsigned ear_semantics_float_reads(const struct ear_semantics *op);

/* Of any kind: does the instruction write an f register, and not an x register? */
bool ear_semantics_float_writes_f(const struct ear_semantics *op);

/* Returns false, *result is undefined: the rounding mode is reserved. */
bool ear_semantics_float(const struct ear_semantics *op, const struct ear_float_operands *operands,
	struct ear_float_result *result);

#endif
