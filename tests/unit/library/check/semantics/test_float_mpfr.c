/* F and D against MPFR, instruction by instruction: values, flags, NaNs and their boxes.
 *
 * MPFR computes each result with 128 bits, the last of which is 1 if anything is lost (rounded to
 * odd), so that another rounding is as good as the first. That number becomes one of the format by
 * rounding an integer, the number in units of its last place: MPFR has all five modes for that.
 * Done with an exponent range without an end, the same says whether a result is tiny, or too large,
 * after rounding. For the four modes that MPFR has everywhere, its own way to subnormal numbers
 * (mpfr_subnormalize) must give the same.
 *
 * EAR_FLOAT_TRIALS says how often each instruction is tried in each mode.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <mpfr.h>

#include "library/check/semantics/semantics_float.h"
#include "library/check/semantics/soft_float.h"
#include "random.h"

#define TRIALS       40000
#define PRECISION    128
#define BOX          (UINT64_C(0xffffffff) << 32)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum shape {
	SHAPE_ARITHMETIC, /* a number of the format from one to three */
	SHAPE_CHOOSE,     /* min, max */
	SHAPE_COMPARE,
	SHAPE_TO_INTEGER,
	SHAPE_FROM_INTEGER,
	SHAPE_CLASS,
};

enum action { ADD, SUB, MUL, DIV, SQRT, MADD, MSUB, NMSUB, NMADD, CONVERT };

/* An instruction of OP-FP by its fields, or the opcode of a multiply-add. select is the rs2 field
 * where it is no register. */
struct row {
	const char *name;
	enum shape shape;
	unsigned detail; /* enum action; funct3; bits and sign of an integer */
	uint32_t opcode, function, select;
};

#define REGISTER 2u /* rs2 is f2 */
#define LONG     64u
#define WORD     32u
#define UNSIGNED 1u

static const struct row rows[] = {
	{"fadd", SHAPE_ARITHMETIC, ADD, 0x53, 0x00, REGISTER},
	{"fsub", SHAPE_ARITHMETIC, SUB, 0x53, 0x01, REGISTER},
	{"fmul", SHAPE_ARITHMETIC, MUL, 0x53, 0x02, REGISTER},
	{"fdiv", SHAPE_ARITHMETIC, DIV, 0x53, 0x03, REGISTER},
	{"fsqrt", SHAPE_ARITHMETIC, SQRT, 0x53, 0x0b, 0},
	{"fmadd", SHAPE_ARITHMETIC, MADD, 0x43, 3, REGISTER},
	{"fmsub", SHAPE_ARITHMETIC, MSUB, 0x47, 3, REGISTER},
	{"fnmsub", SHAPE_ARITHMETIC, NMSUB, 0x4b, 3, REGISTER},
	{"fnmadd", SHAPE_ARITHMETIC, NMADD, 0x4f, 3, REGISTER},
	{"fcvt between formats", SHAPE_ARITHMETIC, CONVERT, 0x53, 0x08, 0},
	{"fmin", SHAPE_CHOOSE, 0, 0x53, 0x05, REGISTER},
	{"fmax", SHAPE_CHOOSE, 1, 0x53, 0x05, REGISTER},
	{"fle", SHAPE_COMPARE, 0, 0x53, 0x14, REGISTER},
	{"flt", SHAPE_COMPARE, 1, 0x53, 0x14, REGISTER},
	{"feq", SHAPE_COMPARE, 2, 0x53, 0x14, REGISTER},
	{"fcvt.w", SHAPE_TO_INTEGER, WORD, 0x53, 0x18, 0},
	{"fcvt.wu", SHAPE_TO_INTEGER, WORD | UNSIGNED, 0x53, 0x18, 1},
	{"fcvt.l", SHAPE_TO_INTEGER, LONG, 0x53, 0x18, 2},
	{"fcvt.lu", SHAPE_TO_INTEGER, LONG | UNSIGNED, 0x53, 0x18, 3},
	{"fcvt from w", SHAPE_FROM_INTEGER, WORD, 0x53, 0x1a, 0},
	{"fcvt from wu", SHAPE_FROM_INTEGER, WORD | UNSIGNED, 0x53, 0x1a, 1},
	{"fcvt from l", SHAPE_FROM_INTEGER, LONG, 0x53, 0x1a, 2},
	{"fcvt from lu", SHAPE_FROM_INTEGER, LONG | UNSIGNED, 0x53, 0x1a, 3},
	{"fclass", SHAPE_CLASS, 1, 0x53, 0x1c, 0},
};

