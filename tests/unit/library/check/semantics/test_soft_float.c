/* ear_soft_float against the host's floating point hardware: every operation, both formats, on edge
 * values and random ones, in the four rounding modes that hosts have. The fifth is checked by what
 * it must be between the others, and by hand.
 *
 * The host must be IEEE 754 with tininess after rounding, as x86 and RISC-V are; on others the
 * underflow flag is not compared.
 */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "library/check/semantics/soft_float.h"
#include "random.h"

#define RANDOM_ROUNDS 60000

static const int host_modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

enum operation { ADD, SUB, MUL, DIV, SQRT, FMA, EQUAL, LESS, LESS_EQUAL, CONVERT, OPERATIONS };

static const uint64_t double_edges[] = {0, 1, 2, 0x000fffffffffffff, 0x0010000000000000,
	0x0010000000000001, 0x001fffffffffffff, 0x0020000000000000, 0x3ca0000000000000,
	0x3cb0000000000000, 0x36a0000000000000, 0x3690000000000001, 0x380fffffffffffff,
	0x3810000000000000, 0x381fffffe0000000, 0x3810000010000000, 0x3fe0000000000000,
	0x3fefffffffffffff, 0x3ff0000000000000, 0x3ff0000000000001, 0x3ff8000000000000,
	0x4000000000000000, 0x4008000000000000, 0x41dfffffffc00000, 0x41e0000000000000,
	0x41efffffffe00000, 0x41f0000000000000, 0x43e0000000000000, 0x43dfffffffffffff,
	0x43f0000000000000, 0x47efffffe0000000, 0x47effffff0000000, 0x7fe0000000000000,
	0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000};
static const uint64_t single_edges[] = {0, 1, 2, 0x007fffff, 0x00800000, 0x00800001, 0x00ffffff,
	0x01000000, 0x33800000, 0x34000000, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001,
	0x3fc00000, 0x40000000, 0x40400000, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000,
	0x5effffff, 0x5f000000, 0x5f800000, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7f800001,
	0x7fc00000};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static double as_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static uint64_t double_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static float as_float(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float value;

	memcpy(&value, &low, sizeof(value));
	return value;
}

static uint64_t float_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static unsigned host_flags(void)
{
	int raised = fetestexcept(FE_ALL_EXCEPT);

	return (raised & FE_INEXACT ? EAR_SOFT_INEXACT : 0) |
	       (raised & FE_UNDERFLOW ? EAR_SOFT_UNDERFLOW : 0) |
	       (raised & FE_OVERFLOW ? EAR_SOFT_OVERFLOW : 0) |
	       (raised & FE_DIVBYZERO ? EAR_SOFT_DIVIDE : 0) |
	       (raised & FE_INVALID ? EAR_SOFT_INVALID : 0);
}

/* The same operation on the host. volatile keeps it between the calls that set and read the mode.
 */
static uint64_t host_double(enum operation operation, const uint64_t *bits)
{
	volatile double a = as_double(bits[0]), b = as_double(bits[1]), c = as_double(bits[2]), r;
	volatile float narrow;

	switch (operation) {
	case ADD: r = a + b; break;
	case SUB: r = a - b; break;
	case MUL: r = a * b; break;
	case DIV: r = a / b; break;
	case SQRT: r = sqrt(a); break;
	case FMA: r = fma(a, b, c); break;
	case EQUAL: return a == b;
	case LESS: return a < b;
	case LESS_EQUAL: return a <= b;
	default: narrow = (float)a; return float_bits(narrow);
	}
	return double_bits(r);
}

static uint64_t host_single(enum operation operation, const uint64_t *bits)
{
	volatile float a = as_float(bits[0]), b = as_float(bits[1]), c = as_float(bits[2]), r;
	volatile double broad;

	switch (operation) {
	case ADD: r = a + b; break;
	case SUB: r = a - b; break;
	case MUL: r = a * b; break;
	case DIV: r = a / b; break;
	case SQRT: r = sqrtf(a); break;
	case FMA: r = fmaf(a, b, c); break;
	case EQUAL: return a == b;
	case LESS: return a < b;
	case LESS_EQUAL: return a <= b;
	default: broad = a; return double_bits(broad);
	}
	return float_bits(r);
}

