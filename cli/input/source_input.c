/* A trace in any format by name. Bad lines are skipped and counted, the first ten shown, until
 * there are more than --max-bad; each error is printed once, with the file and the line.
 */
#include "cli/input/source_input.h"

#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/input/input.h"
#include "cli/show/statistics.h"
#include "common/plural.h"
#include "decoder/formats/formats.h"
#include "decoder/formats/pattern/line_pattern.h"

#define BAD_LINES_SHOWN 10 /* more are only counted */

void source_input_init(struct source_input *input, const char *path)
{
	*input = (struct source_input){.bad_limit = 100,
		.format_option = "-i",
		.fd = -1,
		.missing = {.size = sizeof(input->missing)}};
	source_input_name(input, path);
}

void source_input_name(struct source_input *input, const char *path)
{
	input->path = path;
	input->name = strcmp(path, "-") == 0 ? "standard input" : path;
}

const char *source_input_place(char text[SOURCE_INPUT_PLACE], uint64_t line_number, uint64_t offset)
{
	if (line_number > 0)
		snprintf(text, SOURCE_INPUT_PLACE, "line %" PRIu64, line_number);
	else
		snprintf(text, SOURCE_INPUT_PLACE, "byte %" PRIu64, offset);
	return text;
}

int source_input_report(void *context, uint64_t line_number, uint64_t offset, const char *cause,
	enum ear_line_kind kind)
{
	struct source_input *input = context;
	char text[SOURCE_INPUT_PLACE];
	const char *place = source_input_place(text, line_number, offset);

	if (input->before_report)
		input->before_report(input->report_context);
	if (kind == EAR_LINE_NOTE && input->quiet)
		return 0;
	if (kind == EAR_LINE_NOTE) {
		cli_warning("%s: %s: %s", input->name, place, cause);
		return 0;
	}
	/* Of a format that the user says, and no record: it may be the wrong one. */
	if (kind == EAR_LINE_OTHER && !input->strict &&
		(!input->format || input->record_count > 0)) {
		if (input->other_lines++ == 0 && !input->quiet)
			cli_warning("%s: %s skipped: %s", input->name, place, cause);
		return 0;
	}
	if (input->strict || input->bad_lines == input->bad_limit) {
		cli_error("%s: %s: %s%s", input->name, place, cause,
			input->strict ? "" : "; too many bad lines (--max-bad)");
		input->reported = true;
		return EAR_E_BAD_FILE;
	}
	input->bad_lines++;
	if (input->bad_lines <= BAD_LINES_SHOWN && !input->quiet)
		cli_warning("%s: %s skipped: %s", input->name, place, cause);
	return 0;
}

static void print_formats(void)
{
	cli_error("formats that can be read:");
	cli_error("  %-12s %s", "shot", "capture files");
	for (const struct ear_reader_format *format = ear_reader_formats; format->name; format++)
		cli_error("  %-12s %s", format->name, format->summary);
}

/* result: why it cannot be read. */
static void tell_unopened(const struct source_input *input, int result, const char *fault)
{
	const bool other = strncmp(fault, "this is ", 8) == 0; /* fingerprint.h */

	if (result == EAR_E_UNSUPPORTED && other)
		cli_error("%s: %s", input->name, fault);
	else if (result == EAR_E_UNSUPPORTED)
		cli_error("%s: %s; say its format with %s", input->name,
			fault[0] ? fault : "not recognised", input->format_option);
	else if (result == EAR_E_BAD_ARGUMENT && input->pattern)
		cli_error("%s: a log of your own has no format '%s': leave out %s", input->name,
			input->format, input->format_option);
	else if (result == EAR_E_BAD_ARGUMENT && !fault[0])
		cli_error("there is no format '%s' to read", input->format);
	else
		cli_error("%s: %s", input->name,
			result == EAR_E_IO ? strerror(errno)
			: fault[0]         ? fault
					   : ear_error_text(result));
	if ((result == EAR_E_BAD_ARGUMENT && !input->pattern && !fault[0]) ||
		(result == EAR_E_UNSUPPORTED && !fault[0]))
		print_formats();
}

/* Each pattern alone was looked at when it was given. */
static bool check_patterns(const struct source_input *input)
{
	struct ear_line_pattern *patterns;
	struct ear_line_fault fault;

	if (!input->pattern)
		return true;
	int result = ear_line_pattern_new(&patterns, input->pattern, &fault);
	if (result == 0)
		ear_line_pattern_free(patterns);
	if (result)
		cli_error("--pattern: %s",
			result == EAR_E_BAD_ARGUMENT ? fault.cause : ear_error_text(result));
	return result == 0;
}

bool source_input_open(struct source_input *input)
{
	char fault[160] = "";
	struct ear_source_options options = {
		.format = input->format,
		.reader = {.xlen = input->xlen,
			.isa = input->isa,
			.pattern = input->pattern,
			.unit = input->unit,
			.light = input->light,
			.lines = input->lines,
			.report = source_input_report,
			.context = input},
		.ftdi_status = input->ftdi_status,
		.fault = fault,
		.fault_size = sizeof(fault),
	};

	if (!check_patterns(input))
		return false;
	input->fd = input_open_trace(input->path, &input->size);
	if (input->fd < 0)
		return false;
	int result = symbol_file_open_source(input->symbols, &input->source, input->fd, &options);
	if (result == 0)
		return true;
	if (result < 0)
		tell_unopened(input, result, fault);
	source_input_close(input);
	return false;
}

