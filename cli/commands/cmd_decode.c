/* 'earshot decode': window, decoder, writer, and again. With --from the file's index of states
 * says where to begin, and the state before that if it is damaged; records before the first one
 * wanted are decoded and suppressed, because the decoder needs them. With a capture file as output
 * they are cut out (cut.h).
 */
#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/commands/isa_option.h"
#include "cli/commands/names_option.h"
#include "cli/input/address_names.h"
#include "cli/input/format_options.h"
#include "cli/input/input.h"
#include "cli/input/source_input.h"
#include "cli/input/symbol_file.h"
#include "cli/input/trace_input.h"
#include "cli/options/options.h"
#include "cli/output/comments.h"
#include "cli/output/cut.h"
#include "cli/output/outputs.h"
#include "cli/output/part_marks.h"
#include "cli/output/places.h"
#include "cli/show/statistics.h"
#include "common/sync.h"
#include "decoder/codec/decoder.h"
#include "decoder/codec/decoder_state.h"
#include "decoder/formats/formats.h"
#include "decoder/record/absent_fields.h"
#include "library/shot/archive/unpacker.h"
#include "library/shot/shot_index.h"
#include "library/shot/shot_states.h"

#define LIMIT_REACHED 1 /* what the sink returns */

struct decode {
	struct input input;
	struct ear_decoder decoder;
	struct ear_text_output output;
	struct ear_unpacker unpacker;
	struct ear_unpacker_options unpacking;
	struct comments comments;
	struct cut cut; /* to a capture file */
	int fd;         /* of the output */
	const char *output_name, *format_name;
	const struct ear_writer_format *format; /* NULL: a capture file */
	bool quiet;
	struct symbol_file symbols; /* --elf, of labels and names */
	bool wants_names;
	struct address_names *labels;
	struct ear_absent_fields absent;
	struct moment_option from_place, to_place;
	uint64_t from, to;    /* numbers of instruction records in the file */
	uint64_t limit;       /* records; UINT64_MAX none */
	const char *name;     /* of the command */
	uint64_t skipped;     /* instruction records of the file that were not decoded */
	uint64_t handed_over; /* instruction records */
	bool suppressed;      /* --from was not reached yet */
	bool begun;           /* something was read */
	const struct ear_shot_place *place; /* where decoding begins; NULL: at the beginning */
	struct ear_shot_index index;
	double last_progress;
};

#define NO_RECORD "no record is selected, and a part has at least one"

static const struct command_option table[] = {
	{"format", 'f', "FORMAT", VALUES_TEXT_FORMATS,
		.text = "Text format, see below (default: by the ending of OUT, or `whisper`).",
		.detail =
			"`whisper`, the CSV format of the Whisper simulator, is the default for standard "
			"output, a device, a pipe, and a name without an ending. A name with an unknown "
			"ending is refused. With `shot`, or a name that ends in `.shot`, the records from "
			"--from to --to are cut out as a capture file, which decodes to the same records; "
			"`earshot info` shows which part it is.",
		OPTION_VALUE(struct decode, format_name)},
	{"output", 'o', "OUT", VALUES_FILES, .text = "Write to OUT (default `-`: standard output).",
		OPTION_VALUE(struct decode, output_name)},
	{"from", 0, "PLACE", MOMENT_VALUES,
		.text = "Begin with PLACE: " MOMENT_FORMS " ({MOMENTS}).",
		.detail = "Decoding begins at the last state of the decoder before it.",
		OPTION_TAKEN(moment_option_take, struct decode, from_place)},
	{"to", 0, "PLACE", MOMENT_VALUES, .text = "Stop after PLACE.",
		OPTION_TAKEN(moment_option_take, struct decode, to_place)},
	{"limit", 'n', "RECORDS", .text = "Stop after this many instruction records.",
		OPTION_VALUE(struct decode, limit), .max = UINT64_MAX},
	COMMENTS_OPTION(struct decode, comments, "the exit status is 1 if records are missing"),
	NAMES_OPTION(struct decode, wants_names),
	{"elf", 0, "FILE", VALUES_FILES,
		.text = "Take the names of --names from FILE; with `-f spike`, label addresses with the "
			"symbols of FILE, as Spike does.",
		OPTION_TAKEN(symbol_file_take_elf, struct decode, symbols)},
	{"elf-anyway", 0,
		.text = "Use --elf for --names even if FILE is not the program that was traced.",
		OPTION_VALUE(struct decode, symbols.anyway)},
	ISA_OPTION,
	FTDI_STATUS_OPTION(struct decode, input.ftdi_status),
	{"jobs", 'j', "N", .text = "Threads for formatting (default 1).",
		OPTION_VALUE(struct decode, unpacking.jobs), .min = 1, .max = CLI_JOBS_MAX},
	QUIET_OPTION(struct decode, quiet),
	{0},
};

