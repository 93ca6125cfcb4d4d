/* The loop over lines that readers of logs share: with a format of the test's own, in which a line
 * that begins with a letter begins a record, and "!" is bad.
 */
#define _GNU_SOURCE /* memfd_create */

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decoder/formats/base/line_reader.h"

#define REPORTS_MAX 8

struct reports {
	struct {
		uint64_t line, offset;
		const char *cause;
		enum ear_line_kind kind;
	} reports[REPORTS_MAX];
	size_t count;
	int answer;
};

static int take_report(
	void *context, uint64_t line, uint64_t offset, const char *cause, enum ear_line_kind kind)
{
	struct reports *reports = context;

	assert_below(reports->count, REPORTS_MAX);
	reports->reports[reports->count].line = line;
	reports->reports[reports->count].offset = offset;
	reports->reports[reports->count].cause = cause;
	reports->reports[reports->count++].kind = kind;
	return reports->answer;
}

static int take(struct ear_line_reader *reader, const char *line, size_t size,
	const struct ear_record **done)
{
	if (size == 0)
		return 0;
	if (*line == '!')
		return ear_line_reader_skip(reader, "an exclamation mark");
	if (*line == '>')
		return ear_line_reader_pass(reader, "the console's");
	struct ear_record_builder *builder =
		ear_record_pair_begin(&reader->pair, EAR_RECORD_INSTRUCTION);
	builder->record.pc = (uint64_t)*line;
	builder->record.hart = (uint16_t)(*line >= 'A' && *line <= 'Z');
	builder->record.xlen = 64;
	for (size_t i = 1; i < size; i++)
		if (line[i] == '?')
			ear_reader_word(&reader->base, builder->record.hart,
				(struct ear_text){line + i, size - i});
	if (line[size - 1] == '!')
		return ear_line_reader_skip(reader, "an exclamation mark");
	*done = ear_record_pair_turn(&reader->pair);
	return 0;
}

struct run {
	struct ear_text_input *input;
	struct ear_reader *reader;
	struct reports reports;
	int fd;
};

static void begin(struct run *run, const char *text, bool with_reports)
{
	struct ear_line_reader *made = calloc(1, sizeof(*made));
	struct ear_reader_options options = {0};

	*run = (struct run){.fd = memfd_create("text", 0)};
	assert_non_null(made);
	assert_int_equal(pwrite(run->fd, text, strlen(text), 0), strlen(text));
	assert_int_equal(ear_text_input_new(&run->input, run->fd, NULL, 0), 0);
	if (with_reports) {
		options.report = take_report;
		options.context = &run->reports;
	}
	ear_line_reader_init(made, run->input, &options, take);
	run->reader = &made->base;
}

static void end(struct run *run)
{
	ear_reader_free(run->reader);
	ear_text_input_free(run->input);
	close(run->fd);
}

/* The pcs of all records, as letters, and ! for a line that was skipped, ? for one that was cut.
 * Returns what the last call returned. */
static int read_all(struct run *run, char *letters)
{
	const struct ear_record *record;
	int result;

	while ((result = ear_reader_next(run->reader, &record)) > 0)
		*letters++ = record->kind != EAR_RECORD_GAP             ? (char)record->pc
			     : record->u.gap.reason == EAR_GAP_WORD     ? '~'
			     : record->u.gap.reason == EAR_GAP_BAD_LINE ? '!'
									: '?';
	*letters = '\0';
	return result;
}

static void expect_report(const struct run *run, size_t i, uint64_t line, uint64_t offset,
	const char *cause, enum ear_line_kind kind)
{
	assert_below(i, run->reports.count);
	assert_int_equal(run->reports.reports[i].line, line);
	assert_int_equal(run->reports.reports[i].offset, offset);
	assert_string_equal(run->reports.reports[i].cause, cause);
	assert_int_equal(run->reports.reports[i].kind, kind);
}

static void a_record_ends_where_the_next_begins_or_the_file_ends(void **state)
{
	(void)state;
	struct run run;
	char letters[16];

	begin(&run, "a\n\nb\nc\n", true);
	assert_int_equal(read_all(&run, letters), 0);
	assert_string_equal(letters, "abc");
	assert_int_equal(run.reports.count, 0);
	end(&run);
}

static void after_the_end_there_is_nothing(void **state)
{
	(void)state;
	struct run run;
	char letters[16];

	begin(&run, "a\n", true);
	assert_int_equal(read_all(&run, letters), 0);
	assert_int_equal(read_all(&run, letters), 0);
	assert_string_equal(letters, "");
	end(&run);
	begin(&run, "", true);
	assert_int_equal(read_all(&run, letters), 0);
	assert_string_equal(letters, "");
	end(&run);
}

