/* Characters as bits: each function against a loop over the characters, with random texts. */
#include "check.h"

#include <string.h>

#include "decoder/text/char_mask.h"
#include "random.h"

#define ROUNDS 2000

/* Few letters, so that equal ones are common. */
static void fill(struct random *random, char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		text[i] = ",\nab=;"[random_below(random, 6)];
}

static void a_mask_has_a_bit_for_each_such_character(void **state)
{
	(void)state;
	struct random random = {1};
	char text[64];

	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t expected = 0;
		fill(&random, text, sizeof(text));
		for (unsigned i = 0; i < 64; i++)
			expected |= (uint64_t)(text[i] == ',') << i;
		assert_int_equal(ear_char_mask(text, ','), expected);
		assert_int_equal(ear_char_mask_32(text, ','), (uint32_t)expected);
	}
}

static void unequal_characters_have_a_bit(void **state)
{
	(void)state;
	struct random random = {2};
	char a[32], b[32];

	for (unsigned round = 0; round < ROUNDS; round++) {
		uint32_t expected = 0;
		fill(&random, a, sizeof(a));
		fill(&random, b, sizeof(b));
		for (unsigned i = 0; i < 32; i++)
			expected |= (uint32_t)(a[i] != b[i]) << i;
		assert_int_equal(ear_unequal_mask(a, b), expected);
		assert_int_equal(ear_unequal_mask(a, a), 0);
	}
}

static void marks_are_taken_from_the_lowest_on(void **state)
{
	(void)state;
	uint64_t marks = (uint64_t)1 << 63 | 1u << 5 | 1;

	assert_int_equal(ear_next_mark(&marks), 0);
	assert_int_equal(ear_next_mark(&marks), 5);
	assert_int_equal(ear_next_mark(&marks), 63);
	assert_int_equal(ear_next_mark(&marks), 64);
	assert_int_equal(ear_next_mark(&marks), 64);
}

static void a_line_end_is_found_at_any_distance(void **state)
{
	(void)state;
	char text[400];

	for (size_t at = 0; at < 300; at++) {
		memset(text, 'x', sizeof(text));
		text[at] = '\n';
		text[at + 7] = '\n';
		assert_int_equal(ear_find_line_end(text) - text, at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mask_has_a_bit_for_each_such_character),
		cmocka_unit_test(unequal_characters_have_a_bit),
		cmocka_unit_test(marks_are_taken_from_the_lowest_on),
		cmocka_unit_test(a_line_end_is_found_at_any_distance),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
