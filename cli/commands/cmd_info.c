/* 'earshot info': decodes a capture to its end without writing it, and prints what is known about
 * it, as lines 'key: value' that programs read. Keys are never renamed.
 */
#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/base/seconds.h"
#include "cli/batch/batch.h"
#include "cli/commands/cmd.h"
#include "cli/input/format_options.h"
#include "cli/input/input.h"
#include "cli/input/source_input.h"
#include "cli/options/options.h"
#include "cli/show/key_lines.h"
#include "cli/show/statistics.h"
#include "cli/show/text_summary.h"
#include "decoder/codec/decoder.h"
#include "decoder/codec/decoder_state.h"
#include "decoder/codec/verdict.h"
#include "library/shot/ftdi_packet.h"

struct info {
	struct input input;
	struct source_input text; /* its options */
	struct symbol_file symbols;
	bool json;
};

static const struct command_option table[] = {
	FORMAT_OPTIONS(struct info, text.format, text.xlen, text.pattern, text.unit),
	BRANCH_PROGRAM_OPTION(struct info, symbols),
	JSON_OPTION(struct info, json, true, "Print one JSON object, whose members are the keys."),
	FTDI_STATUS_OPTION(struct info, input.ftdi_status),
	BATCH_JOBS_OPTION,
	QUIET_ALONE,
	{0},
};

static int count_only(void *context, const struct ear_record *record)
{
	(void)context;
	(void)record;
	return 0;
}

static int count_run(
	void *context, const struct ear_compact_run *run, const struct ear_compact_record *compacts)
{
	(void)context;
	(void)run;
	(void)compacts;
	return 0;
}

/* Where decoding can continue: the records before the last such place, and the largest distance. */
struct distance {
	uint64_t last, max;
};

static void note_state(void *context, const struct ear_decoder *decoder)
{
	struct distance *distance = context;
	uint64_t records = decoder->statistics.records;

	if (records - distance->last > distance->max)
		distance->max = records - distance->last;
	distance->last = records;
}

static void print_metadata(struct key_lines *keys, const struct input *input)
{
	/* '#': a number in JSON, too. */
	static const char *const facts[] = {"format", "writer", "created", "device", "command",
		"program", "program_sha256", "program_build_id", "program_path", "source",
		"not_told", "#text_bytes", "ended", "end_reason", "#let_go_records",
		"#let_go_bytes", "#event_index", "event_violation", "part_of", "part_created",
		"#part_first", "#part_last", "joined"};
	char value[1024];
	uint64_t number;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const bool is_number = facts[i][0] == '#';
		const char *key = facts[i] + is_number;
		if (ear_shot_reader_fact(input->window.reader, key, value, sizeof(value)) < 0)
			continue;
		if (is_number && cli_parse_count(&number, value))
			key_number(keys, key, number);
		else
			key_text(keys, key, value);
	}
	if (!ear_shot_reader_is_shot(input->window.reader))
		key_text(keys, "format", "raw dump");
}

/* Only of a unit that predicts. */
static void print_geometry(struct key_lines *keys, const struct ear_unit *unit)
{
	struct ear_geometry geometry;
	char text[160];

	if (unit->mode != EAR_UNIT_MODE_PREDICT)
		return;
	if (ear_geometry_parse(&geometry, unit->geometry))
		snprintf(text, sizeof(text), "unsupported");
	else
		ear_geometry_text(text, sizeof(text), &geometry);
	key_text(keys, "geometry", text);
}

/* No UNIT message is in a file that begins in the middle of a run: what its state knows. */
static void print_known(struct key_lines *keys, const struct ear_decoder *decoder)
{
	const struct ear_predictor *predictor = NULL;
	char text[160];

	for (unsigned id = 0; id < EAR_STREAM_IDS && !predictor; id++)
		if (decoder->harts[id])
			predictor = decoder->harts[id]->predictor;
	if (decoder->statistics.frames) {
		snprintf(text, sizeof(text), "%u", EAR_PROTOCOL_MAJOR);
		key_text(keys, "protocol", text);
	}
	if (!predictor)
		return;
	ear_geometry_text(text, sizeof(text), &predictor->geometry);
	key_text(keys, "mode", "predict");
	key_text(keys, "geometry", text);
	key_number(keys, "xlen", predictor->xlen);
}

