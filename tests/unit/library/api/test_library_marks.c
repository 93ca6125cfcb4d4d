/* Marks: what was marked is found, also by another handle and in a copy or a longer trace; a trace
 * that has changed is noticed; a damaged file is neither believed nor written.
 */
#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <earshot/earshot.h>

#define SIZE_MAX_READ 65536
#define LINES         6 /* of a trace, an instruction each */

static char folder[] = "/tmp/earshot-marks-XXXXXX";
static char trace_name[64], marks_name[72], other_name[80];

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
}

static char *read_text(const char *name)
{
	char *text = calloc(1, SIZE_MAX_READ);
	FILE *file = fopen(name, "r");

	assert_non_null(text);
	if (file) {
		assert_true(fread(text, 1, SIZE_MAX_READ - 1, file) > 0);
		fclose(file);
	}
	return text;
}

/* A trace of lines instructions, whose registers hold value. */
static void write_trace(const char *name, unsigned lines, unsigned value)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	for (unsigned i = 0; i < lines; i++)
		fprintf(file, "core   0: 3 0x%08x (0x00450513) x10 0x%08x\n", 0x80000000 + 4 * i,
			value);
	assert_int_equal(fclose(file), 0);
}

static struct ear_trace *open_trace(const char *name)
{
	char error[EAR_TRACE_ERROR_MAX] = "";
	const struct ear_trace_options options = {.size = sizeof(options),
		.format = "spike",
		.index = EAR_INDEX_NONE,
		.error = error};
	struct ear_trace *trace;

	if (ear_trace_open(&trace, name, &options))
		fail_msg("%s", error);
	return trace;
}

static int64_t count_marks(const char *name, struct ear_mark marks[4])
{
	struct ear_trace *trace = open_trace(name);
	int64_t count = ear_trace_marks(trace, marks, sizeof(*marks), 4, NULL);

	ear_trace_close(trace);
	return count;
}

/* The position of a mark by its text, or what finding it returned. */
static int64_t find(const char *name, const char *text)
{
	struct ear_moment_place place = {.size = sizeof(place)};
	struct ear_trace *trace = open_trace(name);
	int result = ear_trace_find_moment(trace, text, NULL, UINT64_MAX, &place, NULL);

	assert_true(result == 1 || ear_trace_error(trace)[0]);
	ear_trace_close(trace);
	return result == 1 ? (int64_t)place.before : result == 0 ? -1000 : result;
}

static int mark(const char *name, const char *text, uint64_t position)
{
	struct ear_trace *trace = open_trace(name);
	int result = ear_trace_mark(trace, text, position, NULL);

	assert_true(result == 0 || ear_trace_error(trace)[0]);
	ear_trace_close(trace);
	return result;
}

static int unmark(const char *name, const char *text)
{
	struct ear_trace *trace = open_trace(name);
	int result = ear_trace_unmark(trace, text, NULL);

	ear_trace_close(trace);
	return result;
}

static int set_up(void **state)
{
	(void)state;
	write_trace(trace_name, LINES, 7);
	unlink(marks_name);
	return 0;
}

static void a_mark_is_found_again(void **state)
{
	struct ear_mark marks[4];

	(void)state;
	assert_int_equal(count_marks(trace_name, marks), 0);
	assert_int_equal(find(trace_name, "mark=crash"), -1000);
	assert_int_equal(mark(trace_name, "crash", 4), 0);
	assert_int_equal(mark(trace_name, "end-of.boot", LINES), 0);
	assert_int_equal(mark(trace_name, "first", 0), 0);
	assert_int_equal(find(trace_name, "mark=crash"), 4);
	assert_int_equal(find(trace_name, "mark=crash+1"), 4);
	assert_int_equal(find(trace_name, "mark=crash-1"), 3);
	assert_int_equal(find(trace_name, "@mark=end-of.boot"), LINES);
	assert_int_equal(count_marks(trace_name, marks), 3);
	assert_string_equal(marks[0].name, "first");
	assert_string_equal(marks[1].name, "crash");
	assert_int_equal(marks[1].number, 4);
	assert_false(marks[1].stale);
	/* It moves, and is deleted; the file goes with the last one. */
	assert_int_equal(mark(trace_name, "crash", 2), 0);
	assert_int_equal(find(trace_name, "mark=crash"), 2);
	assert_int_equal(unmark(trace_name, "crash"), 1);
	assert_int_equal(unmark(trace_name, "crash"), 0);
	assert_int_equal(unmark(trace_name, NULL), 1);
	assert_int_equal(access(marks_name, F_OK), -1);
	assert_int_equal(mark(trace_name, "late", LINES + 1), EAR_E_BAD_ARGUMENT);
	assert_int_equal(mark(trace_name, "5", 0), EAR_E_BAD_ARGUMENT);
	assert_int_equal(access(marks_name, F_OK), -1);
}

