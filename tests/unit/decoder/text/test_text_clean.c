/* What other programs add to a text. decoder/text/text_clean.h */
#include "check.h"

#include <string.h>

#include "decoder/text/text_clean.h"

static const char wanted[] = "core 0\nx5 1 \n\n";

struct row {
	const char *bytes;
	size_t size;
	bool on;
};

#define ROW(bytes, on) \
	{ \
		bytes, sizeof(bytes) - 1, on \
	}

static const struct row rows[] = {
	ROW("core 0\nx5 1 \n\n", false),
	ROW("\xEF\xBB\xBF"
	    "core 0\nx5 1 \n\n",
		true),
	ROW("\xFF\xFE"
	    "c\0o\0r\0e\0 \0"
	    "0\0\n\0x\0"
	    "5\0 \0"
	    "1\0 \0\n\0\n\0",
		true),
	ROW("\xFE\xFF"
	    "\0c\0o\0r\0e\0 \0"
	    "0\0\n\0x\0"
	    "5\0 \0"
	    "1\0 \0\n\0\n",
		true),
	ROW("\x1B[32mcore \x1B[1;31m0\x1B[0m\nx5 1 \n\x1B[K\n", true),
	ROW("co\0re 0\0\nx5 1 \n\0\0\n", true),
};

/* The whole, and cut at every byte. */
static void expect_clean(const struct row *row)
{
	for (size_t cut = 0; cut <= row->size; cut++) {
		struct ear_text_clean clean = {.on = false};
		char bytes[200];
		ear_text_clean_look(&clean, row->bytes, row->size);
		memcpy(bytes, row->bytes, row->size);
		size_t left = ear_text_clean_bytes(&clean, bytes, cut);
		memcpy(bytes + left, row->bytes + cut, row->size - cut);
		left += ear_text_clean_bytes(&clean, bytes + left, row->size - cut);
		assert_int_equal(left, strlen(wanted));
		assert_memory_equal(bytes, wanted, left);
	}
}

static void marks_wide_characters_colours_and_nul_are_taken_away(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_clean(&rows[i]);
}

static void an_ordinary_text_is_not_touched(void **state)
{
	struct ear_text_clean clean = {.on = false};

	(void)state;
	ear_text_clean_look(&clean, rows[0].bytes, rows[0].size);
	assert_false(clean.on);
	ear_text_clean_look(&clean, "", 0);
	assert_false(clean.on);
}

static void wide_text_needs_no_mark(void **state)
{
	struct ear_text_clean clean = {.on = false};
	char bytes[128] = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i += 2)
		bytes[i] = 'x';
	ear_text_clean_look(&clean, bytes, sizeof(bytes));
	assert_int_equal(clean.wide, 1);
	memmove(bytes + 1, bytes, sizeof(bytes) - 1);
	bytes[0] = 0;
	ear_text_clean_look(&clean, bytes, sizeof(bytes));
	assert_int_equal(clean.wide, 2);
}

static void the_prefix_of_most_lines_is_found(void **state)
{
	static const struct {
		const char *text, *prefix;
	} finds[] = {{"# a\n# b\n# c\nvsim\n", "# "}, {"// a\n// b\n", "// "}, {"//a\n", "//"},
		{"#a\n#b", "#"}, {"a\n# b\n", NULL}, {"", NULL}, {"# gap\na\nb\nc\n", NULL}};

	(void)state;
	for (size_t i = 0; i < sizeof(finds) / sizeof(finds[0]); i++) {
		const char *found = ear_text_clean_prefix(finds[i].text, strlen(finds[i].text));
		if (finds[i].prefix)
			assert_string_equal(found, finds[i].prefix);
		else
			assert_null(found);
	}
}

static void the_prefix_is_taken_from_every_line(void **state)
{
	static const char text[] = "# a # b\nc\n#\n\n# d";
	static const char left[] = "a # b\nc\n\n\nd";

	(void)state;
	for (size_t cut = 0; cut < sizeof(text); cut++) {
		struct ear_text_clean clean = {.on = false};
		char bytes[sizeof(text)];
		ear_text_clean_set_prefix(&clean, "# ");
		memcpy(bytes, text, sizeof(text));
		size_t size = ear_text_clean_bytes(&clean, bytes, cut);
		memcpy(bytes + size, text + cut, sizeof(text) - 1 - cut);
		if (cut < sizeof(text) - 1)
			size += ear_text_clean_bytes(&clean, bytes + size, sizeof(text) - 1 - cut);
		assert_int_equal(size, sizeof(left) - 1);
		assert_memory_equal(bytes, left, size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_wide_characters_colours_and_nul_are_taken_away),
		cmocka_unit_test(an_ordinary_text_is_not_touched),
		cmocka_unit_test(wide_text_needs_no_mark),
		cmocka_unit_test(the_prefix_of_most_lines_is_found),
		cmocka_unit_test(the_prefix_is_taken_from_every_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
