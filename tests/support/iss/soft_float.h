#ifndef EAR_SOFT_FLOAT_H
#define EAR_SOFT_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

/* IEEE 754 arithmetic in integers, with what RISC-V adds to it (unprivileged specification,
 * chapters "F" and "D"): every NaN that comes out is the canonical one, tininess is detected
 * after rounding, and there is a fifth rounding mode.
 *
 * Numbers are bit patterns in a uint64_t; those of the single format in the low half, with zeros
 * above.
 */

enum soft_rounding {
	SOFT_RNE, /* to nearest, ties to even */
	SOFT_RTZ, /* to zero */
	SOFT_RDN, /* down */
	SOFT_RUP, /* up */
	SOFT_RMM, /* to nearest, ties away from zero */
};

#define SOFT_INEXACT   0x01u
#define SOFT_UNDERFLOW 0x02u
#define SOFT_OVERFLOW  0x04u
#define SOFT_DIVIDE    0x08u /* division of a finite number by zero */
#define SOFT_INVALID   0x10u

struct soft_format {
	unsigned exponent_bits, fraction_bits;
};

extern const struct soft_format soft_single, soft_double;

/* One operation's surroundings: flags collects what it raises. */
struct soft_float {
	const struct soft_format *format;
	enum soft_rounding rounding;
	unsigned flags;
};

uint64_t soft_nan(const struct soft_format *format);
bool soft_is_nan(const struct soft_format *format, uint64_t a);

uint64_t soft_add(struct soft_float *soft, uint64_t a, uint64_t b);
uint64_t soft_mul(struct soft_float *soft, uint64_t a, uint64_t b);
uint64_t soft_div(struct soft_float *soft, uint64_t a, uint64_t b);
uint64_t soft_sqrt(struct soft_float *soft, uint64_t a);
uint64_t soft_fma(struct soft_float *soft, uint64_t a, uint64_t b, uint64_t c); /* a * b + c */

/* Change the sign, also of a NaN. */
uint64_t soft_negate(const struct soft_format *format, uint64_t a);

/* The smaller or the larger; a NaN only if both are. -0 is below +0. */
uint64_t soft_min(struct soft_float *soft, uint64_t a, uint64_t b);
uint64_t soft_max(struct soft_float *soft, uint64_t a, uint64_t b);

/* Comparisons; false with a NaN. Equal is quiet: only a signaling NaN is invalid. */
bool soft_equal(struct soft_float *soft, uint64_t a, uint64_t b);
bool soft_less(struct soft_float *soft, uint64_t a, uint64_t b);
bool soft_less_equal(struct soft_float *soft, uint64_t a, uint64_t b);

/* The mask of fclass. */
unsigned soft_class(const struct soft_format *format, uint64_t a);

/* To an integer of 32 or 64 bits, clamped; a 32-bit result is sign-extended, also an unsigned one.
 */
uint64_t soft_to_integer(struct soft_float *soft, uint64_t a, unsigned bits, bool is_signed);
/* From an integer, which has 64 bits. */
uint64_t soft_from_integer(struct soft_float *soft, uint64_t a, bool is_signed);
/* From a number of another format to soft->format. */
uint64_t soft_convert(struct soft_float *soft, uint64_t a, const struct soft_format *from);

#endif
