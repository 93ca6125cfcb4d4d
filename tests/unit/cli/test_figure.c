/* Three digits, whatever the size: where the number of decimals changes, by value and by rounding.
 */
#include "check.h"

#include "cli/base/figure.h"

static void figures_have_three_significant_digits(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {{0, "0"}, {1e-10, "0"}, {1e-9, "0.00000000100"}, {0.0364, "0.0364"},
		{0.29096, "0.291"}, {0.9996, "1.00"}, {8.517, "8.52"}, {9.996, "10.0"},
		{17.63, "17.6"}, {99.96, "100"}, {194.7, "195"}, {999.6, "1000"},
		{18442.4, "18442"}};
	char text[CLI_FIGURE_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(cli_figure(text, cases[i].value), cases[i].text);
}

static void sizes_are_in_the_unit_that_fits(void **state)
{
	static const struct {
		double bytes;
		const char *text;
	} cases[] = {{0, "0 B"}, {512, "512 B"}, {999, "999 B"}, {1000, "1.00 kB"},
		{1860, "1.86 kB"}, {999499, "999 kB"}, {999500, "1.00 MB"}, {64e6, "64.0 MB"},
		{1.5e9, "1.50 GB"}, {18446744073709551615.0, "18.4 EB"}, {1e25, "10000000 EB"}};
	char text[CLI_FIGURE_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(cli_figure_bytes(text, cases[i].bytes), cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_have_three_significant_digits),
		cmocka_unit_test(sizes_are_in_the_unit_that_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