static uint64_t ear_soft_run(
	struct ear_soft_float *soft, enum operation operation, const uint64_t *bits)
{
	const struct ear_soft_format *from = soft->format;

	switch (operation) {
	case ADD: return ear_soft_add(soft, bits[0], bits[1]);
	case SUB: return ear_soft_add(soft, bits[0], ear_soft_negate(from, bits[1]));
	case MUL: return ear_soft_mul(soft, bits[0], bits[1]);
	case DIV: return ear_soft_div(soft, bits[0], bits[1]);
	case SQRT: return ear_soft_sqrt(soft, bits[0]);
	case FMA: return ear_soft_fma(soft, bits[0], bits[1], bits[2]);
	case EQUAL: return ear_soft_equal(soft, bits[0], bits[1]);
	case LESS: return ear_soft_less(soft, bits[0], bits[1]);
	case LESS_EQUAL: return ear_soft_less_equal(soft, bits[0], bits[1]);
	default:
		soft->format = from == &ear_soft_double ? &ear_soft_single : &ear_soft_double;
		return ear_soft_convert(soft, bits[0], from);
	}
}

static bool gives_number(enum operation operation)
{
	return operation != EQUAL && operation != LESS && operation != LESS_EQUAL;
}

static void check(
	const struct ear_soft_format *format, enum operation operation, const uint64_t *bits)
{
	for (unsigned mode = 0; mode < COUNT(host_modes); mode++) {
		struct ear_soft_float soft = {
			.format = format, .rounding = (enum ear_soft_rounding)mode};
		uint64_t mine = ear_soft_run(&soft, operation, bits), host;
		unsigned flags;

		fesetround(host_modes[mode]);
		feclearexcept(FE_ALL_EXCEPT);
		host = format == &ear_soft_double ? host_double(operation, bits)
						  : host_single(operation, bits);
		flags = host_flags();
		fesetround(FE_TONEAREST);
#if !defined(__x86_64__) && !defined(__riscv)
		flags = (flags & ~EAR_SOFT_UNDERFLOW) | (soft.flags & EAR_SOFT_UNDERFLOW);
#endif
		if (gives_number(operation) && ear_soft_is_nan(soft.format, host))
			host = ear_soft_nan(soft.format);
		/* Hosts may leave out "invalid" for infinity times zero plus a quiet NaN. */
		if (operation == FMA && ear_soft_is_nan(format, bits[2]))
			flags = (flags & ~EAR_SOFT_INVALID) | (soft.flags & EAR_SOFT_INVALID);
		if (mine != host || soft.flags != flags)
			fail_msg("operation %d, %u bits, mode %u: %llx %llx %llx gives %llx flags "
				 "%02x, host %llx %02x",
				operation, format->fraction_bits, mode, (unsigned long long)bits[0],
				(unsigned long long)bits[1], (unsigned long long)bits[2],
				(unsigned long long)mine, soft.flags, (unsigned long long)host,
				flags);
	}
}

static void edges(const struct ear_soft_format *format, const uint64_t *values, size_t count)
{
	uint64_t sign = ear_soft_negate(format, 0);

	for (size_t k = 0; k < 2 * count * 2 * count; k++) {
		size_t i = k / (2 * count), j = k % (2 * count);
		uint64_t bits[3] = {
			values[i / 2] | (i & 1 ? sign : 0), values[j / 2] | (j & 1 ? sign : 0), 0};

		for (int operation = 0; operation < OPERATIONS; operation++) {
			bits[2] = values[(i * 7 + j * 3) % count] | (k & 4 ? sign : 0);
			check(format, (enum operation)operation, bits);
		}
	}
}

/* A number near the others, so that they cancel, and with few or many bits set. */
static uint64_t draw(struct random *random, const struct ear_soft_format *format)
{
	uint64_t fraction_mask = (UINT64_C(1) << format->fraction_bits) - 1;
	uint64_t bias = (UINT64_C(1) << (format->exponent_bits - 1)) - 1, exponent, fraction;

	fraction = random_next(random) & fraction_mask;
	if (random_once_in(random, 2))
		fraction &= random_next(random) & random_next(random) & random_next(random);
	if (random_once_in(random, 4))
		fraction = ~fraction & fraction_mask;
	exponent = random_once_in(random, 3)
			   ? random_next(random) & ((UINT64_C(1) << format->exponent_bits) - 1)
			   : bias - 30 + random_below(random, 60);
	if (random_once_in(random, 8)) /* so that products end among the subnormal ones */
		exponent = bias / 2 - 4 + random_below(random, 8);
	return fraction | exponent << format->fraction_bits |
	       (random_once_in(random, 2) ? ear_soft_negate(format, 0) : 0);
}

