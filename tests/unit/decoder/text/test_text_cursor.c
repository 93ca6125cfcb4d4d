/* Steps of a text cursor: what each takes, and that a step that fails moves nothing. */
#include "check.h"

#include <string.h>

#include "decoder/text/text_cursor.h"

static struct ear_text_cursor over(const char *text)
{
	return ear_text_cursor(text, strlen(text));
}

static void expect_rest(const struct ear_text_cursor *cursor, const char *rest)
{
	char got[64] = {0};

	memcpy(got, cursor->at, (size_t)(cursor->end - cursor->at));
	assert_string_equal(got, rest);
}

static void expect_text(struct ear_text text, const char *expected)
{
	char got[64] = {0};

	memcpy(got, text.text, text.size);
	assert_string_equal(got, expected);
}

static void no_text_at_all_is_an_end(void **state)
{
	(void)state;
	struct ear_text_cursor cursor = ear_text_cursor(NULL, 0);
	uint64_t value;

	assert_true(ear_text_at_end(&cursor));
	assert_int_equal(ear_text_peek(&cursor), '\0');
	assert_int_equal(ear_text_skip_blanks(&cursor), 0);
	assert_int_equal(ear_text_hex(&cursor, &value), 0);
	assert_false(ear_text_decimal(&cursor, &value));
	assert_null(cursor.at);
}

static void characters_and_words_are_taken_or_left(void **state)
{
	(void)state;
	struct ear_text_cursor cursor = over("core 0");

	assert_false(ear_text_take(&cursor, 'x'));
	assert_false(ear_text_take_word(&cursor, "cores"));
	assert_false(ear_text_take_word(&cursor, "core 0: "));
	expect_rest(&cursor, "core 0");
	assert_true(ear_text_take(&cursor, 'c'));
	assert_true(ear_text_take_word(&cursor, "ore"));
	assert_int_equal(ear_text_peek(&cursor), ' ');
	expect_rest(&cursor, " 0");
}

static void blanks_are_spaces_and_tabs_and_nothing_else(void **state)
{
	(void)state;
	struct ear_text_cursor cursor = over(" \t  \rx");

	assert_int_equal(ear_text_skip_blanks(&cursor), 4);
	assert_int_equal(ear_text_skip_blanks(&cursor), 0);
	expect_rest(&cursor, "\rx");
}

static void a_text_ends_before_its_stop_or_at_the_end(void **state)
{
	(void)state;
	struct ear_text_cursor cursor = over("a b;c\td");

	expect_text(ear_text_until(&cursor, ';'), "a b");
	expect_rest(&cursor, ";c\td");
	expect_text(ear_text_token(&cursor), ";c");
	expect_rest(&cursor, "\td");
	expect_text(ear_text_token(&cursor), "");
	expect_text(ear_text_until(&cursor, ';'), "\td");
	assert_true(ear_text_at_end(&cursor));
}

static void a_hexadecimal_number_has_64_bits_and_any_zeros(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t digits;
		uint64_t value;
		const char *rest;
	} cases[] = {
		{"0", 1, 0, ""},
		{"fFg", 2, 0xFF, "g"},
		{"ffffffffffffffff", 16, UINT64_MAX, ""},
		{"00000000000000000001,", 20, 1, ","},
		{"10000000000000000", 0, 0, "10000000000000000"},
		{"x", 0, 0, "x"},
		{"", 0, 0, ""},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct ear_text_cursor cursor = over(cases[i].text);
		uint64_t value = 0;
		print_message("'%s'\n", cases[i].text);
		assert_int_equal(ear_text_hex(&cursor, &value), cases[i].digits);
		assert_int_equal(value, cases[i].value);
		expect_rest(&cursor, cases[i].rest);
	}
}

static void the_fast_number_has_at_most_16_digits(void **state)
{
	(void)state;
	/* With room after it to be read. */
	char text[64] = "0123456789abcdef;";
	struct ear_text_cursor cursor = over(text);
	uint64_t value;

	assert_int_equal(ear_text_hex_16(&cursor, &value), 16);
	assert_int_equal(value, 0x0123456789ABCDEF);
	expect_rest(&cursor, ";");
	strcpy(text, "00000000000000001");
	cursor = over(text);
	assert_int_equal(ear_text_hex_16(&cursor, &value), 0);
	expect_rest(&cursor, "00000000000000001");
}

static void a_prefix_without_digits_is_left(void **state)
{
	(void)state;
	struct ear_text_cursor cursor = over("0xg");
	uint64_t value = 7;

	assert_int_equal(ear_text_0x(&cursor, &value), 0);
	expect_rest(&cursor, "0xg");
	assert_int_equal(value, 7);
	cursor = over("0X1f");
	assert_int_equal(ear_text_0x(&cursor, &value), 2);
	assert_int_equal(value, 0x1F);
}

static void a_decimal_number_beyond_64_bits_is_left(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool good;
		uint64_t value;
	} cases[] = {
		{"0", true, 0},
		{"999999999999999999", true, 999999999999999999u},
		{"1000000000000000000", true, 1000000000000000000u},
		{"18446744073709551615", true, UINT64_MAX},
		{"18446744073709551616", false, 0},
		{"99999999999999999999", false, 0},
		{"100000000000000000000000", false, 0},
		{"00000000000000000000000012", true, 12},
		{"a", false, 0},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct ear_text_cursor cursor = over(cases[i].text);
		uint64_t value = 0;
		print_message("'%s'\n", cases[i].text);
		assert_int_equal(ear_text_decimal(&cursor, &value), cases[i].good);
		assert_int_equal(value, cases[i].value);
		expect_rest(&cursor, cases[i].good ? "" : cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_text_at_all_is_an_end),
		cmocka_unit_test(characters_and_words_are_taken_or_left),
		cmocka_unit_test(blanks_are_spaces_and_tabs_and_nothing_else),
		cmocka_unit_test(a_text_ends_before_its_stop_or_at_the_end),
		cmocka_unit_test(a_hexadecimal_number_has_64_bits_and_any_zeros),
		cmocka_unit_test(the_fast_number_has_at_most_16_digits),
		cmocka_unit_test(a_prefix_without_digits_is_left),
		cmocka_unit_test(a_decimal_number_beyond_64_bits_is_left),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