static void print_formats(FILE *to)
{
	fputs("\nFormats:\n", to);
	for (const struct ear_writer_format *format = ear_writer_formats; format->name; format++)
		if (format->make)
			fprintf(to, "  %-9s %-5s %s\n", format->name, format->extension,
				format->summary);
	fputs("  shot      .shot a capture file: the records from --from to --to, cut out\n", to);
}

/* The number in the file of the record that the decoder has just made, or, if that is no
 * instruction, of the next instruction.
 */
static uint64_t record_number(const struct decode *decode, const struct ear_record *record)
{
	return decode->skipped + decode->decoder.statistics.records -
	       (record->kind == EAR_RECORD_INSTRUCTION);
}

static int take_record(void *context, const struct ear_record *record)
{
	struct decode *decode = context;
	uint64_t number = record_number(decode, record);
	int result = 0;

	files_begin();
	if (number > decode->to)
		return LIMIT_REACHED;
	if (decode->suppressed && number >= decode->from) {
		decode->suppressed = false;
		result = ear_unpacker_suppress(&decode->unpacker, false);
	}
	if (!decode->suppressed)
		comments_take_packed(&decode->comments, &decode->unpacker, record);
	if (result == 0)
		result = ear_unpacker_push(
			&decode->unpacker, ear_absent_fields_remove(&decode->absent, record));
	if (record->kind != EAR_RECORD_INSTRUCTION || decode->suppressed)
		return result;
	decode->handed_over++;
	if (result == 0 && (decode->handed_over >= decode->limit || number == decode->to))
		return LIMIT_REACHED;
	return result;
}

/* As take_record, for a part of the capture. */
static int take_cut(void *context, const struct ear_record *record)
{
	struct decode *decode = context;
	struct cut *cut = &decode->cut;
	uint64_t number = record_number(decode, record);
	bool instruction = record->kind == EAR_RECORD_INSTRUCTION;
	int result = 0;

	if (number > decode->to)
		return LIMIT_REACHED;
	if (number >= decode->from) {
		result = cut_push(cut, record, number);
		decode->handed_over += instruction;
	} else if (instruction && number + 1 == decode->from) {
		result = cut_begin(cut);
	}
	if (result == 0 && instruction && number >= decode->from &&
		(decode->handed_over >= decode->limit || number == decode->to))
		return LIMIT_REACHED;
	return result;
}

/* The part begins here if the decoder knows where it is: it has decoded what comes before, or it
 * has loaded a state.
 */
static int begin_cut(struct decode *decode)
{
	const struct ear_decoder *decoder = &decode->decoder;

	if (!decode->cut.wanted || decode->cut.begun || decode->place ||
		decoder->statistics.hart_count == 0 ||
		decode->skipped + decoder->statistics.records < decode->from)
		return 0;
	return cut_begin(&decode->cut);
}

/* A run without a record at which decoding begins or ends. */
static int take_run(
	void *context, const struct ear_compact_run *run, const struct ear_compact_record *compacts)
{
	struct decode *decode = context;
	uint64_t first = decode->skipped + decode->decoder.statistics.records - 1;

	struct ear_compact_run reported = *run;

	files_begin();
	if (decode->suppressed || decode->to - first < run->count ||
		decode->limit - decode->handed_over <= run->count)
		return 1;
	reported.absent = decode->absent.fields;
	int result = ear_unpacker_push_run(&decode->unpacker, &reported, compacts);
	if (result == 0)
		decode->handed_over += run->count;
	return result;
}

