/* What the self-check knows of memory. */
#include "check.h"

#include "library/check/check_memory.h"
#include "random.h"

static enum ear_check_load load(
	struct ear_check_memory *memory, uint64_t address, unsigned size, uint64_t value)
{
	uint64_t expected;

	return ear_check_memory_load(memory, address, size, value, &expected);
}

static void what_was_stored_must_be_loaded(void **state)
{
	struct ear_check_memory memory = {0};
	uint64_t expected;

	(void)state;
	assert_int_equal(load(&memory, 0x1000, 4, 7), EAR_CHECK_LOAD_NEW);
	assert_int_equal(load(&memory, 0x1000, 4, 7), EAR_CHECK_LOAD_SAME);
	ear_check_memory_store(&memory, 0x1ffe, 4, 0x44332211); /* over a page's end */
	assert_int_equal(load(&memory, 0x2000, 2, 0x4433), EAR_CHECK_LOAD_SAME);
	assert_int_equal(ear_check_memory_load(&memory, 0x1ffe, 4, 0x44332212, &expected),
		EAR_CHECK_LOAD_DIFFERS);
	assert_int_equal(expected, 0x44332211);
	assert_int_equal(load(&memory, 0x1ffe, 4, 0x44332212), EAR_CHECK_LOAD_SAME);
	ear_check_memory_lose(&memory, 0x1fff, 1);
	assert_int_equal(load(&memory, 0x1ffe, 1, 0x12), EAR_CHECK_LOAD_SAME);
	assert_int_equal(load(&memory, 0x1ffe, 4, 0x44335512), EAR_CHECK_LOAD_NEW);
	ear_check_memory_fini(&memory);
}

static void what_changes_by_itself_is_never_known_again(void **state)
{
	struct ear_check_memory memory = {0};

	(void)state;
	assert_int_equal(load(&memory, 0x10, 1, 1), EAR_CHECK_LOAD_NEW);
	assert_int_equal(load(&memory, 0x10, 1, 2), EAR_CHECK_LOAD_CHANGES);
	ear_check_memory_store(&memory, 0x10, 1, 9);
	assert_int_equal(load(&memory, 0x10, 1, 3), EAR_CHECK_LOAD_CHANGES);
	assert_false(ear_check_memory_holds(&memory, 0x10, 1, 3));
	ear_check_memory_fini(&memory);
}

/* More pages than are kept: memory stays bounded, and nothing false is known. */
static void much_memory_is_forgotten(void **state)
{
	struct ear_check_memory memory = {0};
	size_t most = 0;

	(void)state;
	for (uint64_t page = 0; page < 40000; page++) {
		ear_check_memory_store(&memory, page * EAR_CHECK_PAGE, 8, page);
		most = memory.count > most ? memory.count : most;
	}
	assert_in_range(most, 1000, 16384);
	assert_false(memory.failed);
	assert_int_equal(load(&memory, 39999 * EAR_CHECK_PAGE, 8, 39999), EAR_CHECK_LOAD_SAME);
	assert_int_equal(load(&memory, 0, 8, 5), EAR_CHECK_LOAD_NEW);
	/* The last byte there is. */
	ear_check_memory_store(&memory, UINT64_MAX, 2, 0x1234);
	assert_int_equal(load(&memory, UINT64_MAX, 1, 0x34), EAR_CHECK_LOAD_SAME);
	ear_check_memory_fini(&memory);
}

/* A word that holds the value is one whose load says that nothing changed. */
static void holding_is_what_a_load_would_say(void **state)
{
	struct ear_check_memory memory = {0};
	struct random random = {.state = 17};
	uint8_t shown[40] = {0}; /* what was stored or loaded last, from 0x1ff0 on */
	unsigned held = 0;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		unsigned at = (unsigned)random_below(&random, 32);
		uint64_t address = 0x1ff0 + at;
		unsigned size = 1u << random_below(&random, 4);
		uint64_t mask = UINT64_MAX >> (64 - 8 * size), value = 0;
		memcpy(&value, shown + at, size);
		if (random_once_in(&random, 8))
			value = random_next(&random) & mask;
		memcpy(shown + at, &value, size);
		if (random_once_in(&random, 3)) {
			ear_check_memory_store(&memory, address, size, value);
			continue;
		}
		bool holds = ear_check_memory_holds(&memory, address, size, value);
		bool same = load(&memory, address, size, value) == EAR_CHECK_LOAD_SAME;
		bool in_two_pages = address < 0x2000 && address + size > 0x2000;
		assert_int_equal(holds, same && !in_two_pages);
		held += holds;
		if (random_once_in(&random, 64))
			ear_check_memory_forget(&memory);
	}
	assert_true(held > 1000);
	ear_check_memory_fini(&memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holding_is_what_a_load_would_say),
		cmocka_unit_test(what_was_stored_must_be_loaded),
		cmocka_unit_test(what_changes_by_itself_is_never_known_again),
		cmocka_unit_test(much_memory_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
