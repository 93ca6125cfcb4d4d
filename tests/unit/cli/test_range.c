/* Ranges of addresses as options take them. */
#include "check.h"

#include <string.h>

#include "cli/base/range.h"

static void ranges_are_taken_up_to_what_follows(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t first, last;
		const char *rest;
	} rows[] = {
		{"0x1000", 0x1000, 0x1000, ""},
		{"16-0x1f,7", 16, 31, ",7"},
		{"0x1000+0x10x", 0x1000, 0x100f, "x"},
		{"5+1", 5, 5, ""},
		{"0xfffffffffffffff0+0x10", 0xfffffffffffffff0, UINT64_MAX, ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *at = rows[i].text;
		uint64_t first, last;

		assert_true(cli_take_range(&at, &first, &last));
		assert_int_equal(first, rows[i].first);
		assert_int_equal(last, rows[i].last);
		assert_string_equal(at, rows[i].rest);
	}
}

static void what_is_no_range_is_refused(void **state)
{
	(void)state;
	static const char *const texts[] = {"", "main", "-1", "5-", "5+", "5-4", "5+-1", "0+0",
		"5+0", "0xfffffffffffffff0+0x11", "0x10000000000000000"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *at = texts[i];
		uint64_t first, last;

		if (cli_take_range(&at, &first, &last))
			fail_msg("%s is taken", texts[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_are_taken_up_to_what_follows),
		cmocka_unit_test(what_is_no_range_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