static void randoms(const struct ear_soft_format *format)
{
	struct random random = {format->fraction_bits};
	uint64_t bits[3];

	for (unsigned k = 0; k < RANDOM_ROUNDS; k++) {
		for (unsigned i = 0; i < 3; i++)
			bits[i] = draw(&random, format);
		check(format, (enum operation)(k % OPERATIONS), bits);
		/* An addend that nearly cancels the product. */
		if (k % OPERATIONS == FMA) {
			struct ear_soft_float soft = {.format = format};

			bits[2] = ear_soft_negate(format, ear_soft_mul(&soft, bits[0], bits[1])) +
				  random_below(&random, 3) - 1;
			check(format, FMA, bits);
		}
	}
}

static void double_is_as_the_host_computes(void **state)
{
	(void)state;
	edges(&ear_soft_double, double_edges, COUNT(double_edges));
	randoms(&ear_soft_double);
}

static void single_is_as_the_host_computes(void **state)
{
	(void)state;
	edges(&ear_soft_single, single_edges, COUNT(single_edges));
	randoms(&ear_soft_single);
}

/* Halfway cases by hand: 2^24 + 1 in single precision lies in the middle of two numbers. */
static void ties_go_away_from_zero_in_the_fifth_mode(void **state)
{
	struct ear_soft_float soft = {.format = &ear_soft_single, .rounding = EAR_SOFT_RMM};

	(void)state;
	assert_int_equal(ear_soft_from_integer(&soft, (1 << 24) + 1, true), 0x4b800001);
	assert_int_equal(
		ear_soft_from_integer(&soft, (uint64_t) - ((1 << 24) + 1), true), 0xcb800001);
	soft.rounding = EAR_SOFT_RNE;
	assert_int_equal(ear_soft_from_integer(&soft, (1 << 24) + 1, true), 0x4b800000);
	soft.rounding = EAR_SOFT_RMM;
	soft.flags = 0;
	assert_int_equal(ear_soft_to_integer(&soft, 0x40200000, 32, true), 3); /* 2.5 */
	assert_int_equal(ear_soft_to_integer(&soft, 0xc0200000, 32, true), (uint64_t)-3);
	assert_int_equal(soft.flags, EAR_SOFT_INEXACT);
	soft.rounding = EAR_SOFT_RNE;
	assert_int_equal(ear_soft_to_integer(&soft, 0x40200000, 32, true), 2);
}

/* Whatever is no tie is the same as to nearest even. */
static void the_fifth_mode_differs_only_in_ties(void **state)
{
	struct random random = {9};
	struct ear_soft_float even = {.format = &ear_soft_double, .rounding = EAR_SOFT_RNE};
	struct ear_soft_float away = {.format = &ear_soft_double, .rounding = EAR_SOFT_RMM};
	unsigned ties = 0;

	(void)state;
	for (unsigned k = 0; k < RANDOM_ROUNDS; k++) {
		uint64_t a = draw(&random, &ear_soft_double), b = draw(&random, &ear_soft_double);
		uint64_t nearest = ear_soft_add(&even, a, b), other = ear_soft_add(&away, a, b);

		if (nearest == other)
			continue;
		ties++;
		assert_int_equal(other, nearest + 1);
		assert_int_equal(nearest & 1, 0);
	}
	assert_true(ties > 0);
}

