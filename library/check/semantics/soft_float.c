#include "library/check/semantics/soft_float.h"

/* Every operation takes numbers apart, works exactly or with one sticky bit in 128 bits, and ends
 * in round_pack: there is one place that rounds.
 */

typedef unsigned __int128 wide;

const struct ear_soft_format ear_soft_single = {8, 23}, ear_soft_double = {11, 52};

enum kind { ZERO, FINITE, INFINITE, QUIET_NAN, SIGNALING_NAN };

/* FINITE: value is significand * 2^exponent, and bit 63 of the significand is 1. */
struct number {
	enum kind kind;
	bool sign;
	int exponent;
	uint64_t significand;
};

static int bias(const struct ear_soft_format *format)
{
	return (1 << (format->exponent_bits - 1)) - 1;
}

static uint64_t exponent_mask(const struct ear_soft_format *format)
{
	return (UINT64_C(1) << format->exponent_bits) - 1;
}

static uint64_t sign_bit(const struct ear_soft_format *format)
{
	return UINT64_C(1) << (format->exponent_bits + format->fraction_bits);
}

static uint64_t infinity(const struct ear_soft_format *format, bool sign)
{
	return exponent_mask(format) << format->fraction_bits | (sign ? sign_bit(format) : 0);
}

static uint64_t zero(const struct ear_soft_format *format, bool sign)
{
	return sign ? sign_bit(format) : 0;
}

uint64_t ear_soft_nan(const struct ear_soft_format *format)
{
	return infinity(format, false) | UINT64_C(1) << (format->fraction_bits - 1);
}

uint64_t ear_soft_negate(const struct ear_soft_format *format, uint64_t a)
{
	return a ^ sign_bit(format);
}

static struct number unpack(const struct ear_soft_format *format, uint64_t a)
{
	uint64_t fraction = a & ((UINT64_C(1) << format->fraction_bits) - 1);
	uint64_t exponent = a >> format->fraction_bits & exponent_mask(format);
	struct number number = {.sign = (a & sign_bit(format)) != 0};
	int shift;

	if (exponent == exponent_mask(format)) {
		if (fraction == 0)
			number.kind = INFINITE;
		else
			number.kind =
				fraction >> (format->fraction_bits - 1) ? QUIET_NAN : SIGNALING_NAN;
		return number;
	}
	if (exponent == 0 && fraction == 0)
		return number;
	number.kind = FINITE;
	if (exponent == 0)
		exponent = 1;
	else
		fraction |= UINT64_C(1) << format->fraction_bits;
	shift = __builtin_clzll(fraction);
	number.significand = fraction << shift;
	number.exponent = (int)exponent - bias(format) - (int)format->fraction_bits - shift;
	return number;
}

static bool is_nan(const struct number *a)
{
	return a->kind >= QUIET_NAN;
}

bool ear_soft_is_nan(const struct ear_soft_format *format, uint64_t a)
{
	struct number number = unpack(format, a);

	return is_nan(&number);
}

/* Rounding --------------------------------------------------------------------------------- */

/* Shift to the right; ones that fall out leave a one in bit 0. */
static wide shift_sticky(wide a, int count)
{
	if (count <= 0)
		return a;
	if (count > 127)
		return a != 0;
	return a >> count | ((a & (((wide)1 << count) - 1)) != 0);
}

/* a without its low count bits, rounded. count may be anything from 0 up. */
static wide round_bits(wide a, int count, bool sign, enum ear_soft_rounding rounding, bool *inexact)
{
	wide kept, rest, half;
	bool up;

	*inexact = false;
	if (count <= 0)
		return a;
	if (count > 127) { /* a is below 2^127: less than half of the last place */
		a = 1;
		count = 2;
	}
	kept = a >> count;
	rest = a & (((wide)1 << count) - 1);
	half = (wide)1 << (count - 1);
	if (rest == 0)
		return kept;
	*inexact = true;
	switch (rounding) {
	case EAR_SOFT_RNE: up = rest > half || (rest == half && (kept & 1)); break;
	case EAR_SOFT_RDN: up = sign; break;
	case EAR_SOFT_RUP: up = !sign; break;
	case EAR_SOFT_RMM: up = rest >= half; break;
	default: up = false; break;
	}
	return kept + up;
}