int source_input_next(struct source_input *input, const struct ear_record **record)
{
	int result = ear_source_next(input->source, record);

	if (result > 0) {
		input->record_count++;
		input->instruction_count += (*record)->kind == EAR_RECORD_INSTRUCTION;
		if ((*record)->kind == EAR_RECORD_GAP)
			ear_missing_add(
				&input->missing, &(*record)->u.gap, input->instruction_count);
	}
	if (result < 0)
		source_input_fail(input, result);
	return result;
}

void source_input_fail(struct source_input *input, int result)
{
	if (input->reported)
		return;

	int number = errno; /* before the threads are waited for */
	if (cli_interrupted && result == EAR_E_IO && number == EINTR) {
		input->reported = true; /* by the command, with what came of it */
		return;
	}
	ear_source_stop(input->source);
	const char *fault = ear_source_fault(input->source);
	cli_error("%s: %s", input->name,
		result == EAR_E_IO                  ? strerror(number)
		: fault && result == EAR_E_BAD_FILE ? fault
						    : ear_error_text(result));
	input->reported = true;
}

void source_input_add_verdict(struct source_input *input, struct verdict *verdict)
{
	struct ear_missing *missing = &input->missing;

	if (!input->reported)
		missing->fault = ear_source_fault(input->source);
	if (missing->fault)
		missing->verdict = EAR_DAMAGED;
	missing->mended = ear_source_mended(input->source);
	const struct ear_reader *reader = ear_source_reader(input->source);
	missing->unpaired = reader ? reader->unpaired : 0;
	const struct ear_decoder_statistics *statistics = ear_source_statistics(input->source);
	if (!statistics && missing->verdict == EAR_WHOLE)
		missing->verdict = EAR_UNKNOWN;
	missing->meant_end = !input->reported && statistics && statistics->parted > 0;
	if (missing->meant_end && missing->verdict == EAR_WHOLE)
		missing->verdict = EAR_PART;
	missing->records = input->record_count - missing->gaps;
	verdict_add(verdict, input->name, missing);
	if (missing->records == 0)
		verdict->empty = input->name;
}

static bool is_branch_trace(const struct source_input *input)
{
	const struct ear_reader_format *format = ear_source_text_format(input->source);

	return format && format->make_of_bytes;
}

/* Of a branch trace, whose reader does not say each gap. Returns an exit status. */
static int judge_branches(const struct source_input *input)
{
	const uint64_t gaps = input->missing.gaps, records = input->record_count - gaps;

	if (records == 0 && gaps > 0) {
		cli_error("%s: no record could be read: do --elf and --unit belong to the trace?",
			input->name);
		return EAR_EXIT_FAILED;
	}
	if (gaps > 0 && !input->quiet)
		cli_warning("%s: records are missing in %" PRIu64 " place%s", input->name, gaps,
			ear_plural(gaps));
	return EAR_EXIT_DONE;
}

int source_input_judge(const struct source_input *input)
{
	int status = EAR_EXIT_DONE;
	const struct ear_decoder_statistics *statistics = ear_source_statistics(input->source);
	const char *fault = input->reported ? NULL : ear_source_fault(input->source);

	if (statistics && input->quiet && statistics->frames > 0)
		status = statistics->disagreements ? EAR_EXIT_FAILED : EAR_EXIT_DONE;
	else if (statistics)
		status = statistics_judge(statistics, input->name, fault, false);
	else if (fault && !input->quiet)
		cli_warning("%s: %s", input->name, fault);
	source_input_judge_lines(input);
	if (is_branch_trace(input))
		status = judge_branches(input);
	return status;
}

/* What a reader did not understand. */
static void judge_words(const struct source_input *input)
{
	const struct ear_reader *reader = ear_source_reader(input->source);
	const uint64_t records = input->record_count - input->missing.gaps;

	if (reader && reader->words > 0)
		cli_warning("%s: %" PRIu64 " record%s; %" PRIu64
			    " line%s words that were not understood, first: line %" PRIu64 ", '%s'",
			input->name, records, ear_plural(records), reader->words,
			reader->words == 1 ? " has" : "s have", reader->word_line, reader->word);
}

/* Lines of a format with two for a record that lack the other one. */
static void judge_pairs(const struct source_input *input)
{
	const struct ear_reader *reader = ear_source_reader(input->source);

	if (reader && reader->unpaired)
		cli_warning("%s: %" PRIu64
			    " line%s no partner: of the two lines of an instruction one is "
			    "missing, first: line %" PRIu64,
			input->name, reader->unpaired, reader->unpaired == 1 ? " has" : "s have",
			reader->unpaired_line);
}

void source_input_judge_lines(const struct source_input *input)
{
	if (input->quiet)
		return;
	judge_words(input);
	judge_pairs(input);
	if (input->other_lines)
		cli_warning("%s: %" PRIu64 " line%s of something else skipped", input->name,
			input->other_lines, ear_plural(input->other_lines));
	if (input->bad_lines && !is_branch_trace(input)) /* its gaps are counted */
		cli_warning("%s: %" PRIu64 " bad line%s skipped", input->name, input->bad_lines,
			ear_plural(input->bad_lines));
}

void source_input_close(struct source_input *input)
{
	ear_source_free(input->source);
	input->source = NULL;
	if (input->fd > STDIN_FILENO)
		close(input->fd);
	input->fd = -1;
}