static void print_unit(struct key_lines *keys, const struct ear_decoder *decoder)
{
	const struct ear_decoder_statistics *statistics = &decoder->statistics;
	const struct ear_unit *unit = &statistics->unit;

	key_number(keys, "harts", statistics->hart_count);
	if (statistics->ended + statistics->unended > statistics->hart_count)
		key_number(keys, "captures", statistics->ended + statistics->unended);
	if (!statistics->unit_known) {
		print_known(keys, decoder);
		return;
	}
	char protocol[32];

	snprintf(protocol, sizeof(protocol), "%u.%u", unit->protocol_major, unit->protocol_minor);
	key_text(keys, "protocol", protocol);
	key_text(keys, "mode",
		unit->mode == EAR_UNIT_MODE_RAW       ? "raw"
		: unit->mode == EAR_UNIT_MODE_PREDICT ? "predict"
						      : "unknown");
	print_geometry(keys, unit);
	key_number(keys, "xlen", unit->xlen);
	key_number(keys, "nret", unit->nret);
	const bool results = !(unit->control & EAR_UNIT_CONTROL_NO_RESULTS);
	const bool accesses = !(unit->control & EAR_UNIT_CONTROL_NO_ACCESSES);
	if (!results || !accesses)
		key_text(keys, "absent",
			accesses  ? "results"
			: results ? "accesses"
				  : "results accesses");
	key_text(keys, "policy", unit->control & EAR_UNIT_CONTROL_DROP ? "drop" : "stall");
	if (unit->clock_hz)
		key_number(keys, "clock_hz", unit->clock_hz);
}

static void print_counts(struct key_lines *keys, const struct ear_decoder_statistics *statistics)
{
	key_number(keys, "records", statistics->records);
	if (statistics->first_record) {
		key_number(keys, "first_index", statistics->first_index);
		key_number(keys, "last_index", statistics->last_index);
	}
	if (statistics->stopped)
		key_number(keys, "retired", statistics->stop_retired);
	key_number(keys, "lost", statistics->unit_lost);
	key_least(keys, "missing", statistics->missing, statistics->unknown_gaps > 0);
	if (statistics->stopped)
		key_number(keys, "filtered", statistics->stop_filtered);
	if (statistics->stopped && statistics->unit_known &&
		statistics->unit.features & EAR_REG_FEATURES_HELD_MASK)
		key_number(keys, "held_clocks", statistics->held_clocks);
	key_number(keys, "gaps", statistics->gaps);
	if (statistics->disagreements)
		key_number(keys, "failed_checks", statistics->disagreements);
	key_number(keys, "events", statistics->events);
	key_number(keys, "frames", statistics->frames);
	if (statistics->repeated_frames)
		key_number(keys, "repeated_frames", statistics->repeated_frames);
	key_number(keys, "missing_frames", statistics->missing_frames);
	key_number(keys, "bad_messages", statistics->bad_messages);
	key_number(keys, "skipped_bytes", statistics->skipped_bytes);
	key_number(keys, "host_lost_bytes", statistics->host_lost_bytes);
	key_number(keys, "wire_bytes", statistics->bytes);
	if (statistics->records)
		key_real(keys, "bits_per_instruction",
			8.0 * (double)statistics->bytes / (double)statistics->records);
	if (statistics->stopped)
		key_text(keys, "stop", statistics_stop_text(statistics->stop_reason));
}

/* The last lines: may the file be relied on as a whole? */
static void print_verdict(struct key_lines *keys, const struct input *input,
	const struct ear_decoder_statistics *statistics)
{
	struct ear_verdict verdict = ear_verdict_of(statistics);
	bool whole = !ear_shot_reader_is_shot(input->window.reader) ||
		     ear_shot_reader_complete(input->window.reader);

	if (!verdict.why && !whole)
		verdict.why = "the file was cut off, is still written, or what wrote it failed";
	if (ear_shot_reader_mended(input->window.reader))
		key_text(keys, "repaired", ear_shot_reader_mended(input->window.reader));
	if (verdict.why)
		key_text(keys, "incomplete", verdict.why);
	key_answer(keys, "accounted", true, verdict.accounted);
	key_answer(keys, "complete", true, verdict.complete && whole);
}

/* Of a dump that is not that of our driver, which takes them away. */
static void hint_at_status_bytes(const struct input *input)
{
	uint8_t bytes[4096];
	ssize_t size = input->ftdi_status || ear_shot_reader_is_shot(input->window.reader)
			       ? 0
			       : pread(input->fd, bytes, sizeof(bytes), 0);
	size_t packet = size > 0 ? ear_ftdi_packet(bytes, (size_t)size) : 0;

	if (packet > 0)
		cli_warning(
			"%s: these are raw packets of an FTDI chip: each %zu bytes begin with two "
			"status bytes, which are not of the stream; leave them out with --ftdi-status",
			input->name, packet);
}

