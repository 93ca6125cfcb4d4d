/* Numbers in text: every length, every character after them. */
#include "check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/text/number_scan.h"

static void every_length_is_read_up_to_every_other_character(void **state)
{
	(void)state;
	static const char digits[] = "89abcdefFEDCBA01";
	char text[EAR_HEX_SCAN_SIZE];
	uint64_t value;

	for (unsigned count = 0; count < 16; count++)
		for (unsigned other = 0; other < 256; other++) {
			bool digit = memchr("0123456789abcdefABCDEF", (int)other, 22) != NULL;
			memcpy(text, digits, sizeof(text));
			text[count] = (char)other;
			if (digit)
				continue;
			if (ear_hex_scan(text, &value) != count)
				fail_msg("%u digits before character %u are not found", count,
					other);
			if (count == 0)
				continue;
			char copy[17] = {0};
			memcpy(copy, text, count);
			assert_int_equal(value, strtoull(copy, NULL, 16));
		}
}

static void sixteen_digits_are_all_that_is_looked_at(void **state)
{
	(void)state;
	uint64_t value;

	assert_int_equal(ear_hex_scan("FEDCBA9876543210f", &value), 16);
	assert_int_equal(value, 0xFEDCBA9876543210u);
	assert_int_equal(ear_hex_scan("ffffffffffffffff", &value), 16);
	assert_int_equal(value, UINT64_MAX);
}

static void what_comes_after_does_not_change_the_value(void **state)
{
	(void)state;
	char text[EAR_HEX_SCAN_SIZE];
	uint64_t value;

	for (unsigned other = 0; other < 256; other++) {
		memset(text, (int)other, sizeof(text));
		memcpy(text, "7,", 2);
		assert_int_equal(ear_hex_scan(text, &value), 1);
		assert_int_equal(value, 7);
		memcpy(text, "12345\n", 6);
		assert_int_equal(ear_hex_scan(text, &value), 5);
		assert_int_equal(value, 0x12345);
	}
}

static void a_decimal_number_ends_at_every_other_character(void **state)
{
	(void)state;
	static const char digits[] = "90817263";
	char text[EAR_DECIMAL_SCAN_SIZE];
	uint64_t value;

	assert_int_equal(ear_decimal_scan(digits, &value), 8);
	assert_int_equal(value, 90817263);
	for (unsigned count = 0; count < 8; count++)
		for (unsigned other = 0; other < 256; other++) {
			char copy[9] = {0};
			if (other >= '0' && other <= '9')
				continue;
			memset(text, (int)other, sizeof(text));
			memcpy(text, digits, count);
			memcpy(copy, digits, count);
			if (ear_decimal_scan(text, &value) != count)
				fail_msg("%u digits before character %u are not found", count,
					other);
			if (count > 0)
				assert_int_equal(value, strtoull(copy, NULL, 10));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_length_is_read_up_to_every_other_character),
		cmocka_unit_test(sixteen_digits_are_all_that_is_looked_at),
		cmocka_unit_test(what_comes_after_does_not_change_the_value),
		cmocka_unit_test(a_decimal_number_ends_at_every_other_character),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
