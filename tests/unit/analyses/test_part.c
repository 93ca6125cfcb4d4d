/* Files of parts: the head, lines of words, and what is wrong with them. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/base/part.h"

static const char file[] = "earshot-part 2 thing\n"
			   "options some words\n"
			   "trace 12-ab\n"
			   "program 00ff /a path/to it.elf\n"
			   "records 100 0x100 300\n"
			   "missing 3 5 150 2 3 4 1 99 120\n"
			   "row 1 0x10 the rest of it\n"
			   "empty \n"
			   "end 8\n";

static bool open_text(struct ear_part_reader *reader, struct ear_part_head *head, const char *text)
{
	FILE *stream = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	assert_non_null(stream);
	return ear_part_open(reader, stream, head);
}

static void close_text(struct ear_part_reader *reader)
{
	fclose(reader->file);
	ear_part_close(reader);
}

static void lines_are_words(void **state)
{
	struct ear_part_reader reader;
	struct ear_part_head head;
	uint64_t numbers[2], number;
	const char *word;

	(void)state;
	assert_true(open_text(&reader, &head, file));
	assert_string_equal(head.analysis, "thing");
	assert_string_equal(head.options, "some words");
	assert_string_equal(head.trace, "12-ab");
	assert_string_equal(head.program_sha256, "00ff");
	assert_string_equal(head.program, "/a path/to it.elf");
	assert_int_equal(head.begin, 100);
	assert_int_equal(head.end, 0x100);
	assert_int_equal(head.size, 300);
	assert_int_equal(head.missing.verdict, EAR_DAMAGED);
	assert_true(head.missing.unknown && head.missing.no_end && !head.missing.wrong);
	assert_int_equal(head.missing.missing, 4);
	assert_int_equal(head.missing.first, 120);
	assert_true(ear_part_next(&reader, &word));
	assert_string_equal(word, "row");
	assert_true(ear_part_numbers(&reader, numbers, 2));
	assert_int_equal(numbers[1], 16);
	assert_true(ear_part_rest(&reader, &word));
	assert_string_equal(word, "the rest of it");
	assert_false(ear_part_number(&reader, &number, 9));
	assert_string_equal(reader.error, "line 7: a number is missing");
	assert_true(ear_part_next(&reader, &word));
	assert_string_equal(word, "empty");
	assert_true(ear_part_next(&reader, &word));
	assert_null(word);
	assert_true(ear_part_next(&reader, &word));
	assert_null(word);
	close_text(&reader);
}

/* What is wrong, and what is said of it. */
static const struct {
	const char *from, *to, *error;
} wrongs[] = {
	{"part 2", "part 1", "line 1: it is of another version: make the part again"},
	{"part 2", "part x", "line 1: a number is missing"},
	{"part 2", "part 2x", "line 1: a number is wrong"},
	{"options", "optionz", "line 2: it is not what has to come here"},
	{"trace 12-ab", "trace ", "line 3: a word is missing, or too long"},
	{"missing 3", "missing 4", "line 6: a number is too high"},
	{" 99 120", " 99", "line 6: a number is missing"},
	{"0x100", "50", "line 6: the part ends before it begins"},
	{"row 1", "row 11", "line 7: a number is wrong"},
	{"end 8", "end 9", "line 9: lines before it are missing"},
	{"end 8\n", "end 8", "line 9: it is cut, or too long"},
	{"end 8\n", "", "line 9: the file ends here, before its end line"},
};

static void errors_have_their_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		struct ear_part_reader reader;
		struct ear_part_head head;
		char text[sizeof(file) + 16];
		const char *at = strstr(file, wrongs[i].from), *word = "";
		uint64_t number;

		assert_non_null(at);
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - file), file, wrongs[i].to,
			at + strlen(wrongs[i].from));
		bool good = open_text(&reader, &head, text);
		while (good && word) {
			good = ear_part_next(&reader, &word);
			if (good && word && strcmp(word, "row") == 0)
				good = ear_part_number(&reader, &number, 9);
		}
		assert_false(good);
		assert_string_equal(reader.error, wrongs[i].error);
		close_text(&reader);
	}
}

static void what_is_written_is_read(void **state)
{
	struct ear_part_writer writer;
	struct ear_part_reader reader;
	struct ear_part_head head, again;
	char *text = NULL;
	const char *word;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	(void)state;
	assert_non_null(stream);
	assert_true(open_text(&reader, &head, file));
	close_text(&reader);
	ear_part_write_head(&writer, stream, &head);
	ear_part_write(&writer, "row %d 0x%x %s", 1, 16, "the rest of it");
	ear_part_write(&writer, "empty ");
	ear_part_write_end(&writer);
	assert_int_equal(fclose(stream), 0);
	assert_true(open_text(&reader, &again, text));
	assert_string_equal(again.program, head.program);
	assert_int_equal(again.end, head.end);
	do
		assert_true(ear_part_next(&reader, &word));
	while (word);
	close_text(&reader);
	free(text);
}

static void any_text_is_a_word(void **state)
{
	static const char *const texts[] = {
		"", "-", "plain", "a b", "100%", "\n\t\x7f", "\xc3\xa4%2d"};
	static const char *const words[] = {
		"-", "%2d", "plain", "a%20b", "100%25", "%0a%09%7f", "%c3%a4%252d"};
	static const char *const wrong[] = {"%", "%2", "%2G", "%00", "toolongtoolong"};
	char text[8], word[3 * sizeof(text) + 2], line[32];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ear_part_quote(word, sizeof(word), texts[i]);
		assert_string_equal(word, words[i]);
		struct ear_part_reader reader = {.at = word};
		assert_true(ear_part_text(&reader, text, sizeof(text)));
		assert_string_equal(text, texts[i]);
		assert_false(ear_part_text(&reader, text, sizeof(text)));
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct ear_part_reader reader = {.at = strcpy(line, wrong[i])};
		assert_false(ear_part_text(&reader, text, sizeof(text)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_words),
		cmocka_unit_test(errors_have_their_line),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(any_text_is_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
