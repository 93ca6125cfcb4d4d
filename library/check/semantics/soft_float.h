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

enum ear_soft_rounding {
	EAR_SOFT_RNE, /* to nearest, ties to even */
	EAR_SOFT_RTZ, /* to zero */
	EAR_SOFT_RDN, /* down */
	EAR_SOFT_RUP, /* up */
	EAR_SOFT_RMM, /* to nearest, ties away from zero */
};

#define EAR_SOFT_INEXACT   0x01u
#define EAR_SOFT_UNDERFLOW 0x02u
#define EAR_SOFT_OVERFLOW  0x04u
#define EAR_SOFT_DIVIDE    0x08u /* division of a finite number by zero */
#define EAR_SOFT_INVALID   0x10u

struct ear_soft_format {
	unsigned exponent_bits, fraction_bits;
};

extern const struct ear_soft_format ear_soft_single, ear_soft_double;

/* One operation's surroundings: flags collects what it raises. */
struct ear_soft_float {
	const struct ear_soft_format *format;
	enum ear_soft_rounding rounding;
	unsigned flags;
};

uint64_t ear_soft_nan(const struct ear_soft_format *format);
bool ear_soft_is_nan(const struct ear_soft_format *format, uint64_t a);

uint64_t ear_soft_add(struct ear_soft_float *soft, uint64_t a, uint64_t b);
uint64_t ear_soft_mul(struct ear_soft_float *soft, uint64_t a, uint64_t b);
uint64_t ear_soft_div(struct ear_soft_float *soft, uint64_t a, uint64_t b);
uint64_t ear_soft_sqrt(struct ear_soft_float *soft, uint64_t a);
uint64_t ear_soft_fma(
	struct ear_soft_float *soft, uint64_t a, uint64_t b, uint64_t c); /* a * b + c */

/* Change the sign, also of a NaN. */
uint64_t ear_soft_negate(const struct ear_soft_format *format, uint64_t a);

/* The smaller or the larger; a NaN only if both are. -0 is below +0. */
uint64_t ear_soft_min(struct ear_soft_float *soft, uint64_t a, uint64_t b);
uint64_t ear_soft_max(struct ear_soft_float *soft, uint64_t a, uint64_t b);

/* Comparisons; false with a NaN. Equal is quiet: only a signaling NaN is invalid. */
bool ear_soft_equal(struct ear_soft_float *soft, uint64_t a, uint64_t b);
bool ear_soft_less(struct ear_soft_float *soft, uint64_t a, uint64_t b);
bool ear_soft_less_equal(struct ear_soft_float *soft, uint64_t a, uint64_t b);

/* The mask of fclass. */
unsigned ear_soft_class(const struct ear_soft_format *format, uint64_t a);

/* To an integer of 32 or 64 bits, clamped; a 32-bit result is sign-extended, also an unsigned one.
 */
uint64_t ear_soft_to_integer(
	struct ear_soft_float *soft, uint64_t a, unsigned bits, bool is_signed);
/* From an integer, which has 64 bits. */
uint64_t ear_soft_from_integer(struct ear_soft_float *soft, uint64_t a, bool is_signed);
/* From a number of another format to soft->format. */
uint64_t ear_soft_convert(
	struct ear_soft_float *soft, uint64_t a, const struct ear_soft_format *from);

#endif