static uint64_t overflow(struct ear_soft_float *soft, bool sign)
{
	bool to_infinity = soft->rounding == EAR_SOFT_RNE || soft->rounding == EAR_SOFT_RMM ||
			   soft->rounding == (sign ? EAR_SOFT_RDN : EAR_SOFT_RUP);

	soft->flags |= EAR_SOFT_OVERFLOW | EAR_SOFT_INEXACT;
	/* One below infinity is the largest number. */
	return infinity(soft->format, sign) - !to_infinity;
}

/* The number nearest to significand * 2^exponent; significand is not 0, below 2^127, and may have
 * a sticky bit 0 if it is above 2^66. */
static uint64_t round_pack(struct ear_soft_float *soft, bool sign, int exponent, wide significand)
{
	const struct ear_soft_format *format = soft->format;
	int fraction_bits = (int)format->fraction_bits, smallest = 1 - bias(format);
	int top = (uint64_t)(significand >> 64)
			  ? 127 - __builtin_clzll((uint64_t)(significand >> 64))
			  : 63 - __builtin_clzll((uint64_t)significand);
	int magnitude = exponent + top; /* value is 1.x * 2^magnitude */
	int last = (magnitude < smallest ? smallest : magnitude) - fraction_bits;
	uint64_t biased = (uint64_t)last + (uint64_t)(fraction_bits + bias(format)), bits;
	bool inexact, ignored, tiny = false;
	wide kept;

	if (magnitude < smallest) {
		kept = round_bits(significand, magnitude - fraction_bits - exponent, sign,
			soft->rounding, &ignored);
		tiny = magnitude < smallest - 1 || kept >> (fraction_bits + 1) == 0;
	}
	if (last < exponent) /* the number has fewer bits than the format */
		kept = significand << (exponent - last), inexact = false;
	else
		kept = round_bits(significand, last - exponent, sign, soft->rounding, &inexact);
	/* A carry out of the fraction, and the hidden bit, go where they belong: the exponent. */
	bits = kept == 0 ? 0 : ((biased - 1) << fraction_bits) + (uint64_t)kept;
	if (biased >= exponent_mask(format) || bits >> fraction_bits >= exponent_mask(format))
		return overflow(soft, sign);
	if (inexact)
		soft->flags |= EAR_SOFT_INEXACT | (tiny ? EAR_SOFT_UNDERFLOW : 0);
	return bits | zero(format, sign);
}

static uint64_t invalid(struct ear_soft_float *soft)
{
	soft->flags |= EAR_SOFT_INVALID;
	return ear_soft_nan(soft->format);
}

/* The result when a or b is a NaN. */
static uint64_t propagate(
	struct ear_soft_float *soft, const struct number *a, const struct number *b)
{
	if (a->kind == SIGNALING_NAN || b->kind == SIGNALING_NAN)
		return invalid(soft);
	return ear_soft_nan(soft->format);
}

/* Arithmetic ------------------------------------------------------------------------------- */

/* The sum of two finite terms, significand * 2^exponent each, significands below 2^126 and exact.
 * No bits that matter get lost: a term is shifted out only when the other is far larger. */
static uint64_t add_terms(struct ear_soft_float *soft, bool a_sign, int a_exponent, wide a,
	bool b_sign, int b_exponent, wide b)
{
	int exponent = a_exponent > b_exponent ? a_exponent : b_exponent;

	a = shift_sticky(a, exponent - a_exponent);
	b = shift_sticky(b, exponent - b_exponent);
	if (a_sign == b_sign)
		return round_pack(soft, a_sign, exponent, a + b);
	if (a == b)
		return zero(soft->format, soft->rounding == EAR_SOFT_RDN);
	return a > b ? round_pack(soft, a_sign, exponent, a - b)
		     : round_pack(soft, b_sign, exponent, b - a);
}