static void a_bad_line_is_reported_with_its_position_and_skipped(void **state)
{
	(void)state;
	struct run run;
	char letters[16];

	begin(&run, "a\n!\nb\n", true);
	assert_int_equal(read_all(&run, letters), 0);
	assert_string_equal(letters, "a!b");
	assert_int_equal(run.reports.count, 1);
	expect_report(&run, 0, 2, 2, "an exclamation mark", EAR_LINE_BAD);
	end(&run);
}

/* The record whose line came last is out only when the next one begins. */
static void the_gap_of_a_line_comes_after_the_record_before_it(void **state)
{
	static const char *const rows[][2] = {{"!\na\n", "!a"}, {"a\n!\n!\nb\n!\n", "a!!b!"},
		{"!\n!\n", "!!"}, {"a\n>\nb\n>\n", "ab"}, {"a\n>", "a?"}, {"a\nB\n!\n", "aB!!"}};
	char text[200], letters[64];
	struct run run;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin(&run, rows[i][0], true);
		assert_int_equal(read_all(&run, letters), 0);
		assert_string_equal(letters, rows[i][1]);
		end(&run);
	}
	strcpy(text, "a\n");
	for (unsigned i = 0; i < EAR_READER_SKIPPED_MAX + 10; i++)
		strcat(text, "!\n");
	begin(&run, text, false);
	assert_int_equal(read_all(&run, letters), 0);
	assert_int_equal(strlen(letters), 1 + EAR_READER_SKIPPED_MAX);
	end(&run);
}

/* It is beside the record that the line is of, once for the line, and not where that is skipped. */
static void a_word_that_was_not_understood_is_a_gap_of_its_hart(void **state)
{
	static const char *const rows[][2] = {{"a ?x ?y\nb\n", "a~b"}, {"a\nb ?\n", "a~b"},
		{"a ?", "a~"}, {"a ?!\nb\n", "!b"}, {"A\nb ?\nB ?\n", "A~b~B"}};
	const struct ear_record *record;
	char letters[16];
	struct run run;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin(&run, rows[i][0], false);
		assert_int_equal(run.reader->word_line, 0);
		assert_int_equal(read_all(&run, letters), 0);
		assert_string_equal(letters, rows[i][1]);
		end(&run);
	}
	begin(&run, "A\na ?first\033 word ?second\nB\n", true);
	while (ear_reader_next(run.reader, &record) > 0 && record->kind != EAR_RECORD_GAP)
		;
	assert_int_equal(record->hart, 0);
	assert_true(record->u.gap.count_known);
	assert_int_equal(record->u.gap.count, 0);
	assert_int_equal(record->extra->line, 2);
	assert_true(ear_gap_forgets(&record->u.gap));
	assert_int_equal(run.reader->word_line, 2);
	assert_string_equal(run.reader->word, "?first.");
	assert_int_equal(run.reports.count, 0);
	end(&run);
}

static void without_a_report_function_bad_lines_are_skipped(void **state)
{
	(void)state;
	struct run run;
	char letters[16];

	begin(&run, "a\n!\nb", false);
	assert_int_equal(read_all(&run, letters), 0);
	assert_string_equal(letters, "a!b");
	end(&run);
}

static void the_report_function_can_end_the_reading(void **state)
{
	(void)state;
	struct run run;
	char letters[16];

	begin(&run, "a\n!\nb\n", true);
	run.reports.answer = -77;
	assert_int_equal(read_all(&run, letters), -77);
	end(&run);
}

static void a_last_line_without_its_end_is_warned_of_once(void **state)
{
	(void)state;
	struct run run;
	char letters[16];

	begin(&run, "a\nb", true);
	assert_int_equal(read_all(&run, letters), 0);
	assert_string_equal(letters, "ab");
	assert_int_equal(run.reports.count, 1);
	expect_report(&run, 0, 2, 2, "the last line has no line end; the file may be cut off",
		EAR_LINE_NOTE);
	end(&run);
}

static void a_bad_last_line_without_its_end_is_cut_off(void **state)
{
	(void)state;
	struct run run;
	char letters[16];

	begin(&run, "a\n!", true);
	assert_int_equal(read_all(&run, letters), 0);
	assert_string_equal(letters, "a?");
	assert_int_equal(run.reports.count, 1);
	expect_report(&run, 0, 2, 2, "the last line is cut off", EAR_LINE_NOTE);
	end(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_ends_where_the_next_begins_or_the_file_ends),
		cmocka_unit_test(after_the_end_there_is_nothing),
		cmocka_unit_test(a_bad_line_is_reported_with_its_position_and_skipped),
		cmocka_unit_test(the_gap_of_a_line_comes_after_the_record_before_it),
		cmocka_unit_test(a_word_that_was_not_understood_is_a_gap_of_its_hart),
		cmocka_unit_test(without_a_report_function_bad_lines_are_skipped),
		cmocka_unit_test(the_report_function_can_end_the_reading),
		cmocka_unit_test(a_last_line_without_its_end_is_warned_of_once),
		cmocka_unit_test(a_bad_last_line_without_its_end_is_cut_off),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
