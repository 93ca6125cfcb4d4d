/* A part of a check is its rows, which the library makes and takes, between the lines that all part
 * files have. The rows are kept until the last one is there, since it says how much memory the part
 * has, which comes first in the file.
 */
#include "cli/commands/check/check_parts.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyses/base/rows.h"
#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/input/part_file.h"

#define ANALYSIS "check"

_Static_assert(EAR_CHECK_ROW_MAX <= EAR_ROWS_NUMBERS && EAR_CHECK_ROW_KINDS <= EAR_ROWS_KINDS,
	"a row of a check is a row");

/* What the parts and the join must have in common, beside the trace and the program. */
static void describe(const struct trace_input *input, const struct ear_check_options *options,
	char text[EAR_PART_WORD_MAX])
{
	char one[96]; /* with the hash of those before it */
	uint64_t hash = (uint64_t)options->reset;

	for (size_t i = 0; i < options->assumed_count; i++) {
		snprintf(one, sizeof(one), "%" PRIx64 " %u.%u=%" PRIx64, hash,
			options->assumed[i].reg_class, options->assumed[i].number,
			options->assumed[i].value);
		hash = ear_part_hash(one);
	}
	for (size_t i = 0; i < input->options.device_count; i++) {
		snprintf(one, sizeof(one), "%" PRIx64 " %" PRIx64 "-%" PRIx64, hash,
			input->options.devices[i].first, input->options.devices[i].last);
		hash = ear_part_hash(one);
	}
	snprintf(text, EAR_PART_WORD_MAX, "checked=%016" PRIx64, hash);
}

bool check_parts_are(char **words, int count)
{
	return count > 0 && part_file_is_one(words[0]);
}

/* A line with a word that must come next. */
static bool next_is(struct ear_part_reader *reader, const char *wanted)
{
	const char *word;

	return ear_part_next(reader, &word) &&
	       ((word && strcmp(word, wanted) == 0) ||
		       ear_part_fail(reader, "it is none of a check"));
}

static bool read_trace(struct ear_part_reader *reader, char *path, size_t size)
{
	return next_is(reader, "file") && ear_part_text(reader, path, size);
}

bool check_parts_find_trace(struct check_parts *parts)
{
	struct part_files files = {0};
	bool good = part_files_open(&files, parts->paths[0], ANALYSIS);

	if (good && !read_trace(&files.reader, parts->trace, sizeof(parts->trace))) {
		part_files_fail(&files, parts->paths[0]);
		good = false;
	}
	part_files_close(&files);
	return good;
}

/* A part ----------------------------------------------------------------------------------------
 */

static int add_row(void *context, unsigned kind, const uint64_t *numbers, unsigned count)
{
	return ear_rows_add(context, kind, numbers, count) ? 0 : EAR_E_NO_MEMORY;
}

static void print_part(
	const struct ear_part_head *head, const char *trace, uint64_t pages, struct ear_rows *rows)
{
	struct ear_part_writer writer;
	struct ear_part_walk walk = {.writer = &writer};
	char quoted[3 * 4096 + 2];

	ear_part_write_head(&writer, stdout, head);
	ear_part_quote(quoted, sizeof(quoted), trace);
	ear_part_write(&writer, "file %s", quoted);
	ear_part_write(&writer, "pages %" PRIu64, pages);
	ear_rows_walk(rows, &walk);
	ear_part_write_end(&writer);
}

