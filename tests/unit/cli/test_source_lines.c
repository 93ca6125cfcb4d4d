/* Lines of source files, whatever the file holds. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/input/source_lines.h"

static char path[64];

static void write_file(const char *bytes, size_t size)
{
	strcpy(path, "/tmp/earshot-source-XXXXXX");
	int fd = mkstemp(path);

	assert_at_least(fd, 0);
	assert_same(write(fd, bytes, size), (ssize_t)size);
	close(fd);
}

static void lines_are_found_by_their_numbers(void **state)
{
	static const char text[] = "int a;\n\n\tif (b)\t\tc();  \r\nlast";
	struct source_lines *lines = source_lines_new();

	(void)state;
	write_file(text, sizeof(text) - 1);
	assert_string_equal(source_lines_find(lines, path, 1), "int a;");
	assert_string_equal(source_lines_find(lines, path, 2), "");
	assert_string_equal(source_lines_find(lines, path, 3), "if (b)  c();");
	assert_string_equal(source_lines_find(lines, path, 4), "last");
	assert_string_equal(source_lines_find(lines, path, 5), "");
	assert_string_equal(source_lines_find(lines, path, 0), "");
	assert_string_equal(source_lines_find(lines, path, UINT32_MAX), "");
	unlink(path);
	/* It was read once. */
	assert_string_equal(source_lines_find(lines, path, 4), "last");
	source_lines_free(lines);
}

static void what_may_not_be_shown_is_replaced(void **state)
{
	static const char text[] = "a\x1b[31mb\0c\xc3\xa9\xff\xe2\x80\xae!\n";
	struct source_lines *lines = source_lines_new();

	(void)state;
	write_file(text, sizeof(text) - 1);
	assert_string_equal(source_lines_find(lines, path, 1), "a?[31mb?c\xc3\xa9?\?\?\?!");
	unlink(path);
	source_lines_free(lines);
}

static void a_long_line_is_cut_between_characters(void **state)
{
	struct source_lines *lines = source_lines_new();
	char text[3 * SOURCE_LINE_MAX];

	(void)state;
	for (unsigned shift = 0; shift < 3; shift++) {
		memset(text, 'x', sizeof(text));
		for (size_t i = shift; i + 3 <= sizeof(text); i += 3)
			memcpy(text + i, "\xe2\x82\xac", 3);
		write_file(text, sizeof(text));
		const char *found = source_lines_find(lines, path, 1);
		size_t size = strlen(found);
		assert_at_least(size, SOURCE_LINE_MAX - 2);
		assert_at_least((size_t)SOURCE_LINE_MAX + 2, size);
		assert_string_equal(found + size - 2, "..");
		assert_int_equal((size - 2 - shift) % 3, 0);
		assert_null(strchr(found, '?'));
		unlink(path);
	}
	source_lines_free(lines);
}

static void what_is_no_file_has_no_lines(void **state)
{
	struct source_lines *lines = source_lines_new();

	(void)state;
	assert_string_equal(source_lines_find(lines, "/", 1), "");
	assert_string_equal(source_lines_find(lines, "/dev/zero", 1), "");
	assert_string_equal(source_lines_find(lines, "/nowhere", 1), "");
	assert_string_equal(source_lines_find(lines, "", 1), "");
	write_file("", 0);
	assert_string_equal(source_lines_find(lines, path, 1), "");
	assert_int_equal(truncate(path, (off_t)SOURCE_FILE_MAX + 1), 0);
	struct source_lines *others = source_lines_new();
	assert_string_equal(source_lines_find(others, path, 1), "");
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	struct source_lines *pipe = source_lines_new();
	assert_string_equal(source_lines_find(pipe, path, 1), "");
	unlink(path);
	source_lines_free(lines);
	source_lines_free(others);
	source_lines_free(pipe);
}

static void any_number_of_files_can_be_asked_for(void **state)
{
	struct source_lines *lines = source_lines_new();
	char name[32];

	(void)state;
	write_file("here\n", 5);
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "/nowhere/%u", i);
		assert_string_equal(source_lines_find(lines, name, 1), "");
		assert_string_equal(source_lines_find(lines, path, 1), "here");
	}
	unlink(path);
	source_lines_free(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_found_by_their_numbers),
		cmocka_unit_test(what_may_not_be_shown_is_replaced),
		cmocka_unit_test(a_long_line_is_cut_between_characters),
		cmocka_unit_test(what_is_no_file_has_no_lines),
		cmocka_unit_test(any_number_of_files_can_be_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