static void show_progress(struct decode *decode)
{
	if (!cli_progress_due(&decode->last_progress))
		return;
	int percent = input_percent(decode->input.fd, decode->input.size);
	if (percent >= 0)
		cli_progress("decoding: %d%%, %" PRIu64 " records", percent,
			decode->decoder.statistics.records);
	else
		cli_progress("decoding: %" PRIu64 " records", decode->decoder.statistics.records);
}

static void note_facts(struct decode *decode)
{
	char text[1024];

	if (ear_shot_reader_fact(decode->input.window.reader, "not_told", text, sizeof(text)) >= 0)
		decode->absent.fields = ear_absent_fields_parse(text);
}

/* Begin at a state of the decoder, not far before the record that is wanted. */
static int seek(struct decode *decode)
{
	int result = ear_shot_index_read(&decode->index, decode->input.fd);

	if (result == 0 && !decode->place)
		decode->place = ear_shot_index_find(&decode->index, decode->from);
	if (result || !decode->place)
		return result;
	return ear_window_seek(&decode->input.window, decode->place->file_offset);
}

/* The state could not be used: try the one before it, or the beginning. */
static int step_back(struct decode *decode)
{
	cli_warning("%s: the state at byte %" PRIu64 " is damaged", decode->input.name,
		decode->place->file_offset);
	decode->place = decode->place > decode->index.places ? decode->place - 1 : NULL;
	return ear_window_seek(
		&decode->input.window, decode->place ? decode->place->file_offset : 0);
}

/* The decoder's state after the bytes of the window. It is loaded where decoding begins, also in a
 * file that begins in the middle of a run, and after damage. A damaged state is ignored: the gap
 * continues.
 */
static int take_state(struct decode *decode)
{
	uint64_t instructions;
	int result;

	if (!decode->place && !ear_decoder_wants_state(&decode->decoder))
		return ear_shot_states_pass(decode->input.window.reader, &decode->decoder);
	result = ear_shot_states_load(decode->input.window.reader, &decode->decoder, &instructions);
	if (result == 0)
		decode->skipped = instructions - decode->decoder.statistics.records;
	if (result == EAR_E_BAD_FILE)
		return decode->place ? step_back(decode) : 0;
	decode->place = NULL;
	return result;
}

/* What the file has after the bytes of the window. */
static int take_items(struct decode *decode)
{
	struct ear_window *window = &decode->input.window;
	int result = 0;

	if (window->at_loss)
		ear_decoder_host_loss(&decode->decoder, window->loss_size);
	if (window->at_state)
		result = take_state(decode);
	decode->cut.unpacked |= window->at_line_diff;
	if (result == 0 && window->at_line_diff && !decode->cut.wanted)
		result = ear_unpacker_line_diff(
			&decode->unpacker, ear_shot_reader_line_diff(window->reader));
	return result;
}

static int flush(struct decode *decode)
{
	int result = ear_unpacker_flush(&decode->unpacker);

	return result ? result : ear_text_output_flush(&decode->output);
}

/* The loop: window, decoder, and again. Returns 0, LIMIT_REACHED or an error that was not
 * printed yet, EAR_E_BAD_FILE for one that was.
 */
static int decode_records(struct decode *decode)
{
	struct input *input = &decode->input;
	bool final = false;

	while (!final && !cli_interrupted) {
		size_t used;
		int result = 0;
		if (!input_fill(input))
			return EAR_E_BAD_FILE;
		if (!decode->begun) {
			decode->begun = true;
			note_facts(decode);
			if (decode->cut.wanted) {
				files_begin();
				result = cut_open(&decode->cut, decode->fd, input->name,
					input->window.reader, &decode->decoder);
			}
			if (result)
				return result;
			if (decode->from > 0 && ear_shot_reader_is_shot(input->window.reader))
				result = seek(decode);
			if (result)
				return result;
			if (decode->place)
				continue;
		}
		final = input->window.final;
		decode->decoder.end_meant = input->window.end_meant;
		result = begin_cut(decode);
		if (result)
			return result;
		result = ear_decoder_push(&decode->decoder, &used, ear_window_bytes(&input->window),
			ear_window_size(&input->window), final);
		if (result)
			return result;
		const bool some = decode->decoder.statistics.frames > 0;
		if (some)
			files_begin();
		ear_window_consume(&input->window, used);
		result = take_items(decode);
		if (result == 0 && some && input->size == 0 && !decode->cut.wanted)
			result = flush(decode);
		if (result)
			return result;
		show_progress(decode);
	}
	return 0;
}