int check_parts_write(struct check_parts *parts, struct trace_input *input,
	const struct ear_check_options *options)
{
	const uint64_t *begins = parts->asked.plan.begins;
	struct ear_rows rows = {0};
	struct ear_part_head head;
	uint64_t pages;

	if (strlen(input->path) >= sizeof(parts->trace)) {
		cli_error("%s: the path is too long", input->path);
		return EAR_EXIT_FAILED;
	}
	if (!trace_parts_plan(&parts->asked, input))
		return EAR_EXIT_FAILED;
	const int result = ear_trace_check_part(input->trace, options, begins[0], begins[1],
		add_row, &rows, &pages, &input->progress);
	cli_progress_clear();
	trace_input_judge(input, begins[0], begins[1]);
	input->judged = true;
	bool good = result == 0 && part_file_head(&head, &parts->asked, input, ANALYSIS);
	if (result)
		trace_input_fail(input);
	if (good) {
		describe(input, options, head.options);
		head.missing = input->verdict.missing;
		files_begin();
		print_part(&head, input->path, pages, &rows);
	}
	ear_rows_fini(&rows);
	return good ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

/* Joining ---------------------------------------------------------------------------------------
 */

struct joining {
	struct ear_check_join *join;
	struct trace_input *input;
	struct part_files files;
	struct ear_part_head own; /* as a part of the trace that is here has it */
	int result;               /* of the library */
};

/* One row of the file. Returns false if it is none, or the join ended. */
static bool join_row(struct joining *joining)
{
	struct ear_part_reader *reader = &joining->files.reader;
	uint64_t kind, numbers[EAR_CHECK_ROW_MAX];
	unsigned count = 0;

	if (!ear_part_number(reader, &kind, EAR_CHECK_ROW_KINDS - 1))
		return false;
	while (!ear_part_line_ended(reader)) {
		if (count == EAR_CHECK_ROW_MAX)
			return ear_part_fail(reader, "it has too many numbers");
		if (!ear_part_number(reader, &numbers[count++], UINT64_MAX))
			return false;
	}
	joining->result = ear_check_join_row(
		joining->join, (unsigned)kind, numbers, count, &joining->input->progress);
	return joining->result == 0;
}

static bool join_rows(struct joining *joining)
{
	struct ear_part_reader *reader = &joining->files.reader;
	const struct ear_part_head *head = &joining->files.head;
	char trace[4096];
	uint64_t pages;
	const char *word;

	if (!read_trace(reader, trace, sizeof(trace)) || !next_is(reader, "pages") ||
		!ear_part_number(reader, &pages, UINT64_MAX))
		return false;
	joining->result = ear_check_join_begin(
		joining->join, head->begin, head->end, pages, &joining->input->progress);
	while (joining->result == 0 && ear_part_next(reader, &word)) {
		if (!word)
			return true;
		if (strcmp(word, "row") != 0)
			return ear_part_fail(reader, "it is none of a check");
		if (!join_row(joining))
			return false;
	}
	return false;
}

static bool is_of_trace(const struct joining *joining, const char *path)
{
	const struct ear_part_head *head = &joining->files.head, *own = &joining->own;

	if (joining->files.begin > 0)
		cli_error("%s: it begins at record %" PRIu64 ": the parts before it are missing",
			path, head->begin);
	else if (strcmp(head->trace, own->trace) != 0)
		cli_error("%s: it is of another trace than %s is now", path, joining->input->path);
	else if (strcmp(head->program_sha256, own->program_sha256) != 0)
		cli_error("%s: it was checked with another program; give the same --elf", path);
	else if (strcmp(head->options, own->options) != 0)
		cli_error("%s: it was checked with another --assume or --device", path);
	else
		return true;
	return false;
}

/* Returns 0; the library's error; 1 after printing what is wrong with the file. */
static int join_file(struct joining *joining, const char *path)
{
	struct part_files *files = &joining->files;
	int result = part_files_open(files, path, ANALYSIS) && is_of_trace(joining, path) ? 0 : 1;

	joining->result = 0;
	if (result == 0 && !join_rows(joining)) {
		result = joining->result ? joining->result : 1;
		if (joining->result == 0 || joining->result == EAR_E_BAD_FILE) {
			cli_progress_clear();
			if (joining->result)
				cli_error("%s: line %" PRIu64 ": %s", path, files->reader.number,
					ear_trace_error(joining->input->trace));
			else
				part_files_fail(files, path);
			result = 1;
		}
	}
	if (result == 0)
		result = ear_check_join_end(joining->join);
	part_files_close(files);
	return result;
}

int check_parts_join(const struct check_parts *parts, struct trace_input *input,
	const struct ear_check_options *options, ear_violation_found *found, void *context,
	struct ear_check_counts *counts)
{
	struct joining joining = {.input = input};

	if (!part_file_head(&joining.own, &parts->asked, input, ANALYSIS))
		return 1;
	describe(input, options, joining.own.options);
	int result = ear_check_join_new(&joining.join, input->trace, options, found, context);
	for (int i = 0; i < parts->count && result == 0; i++)
		result = join_file(&joining, parts->paths[i]);
	if (joining.join)
		(void)ear_check_join_counts(joining.join, counts);
	if (result == 0 && !input->quiet)
		part_files_check_whole(&joining.files);
	ear_check_join_free(joining.join);
	return result;
}
