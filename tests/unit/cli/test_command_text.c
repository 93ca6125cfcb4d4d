/* What the command line makes of lines that are too long and of misspelt words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/progress.h"
#include "cli/options/help.h"
#include "cli/options/suggest.h"

static void a_line_is_cut_at_the_last_comma_that_fits(void **state)
{
	static const char line[] = "lost 0, 123 records, 4.5 MB";

	(void)state;
	assert_int_equal(progress_cut(line, strlen(line), 80), strlen(line));
	assert_int_equal(progress_cut(line, strlen(line), strlen(line) + 1), strlen(line));
	assert_int_equal(
		progress_cut(line, strlen(line), strlen(line)), strlen("lost 0, 123 records"));
	assert_int_equal(progress_cut(line, strlen(line), 20), strlen("lost 0, 123 records"));
	assert_int_equal(progress_cut(line, strlen(line), 19), strlen("lost 0"));
	assert_int_equal(progress_cut(line, strlen(line), 5), 4);
	assert_int_equal(progress_cut(line, strlen(line), 0), 1);
}

static void the_nearest_name_is_suggested_if_few_letters_differ(void **state)
{
	static const char *const names[] = {
		"capture", "convert", "decode", "diff", "doctor", "dump"};
	static const struct {
		const char *word, *nearest;
	} rows[] = {
		{"captrue", "capture"},
		{"capure", "capture"},
		{"capturee", "capture"},
		{"cature", "capture"},
		{"dif", "diff"},
		{"decoed", "decode"},
		{"docter", "doctor"},
		{"duump", "dump"},
		{"x", NULL},
		{"zzzzzz", NULL},
		{"", NULL},
		{"a-word-that-is-much-longer-than-any-of-the-names", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *nearest = suggest(rows[i].word, names, 6);
		print_message("%s\n", rows[i].word);
		if (rows[i].nearest) {
			assert_non_null(nearest);
			assert_string_equal(nearest, rows[i].nearest);
		} else {
			assert_null(nearest);
		}
	}
}

static void help_is_wrapped_and_loses_its_marks(void **state)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_non_null(file);
	help_text(file,
		"Take `one` or `two words`, see {SECTION}, and go on until the line has no room for "
		"more.\n  a line   as it is\nThe end.");
	fclose(file);
	assert_string_equal(text,
		"Take one or 'two words', see SECTION, and go on until the line has no room for\n"
		"more.\n  a line   as it is\nThe end.\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_cut_at_the_last_comma_that_fits),
		cmocka_unit_test(the_nearest_name_is_suggested_if_few_letters_differ),
		cmocka_unit_test(help_is_wrapped_and_loses_its_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