/* Finish the text; a file gets nothing of an input that has no frame. Returns false after printing
 * what was wrong with it; *status is then that of the command.
 */
static bool finish_text(struct decode *decode, int result, int *status)
{
	int unpacked = ear_unpacker_finish(&decode->unpacker);
	bool is_none = decode->decoder.statistics.frames == 0 && result != LIMIT_REACHED;
	int flushed = 0;

	if (!is_none)
		files_begin();
	if (!is_none || decode->fd == STDOUT_FILENO)
		flushed = ear_text_output_finish(&decode->output);
	*status = EAR_EXIT_FAILED;
	if (flushed || result == EAR_E_IO) {
		/* A reader that left, such as head, is not a failure. */
		if (decode->output.error_number == EPIPE)
			*status = EAR_EXIT_DONE;
		else
			cli_error("%s: %s", decode->output_name,
				strerror(decode->output.error_number));
		return false;
	}
	if (result >= 0 && unpacked)
		result = unpacked;
	if (decode->unpacker.bad_line_diffs)
		cli_warning("%s: a line diff is damaged: the text is not the one that was packed",
			decode->input.name);
	if (result >= 0)
		return true;
	if (result == EAR_E_UNSUPPORTED)
		cli_error(
			"%s: this format holds one hart per file; 'earshot convert -o NAME' writes one for each",
			decode->output_name);
	else if (result != EAR_E_BAD_FILE)
		cli_error("%s: %s", decode->input.name, ear_error_text(result));
	return false;
}

/* The same for a part of the capture. */
static bool finish_part(struct decode *decode, int result)
{
	int finished = 0;

	if (result >= 0 || result == EAR_E_BAD_FILE)
		finished = cut_finish(&decode->cut, result >= 0 && !cli_interrupted);
	if (finished == 0 && result >= 0 && ear_sync_file(decode->fd) != 0)
		finished = EAR_E_IO;
	if (result == EAR_E_UNSUPPORTED)
		cli_error(
			"%s: a unit predicts with a geometry that this program does not know: its "
			"records cannot be cut out",
			decode->input.name);
	else if (result == EAR_E_IO || finished == EAR_E_IO)
		cli_error("%s: %s", decode->output_name, strerror(errno));
	else if (finished || (result < 0 && result != EAR_E_BAD_FILE))
		cli_error(
			"%s: %s", decode->input.name, ear_error_text(finished ? finished : result));
	if (decode->cut.unpacked)
		cli_warning("%s: the part has the records, not the text that they were packed from",
			decode->output_name);
	return result >= 0 && finished == 0;
}

static int finish(struct decode *decode, int result)
{
	int status = EAR_EXIT_FAILED;

	cli_progress_clear();
	if (decode->cut.wanted ? !finish_part(decode, result)
			       : !finish_text(decode, result, &status))
		return status;
	if (cli_interrupted) {
		cli_error("interrupted: the text ends after %" PRIu64 " records",
			decode->decoder.statistics.records);
		return EAR_EXIT_FAILED;
	}
	if (result == LIMIT_REACHED)
		return EAR_EXIT_DONE;
	if (decode->from > 0 && decode->handed_over == 0)
		cli_warning("%s: it has %" PRIu64 " instruction records, none from number %" PRIu64
			    " on",
			decode->input.name, decode->skipped + decode->decoder.statistics.records,
			decode->from);
	const struct ear_shot_reader *reader = decode->input.window.reader;
	const char *fault = ear_shot_reader_fault(reader);
	if (!ear_shot_reader_is_shot(reader) && !fault && !decode->quiet &&
		decode->decoder.statistics.unended > 0)
		fault = "a capture in it has no end (no STOP message): what came later is missing";
	if (ear_shot_reader_is_shot(reader) && !ear_shot_reader_complete(reader) && !fault)
		fault = "the capture is not whole: it was cut off, is still running, or what "
			"wrote it failed";
	if (ear_shot_reader_mended(reader) && !decode->quiet)
		cli_warning("%s: %s", decode->input.name, ear_shot_reader_mended(reader));
	return statistics_judge(
		&decode->decoder.statistics, decode->input.name, fault, decode->quiet);
}

