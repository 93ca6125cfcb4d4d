/* Repetitions in lists: those of a recursion are found, others are shown whole. */
#include "check.h"

#include <string.h>

#include "cli/show/fold.h"

static size_t keys_of(const char *text, uint64_t *keys)
{
	for (size_t i = 0; text[i]; i++)
		keys[i] = (unsigned char)text[i];
	return strlen(text);
}

static void repetitions_are_found_with_their_period(void **state)
{
	static const struct {
		const char *text;
		size_t at, period, count;
	} rows[] = {
		{"lfffffffffffffffms", 1, 1, 15},
		{"ababababababababab", 0, 2, 18},
		{"xabcabcabcabcabcabm", 1, 3, 17},
		{"abcdefghabcdefghabcdefgh", 0, 8, 24},
		{"ffffffffffff", 0, 1, 12},
		{"lfffffffffffffffms", 0, 0, 0},
		{"fffffffffff", 0, 0, 0},
		{"abcdefghiabcdefghiabcdefghi", 0, 0, 0},
		{"abcdefghijklmnopqrstuvwxyz", 3, 0, 0},
		{"a", 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint64_t keys[64];
		size_t count = keys_of(rows[i].text, keys);
		struct fold fold = fold_find(keys, count, rows[i].at);

		assert_int_equal(fold.period, rows[i].period);
		assert_int_equal(fold.count, rows[i].count);
		if (!fold.period)
			continue;
		assert_int_equal(fold.head % fold.period, 0);
		assert_at_least(fold.head, FOLD_HEAD);
		assert_int_equal(fold.head + fold.left_out + FOLD_TAIL, fold.count);
		assert_at_least(fold.left_out, fold.period);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repetitions_are_found_with_their_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
