/* Bytes of memory that hold tolerated values. library/compare/followed_memory.h */
#include "check.h"

#include "library/compare/followed_memory.h"
#include "random.h"

static const struct ear_origin none;

static struct ear_origin origin_of(uint64_t value)
{
	return (struct ear_origin){.source = 3, .record = 77, .has_value = true, .value = value};
}

static unsigned load(const struct ear_followed *followed, uint64_t address, unsigned size,
	uint64_t value, unsigned *stale)
{
	struct ear_origin origin;

	return ear_followed_load(followed, address, size, true, value, &origin, stale);
}

static void bytes_are_followed_as_they_were_stored(void **state)
{
	struct ear_followed *followed = ear_followed_new();
	struct ear_origin origin = origin_of(0x44332211), found = none;
	unsigned stale;

	(void)state;
	ear_followed_store(followed, 0x1006, 4, &origin); /* across two words */
	assert_int_equal(
		ear_followed_load(followed, 0x1006, 4, true, 0x44332211, &found, &stale), 0xF);
	assert_int_equal(found.source, 3);
	assert_int_equal(found.record, 77);
	assert_int_equal(stale, 0);
	assert_int_equal(load(followed, 0x1004, 8, 0x0000443322110000, &stale), 0x3C);
	assert_int_equal(load(followed, 0x1007, 1, 0x22, &stale), 1);
	assert_int_equal(load(followed, 0x1005, 1, 0, &stale), 0);
	assert_int_equal(load(followed, 0x1006, 4, 0x44992211, &stale), 0xB);
	assert_int_equal(stale, 4);
	ear_followed_store(followed, 0x1007, 2, &none);
	assert_int_equal(load(followed, 0x1006, 4, 0x44332211, &stale), 9);
	ear_followed_store(followed, 0x1000, 8, &none);
	ear_followed_store(followed, 0x1008, 8, &none);
	assert_int_equal(ear_followed_count(followed), 0);
	ear_followed_free(followed);
}

static void a_value_that_is_not_known_counts_as_any(void **state)
{
	struct ear_followed *followed = ear_followed_new();
	struct ear_origin origin = {.source = 1};
	unsigned stale;

	(void)state;
	ear_followed_store(followed, 0x10, 2, &origin);
	assert_int_equal(load(followed, 0x10, 2, 0x1234, &stale), 3);
	assert_int_equal(stale, 0);
	ear_followed_free(followed);
}

/* Against an array: addresses near each other, so that words come and go in one run of slots. */
static void the_table_is_an_array(void **state)
{
	static uint8_t values[4096], set[4096];
	struct ear_followed *followed = ear_followed_new();
	struct random random = {.state = 12};

	(void)state;
	for (unsigned round = 0; round < 200000; round++) {
		uint64_t at = random_below(&random, sizeof(set) - 8), value = random_next(&random);
		unsigned size = 1 + (unsigned)random_below(&random, 8), stale, bytes = 0;
		struct ear_origin origin = random_once_in(&random, 3) ? origin_of(value) : none;
		ear_followed_store(followed, 0x80000000 + at, size, &origin);
		for (unsigned i = 0; i < size; i++) {
			set[at + i] = origin.source != 0;
			values[at + i] = (uint8_t)(value >> 8 * i);
		}
		at = random_below(&random, sizeof(set) - 8);
		value = 0;
		for (unsigned i = 0; i < 8; i++) {
			bytes |= (unsigned)set[at + i] << i;
			value |= (uint64_t)values[at + i] << 8 * i;
		}
		if (load(followed, 0x80000000 + at, 8, value, &stale) != bytes || stale)
			fail_msg("round %u: bytes at %llu", round, (unsigned long long)at);
	}
	ear_followed_free(followed);
}

static void the_table_is_bounded_and_says_what_it_lost(void **state)
{
	struct ear_followed *followed = ear_followed_new();
	struct ear_origin origin = origin_of(1);
	unsigned stale;

	(void)state;
	for (uint64_t i = 0; i < EAR_FOLLOWED_WORDS_MAX + 5; i++)
		ear_followed_store(followed, 24 * i, 8, &origin);
	assert_int_equal(ear_followed_count(followed), EAR_FOLLOWED_WORDS_MAX);
	assert_int_equal(ear_followed_lost(followed), 5);
	assert_int_equal(load(followed, 24 * (EAR_FOLLOWED_WORDS_MAX - 1), 8, 1, &stale), 0xFF);
	assert_int_equal(load(followed, 24 * (uint64_t)EAR_FOLLOWED_WORDS_MAX, 8, 1, &stale), 0);
	ear_followed_store(followed, 0, 8, &none);
	ear_followed_store(followed, 24 * (uint64_t)EAR_FOLLOWED_WORDS_MAX, 8, &origin);
	assert_int_equal(load(followed, 24 * (uint64_t)EAR_FOLLOWED_WORDS_MAX, 8, 1, &stale), 0xFF);
	ear_followed_free(followed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_followed_as_they_were_stored),
		cmocka_unit_test(a_value_that_is_not_known_counts_as_any),
		cmocka_unit_test(the_table_is_an_array),
		cmocka_unit_test(the_table_is_bounded_and_says_what_it_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