static bool has_words(const struct decode *decode)
{
	return moment_option_has_words(&decode->from_place) ||
	       moment_option_has_words(&decode->to_place);
}

/* Only Spike's log has labels. */
static bool is_spike(const struct decode *decode)
{
	return decode->format && strcmp(decode->format->name, "spike") == 0;
}

static bool open_labels(struct decode *decode)
{
	decode->labels = address_names_open(decode->symbols.elf);
	decode->unpacking.writer.symbol = address_names_find;
	decode->unpacking.writer.symbols = decode->labels;
	return decode->labels != NULL;
}

/* What the capture says of its program. The reader of input says it only once it has read, and the
 * writer needs it before.
 */
static void find_program(struct decode *decode, const char *path)
{
	struct source_input input;

	if (strcmp(path, "-") == 0)
		return;
	source_input_init(&input, path);
	if (!source_input_open(&input))
		return;
	symbol_file_of_source(&decode->symbols, input.source, path);
	source_input_close(&input);
}

/* The names of the capture's program, or of --elf. */
static bool begin_names(struct decode *decode, const char *path)
{
	find_program(decode, path);
	decode->unpacking.jobs = 1;
	return places_begin(&decode->unpacking.writer, decode->format, &decode->symbols);
}

static bool open_output(struct decode *decode)
{
	const bool to_stdout = strcmp(decode->output_name, "-") == 0;

	decode->fd = files_write("-o", decode->output_name) ? files_open(decode->output_name) : -1;
	if (decode->fd < 0)
		return false;
	if (to_stdout && decode->cut.wanted && isatty(STDOUT_FILENO)) {
		cli_error("a capture file is binary: not written to a terminal");
		return false;
	}
	if (to_stdout)
		decode->output_name = "standard output";
	return true;
}

static int close_output(struct decode *decode, int status)
{
	if (decode->fd == STDOUT_FILENO || close(decode->fd) == 0 || status != EAR_EXIT_DONE)
		return status;
	cli_error("%s: %s", decode->output_name, strerror(errno));
	return EAR_EXIT_FAILED;
}

static void set_up_decoder(struct decode *decode)
{
	const bool part = decode->cut.wanted;

	ear_decoder_init(&decode->decoder, part ? take_cut : take_record, decode);
	decode->decoder.run_sink = part ? NULL : take_run;
	decode->decoder.one_by_one = part;
	decode->decoder.with_reads = decode->format && ear_writer_has_reads(decode->format);
}

static bool set_up_text(struct decode *decode)
{
	struct ear_unpacker_options *unpacking = &decode->unpacking;

	decode->comments.name = decode->input.name;
	unpacking->format = decode->format;
	unpacking->writer.no_comments = decode->comments.apart;
	unpacking->comment = comments_show_line;
	unpacking->comment_context = &decode->comments;
	if (ear_text_output_init(&decode->output, decode->fd,
		    ear_text_output_packing(decode->output_name)) == 0 &&
		ear_unpacker_init(&decode->unpacker, &decode->output, unpacking) == 0 &&
		ear_unpacker_suppress(&decode->unpacker, decode->suppressed) == 0)
		return true;
	cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
	return false;
}

static int decode_all(struct decode *decode)
{
	const bool none = decode->limit == 0 || decode->to < decode->from;

	cli_catch_signals(NULL);
	if (decode->to < decode->from)
		cli_warning("--to %" PRIu64 " is before --from %" PRIu64 ": nothing to decode",
			decode->to, decode->from);
	return finish(decode, none ? LIMIT_REACHED : decode_records(decode));
}

/* The input is open. */
static int decode_input(struct decode *decode, const char *path)
{
	int status = EAR_EXIT_FAILED;

	if ((decode->wants_names && !begin_names(decode, path)) || !open_output(decode))
		return EAR_EXIT_FAILED;
	set_up_decoder(decode);
	if (decode->cut.wanted || set_up_text(decode))
		status = decode_all(decode);
	ear_unpacker_fini(&decode->unpacker);
	ear_text_output_fini(&decode->output);
	cut_fini(&decode->cut);
	ear_shot_index_fini(&decode->index);
	ear_decoder_fini(&decode->decoder);
	return close_output(decode, status);
}