uint64_t ear_soft_add(struct ear_soft_float *soft, uint64_t a_bits, uint64_t b_bits)
{
	struct number a = unpack(soft->format, a_bits), b = unpack(soft->format, b_bits);

	if (is_nan(&a) || is_nan(&b))
		return propagate(soft, &a, &b);
	if (a.kind == INFINITE)
		return b.kind == INFINITE && a.sign != b.sign ? invalid(soft) : a_bits;
	if (b.kind == INFINITE)
		return b_bits;
	if (a.kind == ZERO && b.kind == ZERO)
		return zero(
			soft->format, a.sign == b.sign ? a.sign : soft->rounding == EAR_SOFT_RDN);
	if (a.kind == ZERO)
		return b_bits;
	if (b.kind == ZERO)
		return a_bits;
	return add_terms(soft, a.sign, a.exponent - 62, (wide)a.significand << 62, b.sign,
		b.exponent - 62, (wide)b.significand << 62);
}

uint64_t ear_soft_mul(struct ear_soft_float *soft, uint64_t a_bits, uint64_t b_bits)
{
	struct number a = unpack(soft->format, a_bits), b = unpack(soft->format, b_bits);
	bool sign = a.sign != b.sign;

	if (is_nan(&a) || is_nan(&b))
		return propagate(soft, &a, &b);
	if (a.kind == INFINITE || b.kind == INFINITE)
		return a.kind == ZERO || b.kind == ZERO ? invalid(soft)
							: infinity(soft->format, sign);
	if (a.kind == ZERO || b.kind == ZERO)
		return zero(soft->format, sign);
	return round_pack(
		soft, sign, a.exponent + b.exponent + 2, (wide)a.significand * b.significand >> 2);
}

uint64_t ear_soft_fma(
	struct ear_soft_float *soft, uint64_t a_bits, uint64_t b_bits, uint64_t c_bits)
{
	struct number a = unpack(soft->format, a_bits), b = unpack(soft->format, b_bits);
	struct number c = unpack(soft->format, c_bits);
	bool sign = a.sign != b.sign;
	wide product;
	int exponent;

	if ((a.kind == INFINITE && b.kind == ZERO) || (a.kind == ZERO && b.kind == INFINITE))
		return invalid(soft); /* even when c is a quiet NaN */
	if (is_nan(&a) || is_nan(&b) || is_nan(&c)) {
		if (c.kind == SIGNALING_NAN)
			return invalid(soft);
		return propagate(soft, &a, &b);
	}
	if (a.kind == INFINITE || b.kind == INFINITE)
		return c.kind == INFINITE && c.sign != sign ? invalid(soft)
							    : infinity(soft->format, sign);
	if (c.kind == INFINITE)
		return c_bits;
	if (a.kind == ZERO || b.kind == ZERO) {
		if (c.kind != ZERO)
			return c_bits;
		return zero(soft->format, c.sign == sign ? sign : soft->rounding == EAR_SOFT_RDN);
	}
	/* 53 significant bits in 64: the product of two ends with 22 zeros. */
	product = (wide)a.significand * b.significand >> 2;
	exponent = a.exponent + b.exponent + 2;
	if (c.kind == ZERO)
		return round_pack(soft, sign, exponent, product);
	return add_terms(
		soft, sign, exponent, product, c.sign, c.exponent - 62, (wide)c.significand << 62);
}

uint64_t ear_soft_div(struct ear_soft_float *soft, uint64_t a_bits, uint64_t b_bits)
{
	struct number a = unpack(soft->format, a_bits), b = unpack(soft->format, b_bits);
	bool sign = a.sign != b.sign;
	wide dividend, quotient;

	if (is_nan(&a) || is_nan(&b))
		return propagate(soft, &a, &b);
	if (a.kind == INFINITE)
		return b.kind == INFINITE ? invalid(soft) : infinity(soft->format, sign);
	if (b.kind == INFINITE)
		return zero(soft->format, sign);
	if (b.kind == ZERO) {
		if (a.kind == ZERO)
			return invalid(soft);
		soft->flags |= EAR_SOFT_DIVIDE;
		return infinity(soft->format, sign);
	}
	if (a.kind == ZERO)
		return zero(soft->format, sign);
	/* Four bits more make room for a sticky one. */
	dividend = (wide)a.significand << 64;
	quotient = dividend / b.significand;
	quotient = quotient << 4 | (dividend % b.significand != 0);
	return round_pack(soft, sign, a.exponent - b.exponent - 68, quotient);
}