/* Exponents as MPFR counts them: the significand is below 1. */
struct format {
	const struct ear_soft_format *soft;
	mpfr_prec_t precision;
	mpfr_exp_t least, largest; /* of the smallest subnormal number, of the largest one */
};

static const struct format formats[2] = {
	{&ear_soft_single, 24, -148, 128},
	{&ear_soft_double, 53, -1073, 1024},
};

struct expected {
	uint64_t value;
	unsigned flags;
};

static mpfr_t operands[3], exact, rounded, unbounded, limit;

static int make_numbers(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++)
		mpfr_init2(operands[i], PRECISION);
	mpfr_inits2(PRECISION, exact, rounded, unbounded, limit, (mpfr_ptr)0);
	return 0;
}

static int free_numbers(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++)
		mpfr_clear(operands[i]);
	mpfr_clears(exact, rounded, unbounded, limit, (mpfr_ptr)0);
	mpfr_free_cache();
	return 0;
}

/* Bits and numbers ------------------------------------------------------------------------------
 */

static void load(mpfr_t number, const struct format *format, uint64_t bits)
{
	if (format->soft == &ear_soft_double) {
		double value;
		memcpy(&value, &bits, sizeof(value));
		mpfr_set_d(number, value, MPFR_RNDN);
	} else {
		uint32_t low = (uint32_t)bits;
		float value;
		memcpy(&value, &low, sizeof(value));
		mpfr_set_flt(number, value, MPFR_RNDN);
	}
}

/* The number is one of the format. */
static uint64_t store(const struct format *format, mpfr_t number)
{
	uint64_t bits;
	uint32_t low;

	if (mpfr_nan_p(number))
		return ear_soft_nan(format->soft);
	if (format->soft == &ear_soft_double) {
		double value = mpfr_get_d(number, MPFR_RNDZ);
		memcpy(&bits, &value, sizeof(bits));
		return bits;
	}
	float value = mpfr_get_flt(number, MPFR_RNDZ);
	memcpy(&low, &value, sizeof(low));
	return low;
}

static bool is_signaling(const struct format *format, uint64_t bits)
{
	return ear_soft_is_nan(format->soft, bits) &&
	       !(bits >> (format->soft->fraction_bits - 1) & 1);
}

/* A register's value as an operand. */
static uint64_t unbox(const struct format *format, uint64_t value)
{
	if (format->soft == &ear_soft_double)
		return value;
	return (value & BOX) == BOX ? value & ~BOX : ear_soft_nan(&ear_soft_single);
}

static uint64_t box(const struct format *format, uint64_t value)
{
	return format->soft == &ear_soft_single ? value | BOX : value;
}

/* Rounding --------------------------------------------------------------------------------------
 */

static void round_integer(mpfr_t to, mpfr_t from, enum ear_soft_rounding mode)
{
	switch (mode) {
	case EAR_SOFT_RNE: mpfr_roundeven(to, from); return;
	case EAR_SOFT_RTZ: mpfr_trunc(to, from); return;
	case EAR_SOFT_RDN: mpfr_floor(to, from); return;
	case EAR_SOFT_RUP: mpfr_ceil(to, from); return;
	default: mpfr_round(to, from); return; /* halves away from zero */
	}
}

/* `exact` to a multiple of 2^unit. */
static void round_to(mpfr_t to, mpfr_exp_t unit, enum ear_soft_rounding mode)
{
	mpfr_mul_2si(to, exact, -unit, MPFR_RNDN);
	round_integer(to, to, mode);
	mpfr_mul_2si(to, to, unit, MPFR_RNDN);
}

/* Of a number that is finite and not 0: its value in the format, and flags. */
static void round_number(
	struct expected *expected, const struct format *format, enum ear_soft_rounding mode)
{
	mpfr_exp_t unit = mpfr_get_exp(exact) - format->precision;
	bool negative = mpfr_signbit(exact), tiny;

