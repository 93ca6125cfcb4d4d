/* What makes a text of lines: docs/file-format.md, section 6. */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/shot/archive/line_diff.h"
#include "random.h"

#define LINES_MAX 64

struct sample {
	struct ear_lines lines;
	size_t ends[LINES_MAX];
};

static void cut_lines(struct sample *sample, const char *text)
{
	size_t size = strlen(text);

	sample->lines = (struct ear_lines){text, sample->ends, 0};
	for (size_t i = 0; i < size; i++)
		if (text[i] == '\n')
			sample->ends[sample->lines.count++] = i + 1;
}

/* The first count lines of a text begin here. */
static void find_starts(size_t *starts, const char *text, size_t first)
{
	size_t at = first;

	for (unsigned i = 0; i < LINES_MAX; i++) {
		const char *newline = strchr(text + at, '\n');
		starts[i] = at;
		at = newline ? (size_t)(newline - text) + 1 : strlen(text);
	}
}

static void check_text(const struct ear_text_output *output, const char *wanted, size_t size)
{
	assert_int_equal(output->used, size);
	assert_memory_equal(output->buffer, wanted, size);
}

/* Apply in steps of so many lines. */
static void apply(const struct ear_line_diff *diff, const struct sample *sample, size_t step,
	const char *wanted, size_t wanted_size)
{
	const struct ear_lines *lines = &sample->lines;
	struct ear_text_output output;
	struct ear_line_diff_cursor cursor;
	size_t done = 0, at = 0;

	assert_int_equal(ear_text_output_init_memory(&output), 0);
	ear_line_diff_begin(&cursor, diff->bytes, diff->size, lines->count);
	do {
		done = done + step < lines->count ? done + step : lines->count;
		size_t end = done ? lines->ends[done - 1] : 0;
		assert_int_equal(
			ear_line_diff_apply(&cursor, &output, lines->text + at, end - at), 0);
		at = end;
	} while (done < lines->count);
	check_text(&output, wanted, wanted_size);
	ear_text_output_fini(&output);
}

static void check_pair(const char *made, const char *original, size_t first, size_t line_diff_max)
{
	struct ear_line_diff diff = {0};
	struct sample sample;
	size_t starts[LINES_MAX], size = strlen(original);

	cut_lines(&sample, made);
	find_starts(starts, original, first);
	assert_int_equal(ear_line_diff_compare(&diff, &sample.lines, original, size, starts), 0);
	assert_in_range(diff.size, 0, line_diff_max);
	for (size_t step = 1; step <= sample.lines.count + 1; step++)
		apply(&diff, &sample, step, original, size);
	ear_line_diff_fini(&diff);
}

static void what_is_equal_needs_no_line_diff(void **state)
{
	(void)state;
	check_pair("", "", 0, 0);
	check_pair("a\n", "a\n", 0, 0);
	check_pair("a,b\nc,d\n", "a,b\nc,d\n", 0, 0);
}

static void a_change_costs_its_characters_and_a_few_bytes(void **state)
{
	(void)state;
	check_pair("a,b,c\n", "a,X,c\n", 0, 8);         /* in a column */
	check_pair("a,b,c\n", "aX,b,c\n", 0, 8);        /* more of one */
	check_pair("a,b,c\n", "a,,c\n", 0, 7);          /* nothing left of it */
	check_pair("a,,c\n", "a,b;b;b,c\n", 0, 12);     /* something where nothing was */
	check_pair("aaaa\n", "aa\n", 0, 8);             /* repeated characters */
	check_pair("a,b,c\nd\n", "a,b,c\nD\n", 0, 8);   /* the second line */
	check_pair("a,b\n", "a,b", 0, 6);               /* no line end */
	check_pair("a,b\n", "a,b\r\n", 0, 8);           /* another one */
	check_pair("a\n", "h,e,a,d\na\n", 8, 11);       /* a line in front */
	check_pair("a\nb\n", "a\nb\n# the end", 0, 16); /* and behind */
}

static void records_that_are_not_there_are_dropped(void **state)
{
	struct ear_line_diff diff = {0};
	struct sample sample;
	size_t starts[] = {0, 100, 2};

	(void)state;
	cut_lines(&sample, "a\nnot there\nb\n");
	assert_int_equal(ear_line_diff_compare(&diff, &sample.lines, "a\nb\n", 4, starts), 0);
	apply(&diff, &sample, 3, "a\nb\n", 4);
	ear_line_diff_fini(&diff);
}