/* The integer square root, digit by digit in base 2; *exact if nothing remains. */
static uint64_t square_root(wide a, bool *exact)
{
	wide root = 0, rest = a;

	for (int at = 126; at >= 0; at -= 2) {
		wide trial = root + ((wide)1 << at);

		root >>= 1;
		if (rest >= trial) {
			rest -= trial;
			root += (wide)1 << at;
		}
	}
	*exact = rest == 0;
	return (uint64_t)root;
}

uint64_t ear_soft_sqrt(struct ear_soft_float *soft, uint64_t a_bits)
{
	struct number a = unpack(soft->format, a_bits);
	wide radicand, root;
	int exponent;
	bool exact;

	if (is_nan(&a))
		return propagate(soft, &a, &a);
	if (a.kind == ZERO)
		return a_bits;
	if (a.sign)
		return invalid(soft);
	if (a.kind == INFINITE)
		return a_bits;
	/* Make the exponent even; the root then has 63 or 64 bits. */
	exponent = a.exponent - 62;
	radicand = (wide)a.significand << 62;
	if (exponent & 1) {
		radicand <<= 1;
		exponent--;
	}
	root = square_root(radicand, &exact);
	return round_pack(soft, false, exponent / 2 - 4, root << 4 | !exact);
}

/* Comparisons ------------------------------------------------------------------------------ */

static bool is_zero(const struct ear_soft_format *format, uint64_t a)
{
	return (a & ~sign_bit(format)) == 0;
}

/* a < b for numbers that are no NaN; zeros of both signs are equal unless ordered_zeros. */
static bool less(const struct ear_soft_format *format, uint64_t a, uint64_t b, bool ordered_zeros)
{
	bool a_sign = (a & sign_bit(format)) != 0, b_sign = (b & sign_bit(format)) != 0;

	if (!ordered_zeros && is_zero(format, a) && is_zero(format, b))
		return false;
	if (a_sign != b_sign)
		return a_sign;
	return a_sign ? a > b : a < b;
}

/* True, with the flag set, if one of the two makes a comparison false. */
static bool unordered(struct ear_soft_float *soft, uint64_t a_bits, uint64_t b_bits, bool quiet)
{
	struct number a = unpack(soft->format, a_bits), b = unpack(soft->format, b_bits);

	if (!is_nan(&a) && !is_nan(&b))
		return false;
	if (!quiet || a.kind == SIGNALING_NAN || b.kind == SIGNALING_NAN)
		soft->flags |= EAR_SOFT_INVALID;
	return true;
}

bool ear_soft_equal(struct ear_soft_float *soft, uint64_t a, uint64_t b)
{
	if (unordered(soft, a, b, true))
		return false;
	return a == b || (is_zero(soft->format, a) && is_zero(soft->format, b));
}

bool ear_soft_less(struct ear_soft_float *soft, uint64_t a, uint64_t b)
{
	return !unordered(soft, a, b, false) && less(soft->format, a, b, false);
}

bool ear_soft_less_equal(struct ear_soft_float *soft, uint64_t a, uint64_t b)
{
	return !unordered(soft, a, b, false) && !less(soft->format, b, a, false);
}

/* What min and max give when there is a NaN; false: there is none. */
static bool choose_number(struct ear_soft_float *soft, uint64_t a, uint64_t b, uint64_t *result)
{
	if (!unordered(soft, a, b, true))
		return false;
	if (!ear_soft_is_nan(soft->format, a))
		*result = a;
	else if (!ear_soft_is_nan(soft->format, b))
		*result = b;
	else
		*result = ear_soft_nan(soft->format);
	return true;
}