	round_to(unbounded, unit, mode);
	mpfr_set_ui_2exp(limit, 1, format->largest, MPFR_RNDN);
	if (mpfr_cmpabs(unbounded, limit) >= 0) {
		bool finite =
			mode == EAR_SOFT_RTZ || mode == (negative ? EAR_SOFT_RUP : EAR_SOFT_RDN);

		mpfr_set_inf(rounded, 1);
		expected->value = store(format, rounded) - finite;
		if (negative)
			expected->value = ear_soft_negate(format->soft, expected->value);
		expected->flags |= EAR_SOFT_OVERFLOW | EAR_SOFT_INEXACT;
		return;
	}
	/* The smallest normal number. */
	mpfr_set_ui_2exp(limit, 1, format->least + format->precision - 2, MPFR_RNDN);
	tiny = mpfr_cmpabs(unbounded, limit) < 0;
	round_to(rounded, unit < format->least - 1 ? format->least - 1 : unit, mode);
	if (!mpfr_equal_p(rounded, exact))
		expected->flags |= EAR_SOFT_INEXACT | (tiny ? EAR_SOFT_UNDERFLOW : 0);
	if (mpfr_zero_p(rounded))
		mpfr_setsign(rounded, rounded, negative, MPFR_RNDN);
	expected->value = store(format, rounded);
}

static mpfr_rnd_t mode_of_mpfr(enum ear_soft_rounding mode)
{
	static const mpfr_rnd_t modes[] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU};

	return modes[mode];
}

static int compute(mpfr_t to, enum action action, mpfr_rnd_t mode)
{
	int ternary;

	switch (action) {
	case ADD: return mpfr_add(to, operands[0], operands[1], mode);
	case SUB: return mpfr_sub(to, operands[0], operands[1], mode);
	case MUL: return mpfr_mul(to, operands[0], operands[1], mode);
	case DIV: return mpfr_div(to, operands[0], operands[1], mode);
	case SQRT: return mpfr_sqrt(to, operands[0], mode);
	case MADD: return mpfr_fma(to, operands[0], operands[1], operands[2], mode);
	case MSUB: return mpfr_fms(to, operands[0], operands[1], operands[2], mode);
	case CONVERT: return mpfr_set(to, operands[0], mode);
	default: break;
	}
	/* -(a * b) - c and -(a * b) + c. */
	mpfr_neg(operands[0], operands[0], MPFR_RNDN);
	ternary = action == NMADD ? mpfr_fms(to, operands[0], operands[1], operands[2], mode)
				  : mpfr_fma(to, operands[0], operands[1], operands[2], mode);
	mpfr_neg(operands[0], operands[0], MPFR_RNDN);
	return ternary;
}

/* MPFR's own rounding to the format. */
static uint64_t round_by_mpfr(
	const struct format *format, enum action action, enum ear_soft_rounding mode)
{
	mpfr_exp_t least = mpfr_get_emin(), largest = mpfr_get_emax();
	uint64_t bits;
	mpfr_t number;
	int ternary;

	mpfr_init2(number, format->precision);
	mpfr_set_emin(format->least);
	mpfr_set_emax(format->largest);
	ternary = compute(number, action, mode_of_mpfr(mode));
	/* An operand of the other format may lie outside of the range. */
	ternary = mpfr_check_range(number, ternary, mode_of_mpfr(mode));
	mpfr_subnormalize(number, ternary, mode_of_mpfr(mode));
	mpfr_set_emin(least);
	mpfr_set_emax(largest);
	bits = store(format, number);
	mpfr_clear(number);
	return bits;
}

/* What is expected -------------------------------------------------------------------------------
 */

/* Rounded to odd: if something is lost, the last bit is 1. */
static void compute_odd(enum action action, enum ear_soft_rounding mode)
{
	int ternary = compute(exact, action, MPFR_RNDZ);

	if (mpfr_zero_p(exact)) { /* its sign depends on the mode */
		compute(exact, action, mode == EAR_SOFT_RDN ? MPFR_RNDD : MPFR_RNDN);
		return;
	}
	if (ternary == 0 || !mpfr_regular_p(exact))
		return;
	/* The last bit is 0 if the number fits one bit less. */
	mpfr_prec_t needed = mpfr_min_prec(exact);
	if (needed < PRECISION) {
		if (mpfr_signbit(exact))
			mpfr_nextbelow(exact);
		else
			mpfr_nextabove(exact);
	}
}

static void expect_arithmetic(struct expected *expected, enum action action,
	const struct format *format, const struct format *from, const uint64_t *bits,
	enum ear_soft_rounding mode)
{
	unsigned count = action == SQRT || action == CONVERT ? 1 : action >= MADD ? 3 : 2;
	bool nan = false, signaling = false;