static int show_info(struct input *input, bool as_json)
{
	struct key_lines keys;
	struct distance distance = {0};
	struct ear_decoder decoder;
	int status = EAR_EXIT_FAILED;

	ear_decoder_init(&decoder, count_only, NULL);
	decoder.run_sink = count_run;
	if (input_decode(input, &decoder, note_state, &distance)) {
		note_state(&distance, &decoder);
		key_begin(&keys, as_json);
		print_metadata(&keys, input);
		print_unit(&keys, &decoder);
		print_counts(&keys, &decoder.statistics);
		if (ear_shot_reader_is_shot(input->window.reader))
			key_number(&keys, "records_between_states_max", distance.max);
		print_verdict(&keys, input, &decoder.statistics);
		key_end(&keys);
		hint_at_status_bytes(input);
		status = statistics_judge(&decoder.statistics, input->name,
			ear_shot_reader_fault(input->window.reader), true);
		if (decoder.statistics.frames == 0 && lseek(input->fd, 0, SEEK_CUR) < 0)
			cli_error("%s: give a text as a file: it cannot come from a pipe",
				input->name);
	}
	ear_decoder_fini(&decoder);
	return status;
}

/* Is it a text that a reader recognises? What comes from a pipe cannot be looked at twice: it is
 * taken for a capture. So is what no reader knows.
 */
static bool is_text(int fd, char *fault, size_t size)
{
	struct ear_source_options options = {.format = NULL, .fault = fault, .fault_size = size};
	struct ear_source *source;
	off_t begin = lseek(fd, 0, SEEK_CUR);

	if (begin < 0)
		return false;
	int result = ear_source_new(&source, fd, &options);
	bool text = result == EAR_E_NO_PROGRAM;
	if (result == 0) {
		text = ear_source_text_format(source) != NULL;
		ear_source_free(source);
	}
	return lseek(fd, begin, SEEK_SET) == begin && text;
}

static bool is_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Count the records of a text. Returns false after printing an error. */
static bool read_text(struct source_input *input, struct text_summary *summary)
{
	double last_progress = cli_seconds();
	const struct ear_record *record;
	int result;

	while ((result = source_input_next(input, &record)) > 0 && !cli_interrupted) {
		result = text_summary_add(summary, record);
		if (result) {
			source_input_fail(input, result);
			break;
		}
		if (input->record_count % 4096 == 0 && cli_progress_due(&last_progress))
			cli_progress("reading: %" PRIu64 " records", input->record_count);
	}
	cli_progress_clear();
	if (cli_interrupted)
		cli_error("interrupted");
	return result == 0 && !cli_interrupted;
}

static void print_text(
	const struct source_input *input, const struct text_summary *summary, bool as_json)
{
	struct key_lines keys;

	const struct ear_reader *reader = ear_source_reader(input->source);
	const uint64_t next_line = ear_text_input_next_line(reader->input); /* 0: of a folder */

	key_begin(&keys, as_json);
	text_summary_print(&keys, summary,
		&(struct text_account){.format = ear_source_format(input->source),
			.lines = next_line - (next_line > 0),
			.bad_lines = input->bad_lines,
			.other_lines = input->other_lines,
			.word = reader->word_line ? reader->word : NULL,
			.words = reader->words,
			.word_line = reader->word_line,
			.unpaired = reader->unpaired,
			.unpaired_line = reader->unpaired_line});
	key_end(&keys);
}

static int show_text(struct source_input *input, bool as_json)
{
	struct text_summary *summary = text_summary_new();
	int status = EAR_EXIT_FAILED;

	if (!summary)
		cli_error("%s: %s", input->name, ear_error_text(EAR_E_NO_MEMORY));
	else if (source_input_open(input)) {
		if (read_text(input, summary)) {
			print_text(input, summary, as_json);
			if (text_summary_other_xlen(summary))
				cli_warning(
					"%s: %" PRIu64
					" records have opcodes of the other XLEN only (see --xlen)",
					input->name, text_summary_other_xlen(summary));
			status = source_input_judge(input);
		}
		source_input_close(input);
	}
	text_summary_free(summary);
	return status;
}

/* Is it a text, or bytes that a user says to be a trace? */
static int show_file(struct info *info, const char *path)
{
	struct input *input = &info->input;
	const struct source_input *said = &info->text;
	int status = EAR_EXIT_FAILED;

	if (said->pattern || said->unit || is_folder(path) ||
		(said->format && strcmp(said->format, "shot") != 0))
		return show_text(&info->text, info->json);
	if (!input_open(input, path))
		return EAR_EXIT_FAILED;
	cli_catch_signals(NULL);
	char fault[160] = "";
	bool text =
		!input->ftdi_status && !said->format && is_text(input->fd, fault, sizeof(fault));
	bool other = !text && memcmp(fault, "this is ", 8) == 0; /* fingerprint.h */
	if (other)
		cli_error("%s: %s", input->name, fault);
	else if (!text)
		status = show_info(input, info->json);
	input_close(input);
	return text ? show_text(&info->text, info->json) : status;
}