static void marks_stay_with_the_same_bytes(void **state)
{
	struct ear_mark marks[4];
	char copied[96];

	(void)state;
	assert_int_equal(mark(trace_name, "crash", 4), 0);
	/* A longer trace, and a copy. */
	write_trace(trace_name, LINES + 2, 7);
	assert_int_equal(find(trace_name, "mark=crash"), 4);
	assert_int_equal(mark(trace_name, "later", LINES + 1), 0);
	write_trace(other_name, LINES + 2, 7);
	snprintf(copied, sizeof(copied), "%s.marks", other_name);
	assert_int_equal(rename(marks_name, copied), 0);
	assert_int_equal(find(other_name, "mark=later"), LINES + 1);
	/* Another run of the same size; a shorter one. */
	write_trace(other_name, LINES + 2, 8);
	assert_int_equal(find(other_name, "mark=crash"), EAR_E_BAD_ARGUMENT);
	assert_int_equal(mark(other_name, "new", 0), EAR_E_BAD_ARGUMENT);
	assert_int_equal(count_marks(other_name, marks), 2);
	assert_true(marks[0].stale && marks[1].stale);
	write_trace(other_name, LINES, 7);
	assert_int_equal(find(other_name, "mark=crash"), EAR_E_BAD_ARGUMENT);
	assert_int_equal(unmark(other_name, NULL), 1);
	assert_int_equal(mark(other_name, "new", 0), 0);
	unlink(copied);
	unlink(other_name);
}

/* Each byte that is damaged is noticed, or is a digit of a number or a letter of a name. */
static void a_damaged_file_is_left_as_it_is(void **state)
{
	struct ear_mark marks[4];
	unsigned refused = 0;

	(void)state;
	assert_int_equal(mark(trace_name, "crash", 4), 0);
	char *whole = read_text(marks_name);
	const size_t size = strlen(whole);
	for (size_t i = 0; i < size; i++) {
		char *text = strdup(whole);
		text[i] = '\n' + (text[i] == '\n');
		write_file(marks_name, text);
		if (count_marks(trace_name, marks) == EAR_E_BAD_FILE) {
			refused++;
			assert_int_equal(mark(trace_name, "new", 0), EAR_E_BAD_FILE);
			assert_int_equal(unmark(trace_name, NULL), EAR_E_BAD_FILE);
			char *left = read_text(marks_name);
			assert_string_equal(left, text);
			free(left);
		}
		text[i] = '\0'; /* the end is missing */
		write_file(marks_name, text);
		assert_int_equal(count_marks(trace_name, marks), EAR_E_BAD_FILE);
		free(text);
	}
	assert_int_equal(refused, size);
	free(whole);
	unlink(marks_name);
	/* A link, also to something good, and a folder. */
	assert_int_equal(symlink(trace_name, marks_name), 0);
	assert_int_equal(mark(trace_name, "new", 0), EAR_E_BAD_FILE);
	unlink(marks_name);
	assert_int_equal(mkdir(marks_name, 0700), 0);
	assert_int_equal(mark(trace_name, "new", 0), EAR_E_BAD_FILE);
	assert_int_equal(rmdir(marks_name), 0);
	snprintf(other_name, sizeof(other_name), "%s.tmp", marks_name);
	assert_int_equal(access(other_name, F_OK), -1);
}

static void names_of_marks(void **state)
{
	static const char *const bad[] = {
		"", "5", "-a", ".a", "a-5", "a b", "a:b", "a#1", "a+b", "a=b", "\xc3\xa4", "a\n"};
	char name[EAR_MARK_NAME_SIZE + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(ear_mark_name_check(bad[i]));
	assert_true(ear_mark_name_check("a"));
	assert_true(ear_mark_name_check("_A-b.5"));
	memset(name, 'a', sizeof(name));
	name[EAR_MARK_NAME_SIZE] = '\0';
	assert_false(ear_mark_name_check(name));
	name[EAR_MARK_NAME_SIZE - 1] = '\0';
	assert_true(ear_mark_name_check(name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_mark_is_found_again, set_up),
		cmocka_unit_test_setup(marks_stay_with_the_same_bytes, set_up),
		cmocka_unit_test_setup(a_damaged_file_is_left_as_it_is, set_up),
		cmocka_unit_test(names_of_marks),
	};

	if (!mkdtemp(folder))
		return 1;
	snprintf(trace_name, sizeof(trace_name), "%s/t.log", folder);
	snprintf(marks_name, sizeof(marks_name), "%s.marks", trace_name);
	snprintf(other_name, sizeof(other_name), "%s/other.log", folder);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(trace_name);
	unlink(marks_name);
	rmdir(folder);
	return failed;
}