	for (unsigned i = 0; i < count; i++) {
		load(operands[i], from, bits[i]);
		nan = nan || mpfr_nan_p(operands[i]);
		signaling = signaling || is_signaling(from, bits[i]);
	}
	compute_odd(action, mode);
	bool product_invalid = action >= MADD && action != CONVERT &&
			       ((mpfr_inf_p(operands[0]) && mpfr_zero_p(operands[1])) ||
				       (mpfr_zero_p(operands[0]) && mpfr_inf_p(operands[1])));
	if (mpfr_nan_p(exact)) {
		expected->value = ear_soft_nan(format->soft);
		if (signaling || !nan || product_invalid)
			expected->flags = EAR_SOFT_INVALID;
		return;
	}
	if (!mpfr_regular_p(exact)) {
		expected->value = store(format, exact);
		if (action == DIV && mpfr_zero_p(operands[1]) && !mpfr_inf_p(operands[0]))
			expected->flags = EAR_SOFT_DIVIDE;
		return;
	}
	round_number(expected, format, mode);
	if (mode != EAR_SOFT_RMM)
		assert_int_equal(expected->value, round_by_mpfr(format, action, mode));
}

static void expect_choice(
	struct expected *expected, bool maximum, const struct format *format, const uint64_t *bits)
{
	bool a_nan = ear_soft_is_nan(format->soft, bits[0]),
	     b_nan = ear_soft_is_nan(format->soft, bits[1]), first;
	int order;

	if (is_signaling(format, bits[0]) || is_signaling(format, bits[1]))
		expected->flags = EAR_SOFT_INVALID;
	if (a_nan || b_nan) {
		expected->value = a_nan && b_nan ? ear_soft_nan(format->soft)
				  : a_nan        ? bits[1]
						 : bits[0];
		return;
	}
	load(operands[0], format, bits[0]);
	load(operands[1], format, bits[1]);
	order = mpfr_cmp(operands[0], operands[1]);
	if (order == 0) /* zeros: the negative one is the smaller */
		first = (mpfr_signbit(operands[0]) != 0) != maximum;
	else
		first = (order < 0) != maximum;
	expected->value = bits[first ? 0 : 1];
}

static void expect_comparison(struct expected *expected, unsigned which,
	const struct format *format, const uint64_t *bits)
{
	load(operands[0], format, bits[0]);
	load(operands[1], format, bits[1]);
	if (mpfr_unordered_p(operands[0], operands[1])) {
		if (which != 2 || is_signaling(format, bits[0]) || is_signaling(format, bits[1]))
			expected->flags = EAR_SOFT_INVALID;
		return;
	}
	int order = mpfr_cmp(operands[0], operands[1]);
	expected->value = which == 0 ? order <= 0 : which == 1 ? order < 0 : order == 0;
}

static void expect_integer(struct expected *expected, unsigned detail, const struct format *format,
	uint64_t bits, enum ear_soft_rounding mode)
{
	unsigned width = detail & ~UNSIGNED;
	bool is_unsigned = detail & UNSIGNED, low, high;
	uint64_t most =
		is_unsigned ? ~UINT64_C(0) >> (64 - width) : (UINT64_C(1) << (width - 1)) - 1;

	load(operands[0], format, bits);
	if (mpfr_nan_p(operands[0])) {
		low = false;
		high = true;
	} else {
		round_integer(rounded, operands[0], mode);
		low = is_unsigned ? mpfr_sgn(rounded) < 0
				  : mpfr_cmp_si_2exp(rounded, -1, width - 1) < 0;
		mpfr_set_ui(limit, most, MPFR_RNDN);
		high = mpfr_cmp(rounded, limit) > 0;
	}
	if (low || high) {
		expected->flags = EAR_SOFT_INVALID;
		expected->value = high ? most : is_unsigned ? 0 : most + 1;
	} else {
		expected->flags = mpfr_equal_p(rounded, operands[0]) ? 0 : EAR_SOFT_INEXACT;
		expected->value = is_unsigned ? mpfr_get_ui(rounded, MPFR_RNDN)
					      : (uint64_t)mpfr_get_si(rounded, MPFR_RNDN);
	}
	if (width == 32)
		expected->value = (uint64_t)(int64_t)(int32_t)expected->value;
}

