/* Whatever the unknown bits are, the known bits of a result are right. */
#include "check.h"

#include "library/infer/infer_value.h"
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

/* Else the test above would be content with a function that knows nothing. */
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
		cmocka_unit_test(parts_of_operands_give_parts_of_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
