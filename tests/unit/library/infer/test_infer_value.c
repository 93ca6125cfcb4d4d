/* Whatever the unknown bits are, the known bits of a result are right, and so is what a result says
 * of its operands. */
#include "check.h"

#include "library/infer/infer_refine.h"
#include "random.h"

#define ROUNDS 3000u

/* Numbers in which something happens. */
static uint64_t draw_number(struct random *random)
{
	uint64_t number = random_next(random);

	switch (random_below(random, 4)) {
	case 0: return number & 0xff;
	case 1: return ~(number & 0xff);
	case 2: return (uint64_t)1 << (number & 63);
	default: return number;
	}
}

static uint64_t draw_known(struct random *random)
{
	switch (random_below(random, 4)) {
	case 0: return UINT64_MAX;
	case 1: return 0;
	case 2: return UINT64_MAX << random_below(random, 64);
	default: return random_next(random) | random_next(random);
	}
}

static struct infer_value draw_value(struct random *random, uint64_t number, unsigned xlen)
{
	uint64_t known = draw_known(random);

	if (xlen == 32)
		known |= UINT64_C(0xffffffff) << 32;
	return (struct infer_value){number & known, known};
}

static void assert_right(struct infer_value found, uint64_t truth)
{
	assert_int_equal(found.value & ~found.known, 0);
	assert_int_equal((found.value ^ truth) & found.known, 0);
}

static void what_is_known_of_a_result_is_right(void **state)
{
	struct random random = {7};

	(void)state;
	for (unsigned kind = EAR_SEM_ADD; kind <= EAR_SEM_CZERO_NEZ; kind++) {
		for (unsigned i = 0; i < ROUNDS; i++) {
			unsigned xlen = i & 1 ? 64 : 32;
			uint64_t mask = xlen == 32 ? UINT32_MAX : UINT64_MAX;
			uint64_t x = draw_number(&random) & mask, y = draw_number(&random) & mask;
			bool same = random_once_in(&random, 4);
			struct infer_value a = draw_value(&random, x, xlen);
			struct infer_value b = same ? a : draw_value(&random, y, xlen);
			if (same)
				y = x;
			assert_right(infer_compute((enum ear_semantics_kind)kind, a, b, same, xlen),
				xlen == 32 ? ear_semantics_compute_32(
						     (enum ear_semantics_kind)kind, x, y)
					   : ear_semantics_compute_64(
						     (enum ear_semantics_kind)kind, x, y));
		}
	}
}

static uint64_t compute(enum ear_semantics_kind kind, unsigned xlen, uint64_t x, uint64_t y)
{
	return xlen == 32 ? ear_semantics_compute_32(kind, x, y)
			  : ear_semantics_compute_64(kind, x, y);
}

static void what_a_result_says_of_its_operands_is_right(void **state)
{
	struct random random = {8};

	(void)state;
	for (unsigned kind = EAR_SEM_ADD; kind <= EAR_SEM_CZERO_NEZ; kind++) {
		for (unsigned i = 0; i < ROUNDS; i++) {
			unsigned xlen = i & 1 ? 64 : 32;
			uint64_t mask = xlen == 32 ? UINT32_MAX : UINT64_MAX;
			bool same = random_once_in(&random, 4);
			uint64_t x = draw_number(&random) & mask;
			uint64_t y = same ? x : draw_number(&random) & mask;
			uint64_t z = compute((enum ear_semantics_kind)kind, xlen, x, y);
			struct infer_value a = draw_value(&random, x, xlen);
			struct infer_value b = same ? a : draw_value(&random, y, xlen);
			struct infer_value result = draw_value(&random, z, xlen);
			infer_refine((enum ear_semantics_kind)kind, xlen, same, &a, &b, &result);
			assert_right(a, x);
			assert_right(b, y);
			assert_right(result, z);
		}
	}
}

static void what_a_branch_says_of_its_operands_is_right(void **state)
{
	struct random random = {9};

	(void)state;
	for (unsigned i = 0; i < 20 * ROUNDS; i++) {
		unsigned xlen = i & 1 ? 64 : 32;
		uint64_t mask = xlen == 32 ? UINT32_MAX : UINT64_MAX;
		uint64_t x = draw_number(&random) & mask, y = draw_number(&random) & mask;
		if (random_once_in(&random, 4))
			y = (x + random_below(&random, 3) - 1) & mask;
		struct infer_value a = draw_value(&random, x, xlen);
		struct infer_value b = draw_value(&random, y, xlen);
		bool less = compute(EAR_SEM_SLT, xlen, x, y) != 0;
		bool below = compute(EAR_SEM_SLTU, xlen, x, y) != 0;
		const bool taken[] = {x == y, x != y, less, !less, below, !below};
		unsigned kind = (unsigned)random_below(&random, 6);
		infer_refine_branch(
			(enum ear_semantics_kind)(EAR_SEM_BEQ + kind), xlen, taken[kind], &a, &b);
		assert_right(a, x);
		assert_right(b, y);
	}
}