static void expect_from_integer(struct expected *expected, unsigned detail,
	const struct format *format, uint64_t x, enum ear_soft_rounding mode)
{
	if ((detail & ~UNSIGNED) == WORD)
		x = detail & UNSIGNED ? (uint32_t)x : (uint64_t)(int64_t)(int32_t)x;
	if (detail & UNSIGNED)
		mpfr_set_ui(exact, x, MPFR_RNDN);
	else
		mpfr_set_si(exact, (int64_t)x, MPFR_RNDN);
	if (x)
		round_number(expected, format, mode);
}

static void expect_class(struct expected *expected, const struct format *format, uint64_t bits)
{
	load(operands[0], format, bits);
	bool negative = mpfr_signbit(operands[0]);

	mpfr_set_ui_2exp(limit, 1, format->least + format->precision - 2, MPFR_RNDN);
	if (mpfr_nan_p(operands[0]))
		expected->value = is_signaling(format, bits) ? 1u << 8 : 1u << 9;
	else if (mpfr_inf_p(operands[0]))
		expected->value = negative ? 1u << 0 : 1u << 7;
	else if (mpfr_zero_p(operands[0]))
		expected->value = negative ? 1u << 3 : 1u << 4;
	else if (mpfr_cmpabs(operands[0], limit) < 0)
		expected->value = negative ? 1u << 2 : 1u << 5;
	else
		expected->value = negative ? 1u << 1 : 1u << 6;
}

/* One instruction --------------------------------------------------------------------------------
 */

static uint32_t encode(const struct row *row, unsigned format, unsigned rm)
{
	uint32_t select = row->select;

	if (row->shape == SHAPE_ARITHMETIC && row->detail == CONVERT)
		select = !format;
	return row->function << 27 | format << 25 | select << 20 | 1u << 15 | rm << 12 | 5u << 7 |
	       row->opcode;
}

static void check(const struct row *row, unsigned which, const uint64_t *registers, uint64_t x,
	enum ear_soft_rounding mode, bool dynamic)
{
	const struct format *format = &formats[which];
	bool converts = row->shape == SHAPE_ARITHMETIC && row->detail == CONVERT;
	const struct format *from = converts ? &formats[!which] : format;
	bool rounds = row->shape == SHAPE_ARITHMETIC || row->shape == SHAPE_TO_INTEGER ||
		      row->shape == SHAPE_FROM_INTEGER;
	uint32_t insn = encode(row, which, !rounds ? row->detail : dynamic ? 7 : mode);
	struct ear_float_operands given = {.x = x, .frm = dynamic ? mode : 6, .flen = 64};
	struct expected expected = {0, 0};
	struct ear_float_result result;
	struct ear_semantics op;
	uint64_t bits[3];
	bool to_float = false;

	for (unsigned i = 0; i < 3; i++) {
		given.f[i] = registers[i];
		bits[i] = unbox(from, registers[i]);
	}
	switch (row->shape) {
	case SHAPE_ARITHMETIC:
		expect_arithmetic(&expected, (enum action)row->detail, format, from, bits, mode);
		to_float = true;
		break;
	case SHAPE_CHOOSE:
		expect_choice(&expected, row->detail, format, bits);
		to_float = true;
		break;
	case SHAPE_COMPARE: expect_comparison(&expected, row->detail, format, bits); break;
	case SHAPE_TO_INTEGER: expect_integer(&expected, row->detail, format, bits[0], mode); break;
	case SHAPE_FROM_INTEGER:
		expect_from_integer(&expected, row->detail, format, x, mode);
		to_float = true;
		break;
	default: expect_class(&expected, format, bits[0]); break;
	}
	if (to_float)
		expected.value = box(format, expected.value);
	ear_semantics_decode(&op, insn, 64, EAR_SEMANTICS_ALL);
	assert_int_equal(op.kind, EAR_SEM_FLOAT);
	assert_true(ear_semantics_float(&op, &given, &result));
	if (result.value != expected.value || result.flags != expected.flags ||
		result.is_float != to_float)
		fail_msg("%s of %s precision, mode %d: %llx %llx %llx and x %llx give %llx with "
			 "flags %02x, MPFR %llx with flags %02x",
			row->name, which ? "double" : "single", mode,
			(unsigned long long)registers[0], (unsigned long long)registers[1],
			(unsigned long long)registers[2], (unsigned long long)x,
			(unsigned long long)result.value, result.flags,
			(unsigned long long)expected.value, expected.flags);
}