/* fcvt of RISC-V, table "domains of float-to-integer conversions". */
static void conversions_to_integers_clamp(void **state)
{
	static const struct {
		uint64_t bits;
		unsigned width;
		bool is_signed;
		uint64_t result;
		unsigned flags;
	} rows[] = {
		{0x7ff8000000000000, 32, true, 0x7fffffff, EAR_SOFT_INVALID},
		{0x7ff8000000000000, 32, false, ~UINT64_C(0), EAR_SOFT_INVALID},
		{0xfff0000000000000, 32, true, 0xffffffff80000000, EAR_SOFT_INVALID},
		{0xfff0000000000000, 64, false, 0, EAR_SOFT_INVALID},
		{0x7ff0000000000000, 64, true, 0x7fffffffffffffff, EAR_SOFT_INVALID},
		{0x41e0000000000000, 32, true, 0x7fffffff, EAR_SOFT_INVALID}, /* 2^31 */
		{0xc1e0000000000000, 32, true, 0xffffffff80000000, 0},        /* -2^31 */
		{0xc1e0000000100000, 32, true, 0xffffffff80000000, EAR_SOFT_INEXACT},
		{0xc1e0000000200000, 32, true, 0xffffffff80000000, EAR_SOFT_INVALID}, /* -2^31-1 */
		{0x41e0000000000000, 32, false, 0xffffffff80000000, 0},
		{0x41f0000000000000, 32, false, ~UINT64_C(0), EAR_SOFT_INVALID}, /* 2^32 */
		{0xbfe0000000000000, 32, false, 0, EAR_SOFT_INEXACT},            /* -0.5 */
		{0xbff0000000000000, 32, false, 0, EAR_SOFT_INVALID},            /* -1 */
		{0xc3e0000000000000, 64, true, 0x8000000000000000, 0},           /* -2^63 */
		{0x43f0000000000000, 64, false, ~UINT64_C(0), EAR_SOFT_INVALID}, /* 2^64 */
		{0x43efffffffffffff, 64, false, 0xfffffffffffff800, 0},
		{0x8000000000000000, 64, true, 0, 0},
		{0x0000000000000001, 64, true, 0, EAR_SOFT_INEXACT},
	};

	(void)state;
	for (size_t k = 0; k < COUNT(rows); k++) {
		struct ear_soft_float soft = {.format = &ear_soft_double};

		assert_int_equal(
			ear_soft_to_integer(&soft, rows[k].bits, rows[k].width, rows[k].is_signed),
			rows[k].result);
		assert_int_equal(soft.flags, rows[k].flags);
	}
}

static void min_and_max_prefer_numbers_and_order_zeros(void **state)
{
	static const uint64_t one = 0x3f800000, minus_zero = 0x80000000, quiet = 0x7fc00001,
			      signaling = 0x7f800001;
	struct ear_soft_float soft = {.format = &ear_soft_single};

	(void)state;
	assert_int_equal(ear_soft_min(&soft, 0, minus_zero), minus_zero);
	assert_int_equal(ear_soft_max(&soft, minus_zero, 0), 0);
	assert_int_equal(ear_soft_min(&soft, quiet, one), one);
	assert_int_equal(ear_soft_max(&soft, one, quiet), one);
	assert_int_equal(ear_soft_max(&soft, quiet, quiet), 0x7fc00000);
	assert_int_equal(soft.flags, 0);
	assert_int_equal(ear_soft_min(&soft, signaling, one), one);
	assert_int_equal(soft.flags, EAR_SOFT_INVALID);
}

static void infinity_times_zero_is_invalid_beside_a_quiet_nan(void **state)
{
	struct ear_soft_float soft = {.format = &ear_soft_single};

	(void)state;
	assert_int_equal(ear_soft_fma(&soft, 0x7f800000, 0, 0x7fc00000), 0x7fc00000);
	assert_int_equal(soft.flags, EAR_SOFT_INVALID);
}

static void every_class_has_its_bit(void **state)
{
	static const uint64_t values[] = {0xff800000, 0xbf800000, 0x80000001, 0x80000000, 0,
		0x00000001, 0x3f800000, 0x7f800000, 0x7f800001, 0x7fc00000};

	(void)state;
	for (unsigned k = 0; k < COUNT(values); k++)
		assert_int_equal(ear_soft_class(&ear_soft_single, values[k]), 1u << k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(double_is_as_the_host_computes),
		cmocka_unit_test(single_is_as_the_host_computes),
		cmocka_unit_test(ties_go_away_from_zero_in_the_fifth_mode),
		cmocka_unit_test(the_fifth_mode_differs_only_in_ties),
		cmocka_unit_test(conversions_to_integers_clamp),
		cmocka_unit_test(min_and_max_prefer_numbers_and_order_zeros),
		cmocka_unit_test(infinity_times_zero_is_invalid_beside_a_quiet_nan),
		cmocka_unit_test(every_class_has_its_bit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