static bool find_place(struct ear_trace *trace, struct ear_names *names, const char *path,
	struct moment_option *option, bool after)
{
	struct ear_moment_place place;

	if (!moment_option_has_words(option))
		return true;
	if (moment_option_find_in(trace, names, path, option->text, &place) != 1 ||
		!moment_option_number(
			trace, path, after ? place.after : place.before, &option->number))
		return false;
	if (after && option->number == 0) {
		cli_error(
			"--to: there is no instruction before %s: nothing to decode", option->text);
		return false;
	}
	option->number -= after;
	return true;
}

/* Places that are not numbers: their numbers, by another reading of the capture. */
static bool find_places(struct decode *decode, const char *path)
{
	struct symbol_file *symbols = &decode->symbols;
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	char error[EAR_TRACE_ERROR_MAX];
	struct ear_trace *trace;

	options.index = EAR_INDEX_EXISTING;
	options.error = error;
	if (has_words(decode)) {
		int result = symbol_file_open_trace(symbols, &trace, path, &options);
		if (result < 0)
			trace_input_error(path, error);
		if (result)
			return false;
		symbol_file_of_trace(symbols, trace, path);
		struct ear_names *names =
			symbols->elf ? symbol_file_names(symbols) : symbol_file_own_names(symbols);
		bool found = (names || !symbols->elf) &&
			     find_place(trace, names, path, &decode->from_place, false) &&
			     find_place(trace, names, path, &decode->to_place, true);
		ear_trace_close(trace);
		cli_progress_clear();
		if (!found)
			return false;
	}
	decode->from = decode->from_place.number;
	if (decode->to_place.text)
		decode->to = decode->to_place.number;
	decode->suppressed = decode->from > 0;
	return true;
}

/* A part has the marks of its capture. */
static bool has_marks(const struct decode *decode, const char *path)
{
	return decode->cut.wanted && strcmp(decode->output_name, "-") != 0 &&
	       strcmp(path, "-") != 0 && part_marks_exist(path);
}

static void confine(const struct decode *decode, const char *path)
{
	char marks[4200];

	snprintf(marks, sizeof(marks), "%s.marks", decode->output_name);
	confine_trace(path);
	/* Names may be those of the program that the capture names: any file is read. */
	if (has_marks(decode, path))
		confine_index((const char *const[]){decode->output_name, marks, NULL});
	else
		confine_files(
			(const char *const[]){decode->wants_names || has_words(decode) ? "/" : path,
				decode->symbols.elf, NULL},
			(const char *const[]){decode->output_name, NULL});
}

static int decode_file(struct decode *decode, const char *path)
{
	int status = EAR_EXIT_FAILED;

	if (decode->wants_names || has_words(decode))
		symbol_file_prepare(&decode->symbols);
	confine(decode, path);
	if (!find_places(decode, path))
		return EAR_EXIT_FAILED;
	if (!decode->format && decode->to < decode->from)
		return cli_usage(decode->name, NO_RECORD);
	if (decode->symbols.elf && !decode->wants_names && is_spike(decode) && !open_labels(decode))
		return EAR_EXIT_FAILED;
	if (input_open(&decode->input, path)) {
		status = decode_input(decode, path);
		input_close(&decode->input);
	}
	if (status == EAR_EXIT_DONE && has_marks(decode, path) &&
		!cut_marks(&decode->cut, path, decode->output_name, decode->from))
		status = EAR_EXIT_FAILED;
	address_names_close(decode->labels);
	symbol_file_close(&decode->symbols);
	return comments_judge(&decode->comments, status);
}

/* What does not go together. Returns NULL if all is well. */
static const char *check(const struct decode *decode)
{
	const struct ear_writer_format *format = decode->format;

	if (decode->symbols.elf && !decode->wants_names && !has_words(decode) && !is_spike(decode))
		return "--elf labels a Spike log: it needs -f spike, or --names";
	if (decode->wants_names && !format)
		return "--names is for texts";
	if (!format && decode->limit == 0)
		return NO_RECORD;
	return NULL;
}

