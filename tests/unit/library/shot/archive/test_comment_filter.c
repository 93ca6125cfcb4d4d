/* A text without its comment lines, however it is cut into parts. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "library/shot/archive/comment_filter.h"

struct heard {
	char text[8192];
	size_t size;
};

static void hear(void *context, const char *line, size_t size)
{
	struct heard *heard = context;

	assert_true(heard->size + size + 1 < sizeof(heard->text));
	memcpy(heard->text + heard->size, line, size);
	heard->size += size;
	heard->text[heard->size++] = '|';
}

/* In two parts, cut at cut. */
static void expect(const char *text, size_t cut, const char *rest, const char *comments)
{
	struct heard heard = {.size = 0};
	struct ear_comment_filter filter = {.sink = hear, .context = &heard};
	struct ear_text_output output;

	assert_int_equal(ear_text_output_init_memory(&output), 0);
	ear_comment_filter_push(&filter, &output, text, cut);
	ear_comment_filter_push(&filter, &output, text + cut, strlen(text) - cut);
	ear_comment_filter_end(&filter);
	assert_int_equal(output.used, strlen(rest));
	assert_memory_equal(output.buffer, rest, output.used);
	assert_int_equal(heard.size, strlen(comments));
	assert_memory_equal(heard.text, comments, heard.size);
	ear_text_output_fini(&output);
}

static void comment_lines_are_removed_wherever_the_text_is_cut(void **state)
{
	static const struct {
		const char *text, *rest, *comments;
	} rows[] = {
		{"pc, inst\n# gap: 1\n80,1\n", "pc, inst\n80,1\n", "# gap: 1|"},
		{"#one\r\n#two\r\na\r\n", "a\r\n", "#one|#two|"},
		{"a # b\n\n #c\n", "a # b\n\n #c\n", ""},
		{"a\n# at the end", "a\n", "# at the end|"},
		{"a\nwithout end", "a\nwithout end", ""},
		{"#\n#", "", "#|#|"},
		{"", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t cut = 0; cut <= strlen(rows[i].text); cut++)
			expect(rows[i].text, cut, rows[i].rest, rows[i].comments);
}

static void a_long_comment_is_removed_and_shown_in_part(void **state)
{
	char text[4 * EAR_COMMENT_FILTER_SHOWN], shown[EAR_COMMENT_FILTER_SHOWN + 2];

	(void)state;
	memset(text, '#', sizeof(text));
	snprintf(text + sizeof(text) - 3, 3, "\na");
	memset(shown, '#', EAR_COMMENT_FILTER_SHOWN);
	snprintf(shown + EAR_COMMENT_FILTER_SHOWN, 2, "|");
	expect(text, 7, "a", shown);
	expect(text, sizeof(text) - 3, "a", shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comment_lines_are_removed_wherever_the_text_is_cut),
		cmocka_unit_test(a_long_comment_is_removed_and_shown_in_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