/* Operands --------------------------------------------------------------------------------------
 */

static uint64_t draw(struct random *random, const struct format *format)
{
	unsigned fraction_bits = format->soft->fraction_bits;
	uint64_t fraction_mask = (UINT64_C(1) << fraction_bits) - 1;
	uint64_t most = (UINT64_C(1) << format->soft->exponent_bits) - 1, bias = most >> 1;
	uint64_t fraction = random_next(random) & fraction_mask, exponent;

	if (random_once_in(random, 12)) { /* zero, one, infinity, a NaN of each kind */
		unsigned special = (unsigned)random_below(random, 5);

		exponent = special == 0 ? 0 : special == 1 ? bias : most;
		fraction = special < 3 ? 0 : (uint64_t)(special - 2) << (fraction_bits - 2);
		return (random_next(random) & 1 ? ear_soft_negate(format->soft, 0) : 0) |
		       exponent << fraction_bits | fraction;
	}
	switch (random_below(random, 8)) {
	case 0: fraction = random_below(random, 3); break;
	case 1: fraction = fraction_mask - random_below(random, 3); break;
	case 2: fraction &= random_next(random) & random_next(random); break;
	case 3: fraction = UINT64_C(1) << random_below(random, fraction_bits); break;
	default: break;
	}
	switch (random_below(random, 8)) {
	case 0: exponent = random_below(random, 2); break;
	case 1: exponent = most - random_below(random, 2); break;
	case 2:
		exponent = bias / 2 - fraction_bits + random_below(random, 2 * fraction_bits);
		break;
	case 3: exponent = random_below(random, most + 1); break;
	case 4: exponent = bias + random_below(random, 66); break; /* among the integers */
	default: exponent = bias - 3 + random_below(random, 6); break;
	}
	return (random_next(random) & 1 ? ear_soft_negate(format->soft, 0) : 0) |
	       exponent << fraction_bits | fraction;
}

static uint64_t draw_integer(struct random *random)
{
	uint64_t value = random_next(random);

	switch (random_below(random, 4)) {
	case 0: return value >> random_below(random, 64);
	case 1: return (UINT64_C(1) << random_below(random, 64)) + random_below(random, 3) - 1;
	case 2: return 0 - (value >> random_below(random, 64));
	default: return value;
	}
}

/* Sometimes the third nearly cancels the product of the others, and sometimes a number of single
 * precision has no box. */
static void draw_operands(struct random *random, const struct format *format, uint64_t *registers)
{
	struct ear_soft_float soft = {.format = format->soft};
	uint64_t sign = ear_soft_negate(format->soft, 0);

	for (unsigned i = 0; i < 3; i++)
		registers[i] = draw(random, format);
	if (random_once_in(random, 4))
		registers[2] = (ear_soft_mul(&soft, registers[0], registers[1]) ^
				       (random_next(random) & sign)) +
			       random_below(random, 5) - 2;
	if (random_once_in(random, 8))
		registers[1] = registers[0] ^ (random_next(random) & sign);
	for (unsigned i = 0; i < 3; i++)
		if (format->soft == &ear_soft_single)
			registers[i] =
				box(format, registers[i] & 0xffffffff) &
				(random_once_in(random, 32) ? random_next(random) : ~UINT64_C(0));
}

static void every_instruction_is_as_mpfr_computes(void **state)
{
	const char *text = getenv("EAR_FLOAT_TRIALS");
	unsigned long trials = text ? strtoul(text, NULL, 10) : TRIALS, done = 0;
	struct random random = {77};

	(void)state;
	for (size_t k = 0; k < COUNT(rows); k++) {
		for (unsigned which = 0; which < 2; which++) {
			bool converts =
				rows[k].shape == SHAPE_ARITHMETIC && rows[k].detail == CONVERT;
			const struct format *from = &formats[converts ? !which : which];

			for (unsigned long i = 0; i < trials; i++) {
				uint64_t registers[3], x = draw_integer(&random);

				draw_operands(&random, from, registers);
				for (unsigned mode = 0; mode <= EAR_SOFT_RMM; mode++, done++)
					check(&rows[k], which, registers, x,
						(enum ear_soft_rounding)mode, i & 1);
			}
		}
	}
	printf("%lu instructions\n", done);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			every_instruction_is_as_mpfr_computes, make_numbers, free_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