/* By the result and rs2, which are known, rs1 is known. */
static void operations_are_turned_around(void **state)
{
	static const struct {
		enum ear_semantics_kind kind;
		uint64_t b, missing; /* bits that the operation loses */
	} cases[] = {
		{EAR_SEM_ADD, 5, 0}, {EAR_SEM_SUB, 5, 0}, {EAR_SEM_XOR, 5, 0}, {EAR_SEM_XNOR, 5, 0},
		{EAR_SEM_MUL, 1664525, 0}, {EAR_SEM_MUL, 12, UINT64_C(3) << 62},
		{EAR_SEM_MULW, 12, UINT64_C(0xffffffffc0000000)},
		{EAR_SEM_SLL, 13, UINT64_MAX << 51}, {EAR_SEM_SRL, 13, 0x1fff},
		{EAR_SEM_SRA, 13, 0x1fff}, {EAR_SEM_SRAW, 13, UINT64_C(0xffffffff00001fff)},
		{EAR_SEM_ROR, 13, 0}, {EAR_SEM_ROLW, 13, UINT64_C(0xffffffff00000000)},
		{EAR_SEM_REV8, 0, 0}, {EAR_SEM_SH2ADD, 5, UINT64_C(3) << 62},
		{EAR_SEM_ADD_UW, 5, UINT64_C(0xffffffff00000000)},
		{EAR_SEM_ADDW, 5, UINT64_C(0xffffffff00000000)},
		{EAR_SEM_AND, 0xff00, ~UINT64_C(0xff00)}, {EAR_SEM_ORN, 0xff00, ~UINT64_C(0xff00)},
		{EAR_SEM_CLZ, 0, UINT64_MAX}, /* not followed */
	};
	const uint64_t truth = UINT64_C(0x8123456789abcdef);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct infer_value a = {0, 0}, b = infer_exactly(cases[i].b);
		struct infer_value result =
			infer_exactly(ear_semantics_compute_64(cases[i].kind, truth, cases[i].b));
		infer_refine(cases[i].kind, 64, false, &a, &b, &result);
		assert_right(a, truth);
		assert_int_equal(a.known, ~cases[i].missing);
	}
}

/* The bit that was shifted out of a CRC, by its polynomial. */
static void few_missing_bits_are_tried(void **state)
{
	struct infer_value zero = infer_exactly(0), bit = {0, ~UINT64_C(1)};
	struct infer_value mask = {UINT64_C(1) << 63, UINT64_C(1) << 63};

	(void)state;
	infer_refine(EAR_SEM_SUB, 64, false, &zero, &bit, &mask);
	assert_true(infer_is_known(bit));
	assert_int_equal(bit.value, 1);
	assert_true(infer_is_known(mask));
}

/* Else the tests above would be content with a function that knows nothing. */
static void parts_of_operands_give_parts_of_results(void **state)
{
	const struct infer_value byte = {0x80, 0xff}, none = {0, 0};
	struct infer_value sum = infer_add(byte, infer_exactly(0x1234));

	(void)state;
	assert_int_equal(sum.known, 0xff);
	assert_int_equal(sum.value, 0xb4);
	assert_true(
		infer_is_known(infer_compute(EAR_SEM_AND, byte, infer_exactly(0xf0), false, 64)));
	assert_true(infer_is_known(infer_compute(EAR_SEM_SUB, none, none, true, 64)));
	assert_false(infer_is_known(infer_compute(EAR_SEM_SUB, none, none, false, 64)));
	assert_true(infer_is_known(infer_sign_extend(byte, 8)));
	assert_int_equal(infer_sign_extend(byte, 8).value, 0xffffffffffffff80);
	assert_true(infer_is_known(infer_compute(EAR_SEM_SLL, byte, infer_exactly(56), false, 64)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_known_of_a_result_is_right),
		cmocka_unit_test(what_a_result_says_of_its_operands_is_right),
		cmocka_unit_test(what_a_branch_says_of_its_operands_is_right),
		cmocka_unit_test(operations_are_turned_around),
		cmocka_unit_test(few_missing_bits_are_tried),
		cmocka_unit_test(parts_of_operands_give_parts_of_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