uint64_t ear_soft_min(struct ear_soft_float *soft, uint64_t a, uint64_t b)
{
	uint64_t result;

	if (choose_number(soft, a, b, &result))
		return result;
	return less(soft->format, a, b, true) ? a : b;
}

uint64_t ear_soft_max(struct ear_soft_float *soft, uint64_t a, uint64_t b)
{
	uint64_t result;

	if (choose_number(soft, a, b, &result))
		return result;
	return less(soft->format, a, b, true) ? b : a;
}

unsigned ear_soft_class(const struct ear_soft_format *format, uint64_t a)
{
	struct number number = unpack(format, a);
	bool subnormal = (a >> format->fraction_bits & exponent_mask(format)) == 0;

	switch (number.kind) {
	case INFINITE: return number.sign ? 1u << 0 : 1u << 7;
	case ZERO: return number.sign ? 1u << 3 : 1u << 4;
	case SIGNALING_NAN: return 1u << 8;
	case QUIET_NAN: return 1u << 9;
	default: break;
	}
	if (subnormal)
		return number.sign ? 1u << 2 : 1u << 5;
	return number.sign ? 1u << 1 : 1u << 6;
}

/* Conversions ------------------------------------------------------------------------------ */

static uint64_t extend(uint64_t value, unsigned bits)
{
	return bits == 32 ? (uint64_t)(int64_t)(int32_t)value : value;
}

/* The integer that an impossible conversion gives. */
static uint64_t clamp(struct ear_soft_float *soft, bool negative, unsigned bits, bool is_signed)
{
	uint64_t top = UINT64_C(1) << (bits - 1);

	soft->flags = (soft->flags & ~EAR_SOFT_INEXACT) | EAR_SOFT_INVALID;
	if (negative)
		return is_signed ? extend(top, bits) : 0;
	return is_signed ? top - 1 : ~UINT64_C(0);
}

uint64_t ear_soft_to_integer(
	struct ear_soft_float *soft, uint64_t a_bits, unsigned bits, bool is_signed)
{
	struct number a = unpack(soft->format, a_bits);
	uint64_t limit = is_signed ? UINT64_C(1) << (bits - 1) : 0; /* of negative ones */
	wide magnitude, largest = (wide)(is_signed ? limit - 1 : ~UINT64_C(0) >> (64 - bits));
	bool inexact = false;

	if (is_nan(&a))
		return clamp(soft, false, bits, is_signed);
	if (a.kind == INFINITE)
		return clamp(soft, a.sign, bits, is_signed);
	if (a.kind == ZERO)
		return 0;
	if (a.exponent > 0)
		return clamp(soft, a.sign, bits, is_signed);
	magnitude = round_bits(a.significand, -a.exponent, a.sign, soft->rounding, &inexact);
	if (magnitude > (a.sign ? limit : largest))
		return clamp(soft, a.sign, bits, is_signed);
	if (inexact)
		soft->flags |= EAR_SOFT_INEXACT;
	return extend(a.sign ? 0 - (uint64_t)magnitude : (uint64_t)magnitude, bits);
}

uint64_t ear_soft_from_integer(struct ear_soft_float *soft, uint64_t a, bool is_signed)
{
	bool sign = is_signed && (int64_t)a < 0;

	if (a == 0)
		return 0;
	return round_pack(soft, sign, 0, sign ? 0 - a : a);
}

uint64_t ear_soft_convert(
	struct ear_soft_float *soft, uint64_t a_bits, const struct ear_soft_format *from)
{
	struct number a = unpack(from, a_bits);

	switch (a.kind) {
	case ZERO: return zero(soft->format, a.sign);
	case INFINITE: return infinity(soft->format, a.sign);
	case FINITE: return round_pack(soft, a.sign, a.exponent, a.significand);
	default: return propagate(soft, &a, &a);
	}
}