static int run(int argc, char **argv)
{
	static struct info info;
	int status = EAR_EXIT_FAILED;

	source_input_init(&info.text, "");
	info.text.bad_limit = UINT64_MAX;
	info.text.symbols = &info.symbols;
	int first = options_parse(&cmd_info, argc, argv, &info, &status);
	if (first < 0)
		return status;
	if (first + 1 != argc)
		return cli_usage("info", first == argc ? "which file?" : "one file, please");
	source_input_name(&info.text, argv[first]);
	if (info.symbols.elf)
		symbol_file_prepare(&info.symbols);
	confine_trace(argv[first]);
	confine_files((const char *const[]){info.symbols.elf ? "/" : argv[first], NULL},
		(const char *const[]){NULL});
	if (!files_write("", "-"))
		return EAR_EXIT_FAILED;
	status = show_file(&info, argv[first]);
	symbol_file_close(&info.symbols);
	return status;
}

static const char *const columns[] = {"records", "missing", "gaps", NULL};
static const struct batch_rules batch = {.columns = columns};

const struct command cmd_info = {
	.name = "info",
	.arguments = "[OPTION]... FILE...",
	.summary = "show what a capture holds, and what is missing",
	.about =
		"Read a capture file (.shot), a raw dump or a text trace to its end and show what it holds, as "
		"lines 'key: value'. FILE - is standard input; a text cannot come from a pipe. "
		"Several FILE, a folder of traces and @LIST: see {MANY TRACES}.",
	.options = table,
	.notes =
		"Among the keys:\n"
		"  records               instruction records in the file\n"
		"  retired               entries of the retire port, as the unit counted them\n"
		"  lost                  records that the unit dropped because its FIFO was full\n"
		"  missing               records lost between unit and file, as far as known\n"
		"  filtered              records that the filter or a trigger held back\n"
		"  held_clocks           core clocks in which the unit held the core; times\n"
		"                        leave them out\n"
		"  absent                what the retire port does not show (results of x\n"
		"                        registers, accesses): unknown, not missing\n"
		"  gaps                  places where records are missing\n"
		"  wire_bytes            bytes of the stream\n"
		"  bits_per_instruction  wire bits per record in the file\n"
		"  let_go_records        of a flight recorder: records of the run before those in\n"
		"                        the file\n"
		"  let_go_bytes          bytes of the stream before those in the file\n"
		"  event_index           index of the record at which its event came\n"
		"  event_violation       if that was a violation: what was wrong\n"
		"  part_of               of a part cut out by 'earshot cut': of which file;\n"
		"                        part_first, part_last: which of its records\n"
		"  joined                of what 'earshot join' made: how many parts, and which\n"
		"  repeated_frames       frames that came twice or too late, and were left out\n"
		"  first_pc, last_pc     of a text: of its first and its last instruction; with\n"
		"                        several harts a line hart_0, hart_1, ... for each\n"
		"  first_time, last_time\n"
		"                        of a text with times\n"
		"  lines                 of a text: all of them\n"
		"  register_writes, accesses, opcodes\n"
		"                        of a text: records that have one\n"
		"  other_xlen_opcodes    of a text: records whose opcode XLEN does not have\n"
		"  bad_lines             of a text: lines that could not be read\n"
		"  other_lines           of a log: lines of something else, as of a console\n"
		"  unknown_words         of a log: lines with words that were not understood;\n"
		"                        first_unknown_word: the first one\n"
		"  unpaired_lines        of a log: lines of an instruction without its commit\n"
		"                        line, or the other way round, where the log has both;\n"
		"                        first_unpaired_line: the first one\n"
		"  records_between_states_max\n"
		"                        records that one damaged place can cost, at most, where\n"
		"                        the file has no parity for it\n"
		"  repaired              where the file is damaged, and its parity made it good\n"
		"  incomplete            why the file is not complete\n"
		"  accounted             yes: every record that retired is in the file, or\n"
		"                        counted as lost, missing or filtered\n"
		"  complete              yes: every record that retired and was not filtered\n"
		"                        is in the file, and nothing is damaged; unknown: a text\n"
		"                        without a gap, which does not say how its run ended",
	.exit_status = "0 done, 2 the file could not be read.",
	.batch = &batch,
	.run = run,
};