static int run_as(const struct command *command, const char *format, int argc, char **argv)
{
	static struct decode decode = {.output_name = "-",
		.to = UINT64_MAX,
		.limit = UINT64_MAX,
		.unpacking = {.jobs = 1}};
	int status;

	decode.name = command->name;
	decode.format_name = format;
	int first = options_parse(command, argc, argv, &decode, &status);
	if (first < 0)
		return status;
	if (!isa_option_apply(&(unsigned){0})) /* XLEN is that of the unit */
		return EAR_EXIT_FAILED;
	if (first + 1 != argc)
		return cli_usage(command->name, first == argc ? "which file?" : "one file, please");
	if (!outputs_choose(&decode.format, decode.output_name, decode.format_name, "whisper"))
		return EAR_EXIT_FAILED;
	if (decode.format && !decode.format->make)
		return cli_usage("decode", "-f %s makes %s: use 'earshot convert -f %s -o NAME'",
			decode.format->name, decode.format->folder ? "a folder" : "no text",
			decode.format->name);
	const char *wrong = check(&decode);
	if (wrong)
		return cli_usage(command->name, "%s", wrong);
	decode.cut = (struct cut){.wanted = !decode.format, .argc = argc, .argv = argv};
	return decode_file(&decode, argv[first]);
}

static int run(int argc, char **argv)
{
	return run_as(&cmd_decode, NULL, argc, argv);
}

const struct command cmd_decode = {
	.name = "decode",
	.arguments = "[OPTION]... FILE",
	.summary = "turn a capture into text",
	.about =
		"Turn a capture file (.shot) or a raw dump of the wire into text, or cut a part out of "
		"it: decode t.shot --from 1000 --to 1999 -o part.shot\n"
		"FILE - is standard input. A file that `earshot convert` packed from a Whisper CSV "
		"gives back that text, byte for byte.",
	.options = table,
	.notes = "Missing records appear as lines '# gap: ...' in the text, and are summed up on "
		 "standard error at the end.",
	.print_lists = print_formats,
	.exit_status =
		"0 done, 1 records are missing (with `--comments no`), 2 it could not be done.",
	.run = run,
};

/* ---- earshot cut: decode -f shot by its own name. ---- */

static const struct command_option cut_table[] = {
	{"output", 'o', "PART", VALUES_FILES,
		.text = "Write the part to PART (default `-`: standard output, not a terminal).",
		OPTION_VALUE(struct decode, output_name)},
	{"from", 0, "PLACE", MOMENT_VALUES,
		.text = "Begin with PLACE (default: the beginning): " MOMENT_FORMS " ({MOMENTS}).",
		OPTION_TAKEN(moment_option_take, struct decode, from_place)},
	{"to", 0, "PLACE", MOMENT_VALUES, .text = "End with PLACE (default: the end).",
		OPTION_TAKEN(moment_option_take, struct decode, to_place)},
	{"limit", 'n', "RECORDS", .text = "Stop after this many instruction records.",
		OPTION_VALUE(struct decode, limit), .max = UINT64_MAX},
	{"elf", 0, "FILE", VALUES_FILES, .text = "Take the names of PLACE from FILE.",
		OPTION_TAKEN(symbol_file_take_elf, struct decode, symbols)},
	{"elf-anyway", 0, .text = "Use --elf even if FILE is not the program that was traced.",
		OPTION_VALUE(struct decode, symbols.anyway)},
	FTDI_STATUS_OPTION(struct decode, input.ftdi_status),
	QUIET_OPTION(struct decode, quiet),
	{0},
};

static int run_cut(int argc, char **argv)
{
	return run_as(&cmd_cut, "shot", argc, argv);
}

const struct command cmd_cut = {
	.name = "cut",
	.arguments = "[OPTION]... FILE --from PLACE --to PLACE -o PART.shot",
	.summary = "a part of a capture as a capture that stands alone",
	.about =
		"Cut the records from PLACE to PLACE out of FILE, a capture file or a raw dump of the "
		"wire, as a capture file that needs nothing else: it decodes to the same records. PLACE "
		"is a number, a trap, an event, a function or a time. It is `earshot decode -f shot`; "
		"`earshot info` shows which part it is.",
	.options = cut_table,
	.exit_status = "0 done, 2 it could not be done.",
	.run = run_cut,
};
