/* The date of made files: SOURCE_DATE_EPOCH where it is a number, else the clock. */
#include "common/source_date.h"

#include <stdlib.h>

#include "check.h"

static void the_date_of_the_environment_is_taken(void **state)
{
	time_t date;

	(void)state;
	assert_int_equal(setenv("SOURCE_DATE_EPOCH", "1700000000", 1), 0);
	assert_true(ear_source_date(&date));
	assert_int_equal(date, 1700000000);
	assert_int_equal(setenv("SOURCE_DATE_EPOCH", "0", 1), 0);
	assert_true(ear_source_date(&date));
	assert_int_equal(date, 0);
}

static void without_a_number_the_clock_is_taken(void **state)
{
	static const char *const texts[] = {"", " ", "-1", " 1", "1x", "0x1", "1e3", "12345678901"};
	time_t before = time(NULL), date;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(setenv("SOURCE_DATE_EPOCH", texts[i], 1), 0);
		if (ear_source_date(&date) || date < before)
			fail_msg("SOURCE_DATE_EPOCH='%s' gives %lld", texts[i], (long long)date);
	}
	assert_int_equal(unsetenv("SOURCE_DATE_EPOCH"), 0);
	assert_false(ear_source_date(&date));
	assert_in_range(date, before, time(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_date_of_the_environment_is_taken),
		cmocka_unit_test(without_a_number_the_clock_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