/* The bytes of docs/file-format.md. */
static void the_documented_example_means_what_is_said(void **state)
{
	static const uint8_t change[] = {0x0C, 0x03, 0x08, 0x0E, 0x01, 0x01, 0x01, 0x58};
	static const char line[] = "pc,,,,,,,,c.li     x5; 0x5,0\n";
	struct ear_text_output output;
	struct ear_line_diff_cursor cursor;

	(void)state;
	assert_int_equal(ear_text_output_init_memory(&output), 0);
	ear_line_diff_begin(&cursor, change, sizeof(change), 13);
	for (unsigned i = 0; i < 12; i++)
		assert_int_equal(ear_line_diff_apply(&cursor, &output, "same\n", 5), 0);
	output.used = 0;
	assert_int_equal(ear_line_diff_apply(&cursor, &output, line, sizeof(line) - 1), 0);
	check_text(&output, "pc,,,,,,,,c.li     x5; 0X5,0\n", sizeof(line) - 1);
	ear_text_output_fini(&output);
}

static char *random_text(struct random *random, size_t lines)
{
	static const char letters[] = "ab,,;\r";
	char *text = malloc(lines * 12 + 1), *at = text;

	assert_non_null(text);
	for (size_t i = 0; i < lines; i++) {
		for (uint64_t n = random_below(random, 10); n > 0; n--)
			*at++ = letters[random_below(random, sizeof(letters) - 1)];
		*at++ = '\n';
	}
	*at = '\0';
	return text;
}

/* Whatever the two texts and the starts. */
static void any_text_can_be_made_of_any_lines(void **state)
{
	struct random random = {0x7363726970740A};

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		struct ear_line_diff diff = {0};
		struct sample sample;
		size_t starts[LINES_MAX];
		char *made = random_text(&random, random_below(&random, 8));
		char *original = random_text(&random, random_below(&random, 8));
		size_t size = strlen(original);

		if (size > 0 && random_once_in(&random, 3))
			original[--size] = '\0';
		cut_lines(&sample, made);
		find_starts(starts, original, size ? random_below(&random, size) : 0);
		if (random_once_in(&random, 2))
			find_starts(starts, original, 0);
		assert_int_equal(
			ear_line_diff_compare(&diff, &sample.lines, original, size, starts), 0);
		apply(&diff, &sample, 1 + random_below(&random, 4), original, size);
		ear_line_diff_fini(&diff);
		free(made);
		free(original);
	}
}

static void a_hostile_line_diff_only_spoils_the_text(void **state)
{
	struct random random = {0x686F7374696C65};
	char text[512];

	(void)state;
	memset(text, 'x', sizeof(text));
	for (size_t i = 7; i < sizeof(text); i += 8)
		text[i] = i % 3 ? '\n' : ',';
	text[sizeof(text) - 1] = '\n';
	for (unsigned i = 0; i < 100000; i++) {
		uint8_t bytes[24];
		size_t size = random_below(&random, sizeof(bytes));
		struct ear_text_output output;
		struct ear_line_diff_cursor cursor;
		for (size_t j = 0; j < size; j++)
			bytes[j] = (uint8_t)random_below(
				&random, random_once_in(&random, 3) ? 256 : 6);
		uint8_t *exact = malloc(size + 1); /* so that a sanitizer sees what is read */
		memcpy(exact, bytes, size);
		exact = realloc(exact, size ? size : 1);
		assert_int_equal(ear_text_output_init_memory(&output), 0);
		ear_line_diff_begin(&cursor, exact, size, random_below(&random, 100));
		int result = ear_line_diff_apply(&cursor, &output, text, sizeof(text));
		assert_true(result == 0 || result == EAR_E_BAD_FILE);
		assert_in_range(output.used, 0, 2 * sizeof(text));
		ear_text_output_fini(&output);
		free(exact);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_equal_needs_no_line_diff),
		cmocka_unit_test(a_change_costs_its_characters_and_a_few_bytes),
		cmocka_unit_test(records_that_are_not_there_are_dropped),
		cmocka_unit_test(the_documented_example_means_what_is_said),
		cmocka_unit_test(any_text_can_be_made_of_any_lines),
		cmocka_unit_test(a_hostile_line_diff_only_spoils_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
