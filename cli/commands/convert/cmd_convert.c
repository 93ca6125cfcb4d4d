/* 'earshot convert': from the options to an open trace and an open output, and which way the
 * records go from one to the other (convert.h). What the target cannot carry is counted by field.
 */
#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/notes.h"
#include "cli/base/progress.h"
#include "cli/batch/batch.h"
#include "cli/commands/cmd.h"
#include "cli/commands/convert/convert_chunks.h"
#include "cli/commands/convert/convert_part.h"
#include "cli/commands/convert/convert_records.h"
#include "cli/commands/convert/convert_sqlite.h"
#include "cli/commands/isa_option.h"
#include "cli/commands/states_option.h"
#include "cli/input/address_names.h"
#include "cli/input/format_options.h"
#include "cli/output/pack.h"
#include "cli/show/metadata.h"
#include "decoder/formats/formats.h"
#include "decoder/isa/disassembly.h"

#define ISA_NAMES "riscv arm thumb thumbee jazelle aarch64 mips mips64"

/* The name of an instruction set, or --isa of other commands. */
static bool take_isa(void *value, const struct command_option *option, const char *argument)
{
	if (ear_isa_find(argument) >= 0)
		return option_take_text(value, option, argument);
	return strncasecmp(argument, "rv", 2) == 0
		       ? isa_option_take(value, option, argument)
		       : option_fail(option, argument, "an ISA string, nor one of: " ISA_NAMES);
}

static bool take_event_port(void *value, const struct command_option *option, const char *argument)
{
	struct convert *convert = value;
	struct ear_port_options *port = &convert->port.options;

	convert->with_port = true;
	port->has_address = strcmp(argument, "unit") != 0;
	return !port->has_address || port_input_take_address(port, option, argument);
}

static bool take_tasks(void *value, const struct command_option *option, const char *argument)
{
	struct convert *convert = value;

	(void)option;
	(void)argument;
	convert->with_port = convert->port.options.tasks = true;
	return true;
}

static const struct command_option table[] = {
	FORMAT_OPTIONS(struct convert, input.format, input.xlen, input.pattern, input.unit),
	{"format", 'f', "FORMAT", VALUES_WRITE_FORMATS,
		.text = "Format to write (default: by the ending of OUT).",
		.detail =
			"Standard output, a device or a pipe gets `whisper`. A name with another ending is "
			"refused.",
		OPTION_VALUE(struct convert, output_format)},
	{"output", 'o', "OUT", VALUES_FILES, .text = "Write to OUT (default `-`: standard output).",
		.detail = "`NAME/` is a folder of the format qtrace.",
		OPTION_VALUE(struct convert, output)},
	BATCH_OVERWRITE_OPTION,
	{"out-unit", 0, "UNIT", VALUES_FILES,
		.text = "OUT is a branch trace of UNIT, as --unit (default: that of --unit, if FILE is "
			"not a branch trace; else the usual one of its format).",
		OPTION_TAKEN(option_take_unit, struct convert, out_unit)},
	{"isa", 0, "NAME", VALUES_WORDS, ISA_NAMES " " ISA_OPTION_STRINGS,
		.text = "Instruction set, if FILE does not say: `riscv`, `arm`, `thumb`, `thumbee`, "
			"`jazelle`, `aarch64`, `mips` or `mips64`; or the RISC-V instructions that are "
			"legal: an ISA string (`rv64gc_zba`) or a profile (`rva23u64`).",
		.detail = ISA_OPTION_DETAIL, OPTION_TAKEN(take_isa, struct convert, input.isa)},
	{"elf", 0, "FILE[@OFFSET]", VALUES_FILES,
		.text = "Label the addresses of a Spike log with the symbols of FILE, as Spike does; with "
			"--event-port, --tasks or -f qtrace also read strings from it; the program of a "
			"branch trace, then repeat for more; the opcodes of a branch trace that is written from "
			"a log without them.",
		.detail =
			"Without --elf, --tasks and -f qtrace read strings from the program that a "
			"capture file names, if it is found and has not changed.",
		OPTION_TAKEN(symbol_file_take_elf, struct convert, symbols)},
	{"event-port", 0, "ADDRESS",
		.text = "Stores to the event port at ADDRESS become events, as a unit with one makes "
			"them; `unit`: only those that are there.",
		.detail =
			"Events that point to strings get them, from what the trace and --elf show of "
			"memory. Their names and order: docs/event-port.md.",
		.take = take_event_port},
	{"tasks", 0,
		.text = "Events of the event port become what they mean together: events of tasks and "
			"methods, as `qtrace` has them; with -f json each record has its task.",
		.detail = "With -f qtrace it is always so. Without --event-port it is "
			  "`--event-port unit`.",
		.take = take_tasks},
	{"hart", 0, "N",
		.text = "Only the records of hart N; with -f qtrace, whose folders hold one hart.",
		OPTION_VALUE(struct convert, hart), .max = UINT16_MAX},
	{"limit", 'n', "RECORDS", .text = "Stop after this many records.",
		OPTION_VALUE(struct convert, limit), .max = UINT64_MAX},
	{"strict", 0,
		.text = "Bad lines, and fields that the output format cannot carry, are errors.",
		.detail = "Without it they are counted and reported at the end.",
		OPTION_VALUE(struct convert, input.strict)},
	{"quiet-loss", 0,
		.text = "No warning about fields that the output format cannot carry, and about other "
			"indexes.",
		OPTION_VALUE(struct convert, quiet_loss)},
	FTDI_STATUS_OPTION(struct convert, input.ftdi_status),
	{"max-bad", 0, "LINES", .text = "Bad lines to skip before they are an error (default 100).",
		OPTION_VALUE(struct convert, input.bad_limit), .max = UINT64_MAX},
	COMMENTS_OPTION(
		struct convert, outputs.comments, "the exit status is 1 if records are missing"),
	{"geometry", 0, "NAME", VALUES_WORDS, "raw tiny small medium large unified xl file",
		.text = "Encoding of a capture file: `raw`, or predicted with the shadow state of `tiny`, "
			"`small`, `medium`, `large`, `unified`, `xl` or `file` (default: `file`, the "
			"largest).",
		OPTION_VALUE(struct convert, geometry_name)},
	STATES_OPTION(struct convert, states),
	{"level", 0, "N",
		.text = "Zstandard level of a capture file, 1 to 19 (default 19; `raw`: 3).",
		OPTION_VALUE(struct convert, level), .min = 1, .max = 19},
	{"jobs", 'j', "N", .text = "Threads to use (default 1).",
		.detail =
			"`whisper` and `json` are read in chunks by all threads, and `whisper`, "
			"`whisper-log`, `spike`, `riscv-dv` and `json` are written so. Other formats are "
			"read by one thread and written by another. The output is the same.",
		OPTION_VALUE(struct convert, jobs), .min = 1, .max = CLI_JOBS_MAX},
	{"part", 0, "K/N",
		.text = "Print only the K-th of N parts of the text of a capture, N at most 64. The "
			"parts one after the other (`cat`) are the whole.",
		.detail = "It goes with `-f` whisper, whisper-log, riscv-dv and json.",
		OPTION_TAKEN(trace_parts_take, struct convert, parts)},
	QUIET_ALONE,
	{0},
};

static void print_formats(FILE *to)
{
	fputs("\nFormats to read:\n  shot         capture files, and dumps of the wire\n", to);
	for (const struct ear_reader_format *format = ear_reader_formats; format->name; format++)
		fprintf(to, "  %-12s %s\n", format->name, format->summary);
	fputs("\nFormats to write:\n  shot         capture files (.shot)\n", to);
	for (const struct ear_writer_format *format = ear_writer_formats; format->name; format++)
		fprintf(to, "  %-12s %s\n", format->name, format->summary);
}

/* A capture that is made of another one is of the same program. */
static void add_program(struct metadata *metadata, struct ear_source *source)
{
	char value[4096];

	for (const char *const *key = metadata_program_keys; *key; key++)
		if (ear_source_fact(source, *key, value, sizeof(value)) >= 0)
			metadata_add(metadata, *key, "%s", value);
}

static void close_outputs(struct convert *convert, bool ended)
{
	struct metadata *metadata = malloc(sizeof(*metadata));

	if (metadata) {
		metadata_init(metadata);
		metadata_add_source_date(metadata, "ended");
		metadata_add(metadata, "end_reason", "%s", ended ? "end of file" : "failed");
		metadata_add(metadata, "wire_bytes", "%" PRIu64, convert->wire_bytes);
		metadata_add(metadata, "host_lost_bytes", "0");
		if (convert->text_bytes)
			metadata_add(metadata, "text_bytes", "%" PRIu64, convert->text_bytes);
	}
	outputs_close(&convert->outputs, metadata ? metadata->text : "");
	free(metadata);
}

static bool open_outputs(struct convert *convert, int argc, char **argv)
{
	struct metadata *metadata = malloc(sizeof(*metadata));

	if (!metadata) {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
		return false;
	}
	metadata_init(metadata);
	metadata_add(metadata, "writer", "%s", cli_version);
	metadata_add_source_date(metadata, "created");
	metadata_add(metadata, "device", "%s, %s", ear_source_format(convert->input.source),
		convert->input.path);
	metadata_add_command(metadata, argc, argv);
	add_program(metadata, convert->input.source);
	pack_metadata(&convert->input, metadata, &convert->encoding.fields);
	ear_source_writer_options(convert->input.source, &convert->outputs.writer_options);
	bool opened = outputs_open(&convert->outputs, metadata->text, (int)convert->level);
	free(metadata);
	return opened;
}

/* A text to a capture file, with every byte of it. */
static int pack_file(struct convert *convert, int argc, char **argv)
{
	int status = EAR_EXIT_FAILED;

	if (!open_outputs(convert, argc, argv))
		return EAR_EXIT_FAILED;
	if (pack_text(&convert->input, convert->outputs.list[0].shot, &convert->encoding,
		    convert->outputs.states.interval, &convert->text_bytes, &convert->wire_bytes))
		status = EAR_EXIT_DONE;
	cli_progress_clear();
	close_outputs(convert, status == EAR_EXIT_DONE && !cli_interrupted);
	source_input_judge(&convert->input);
	if (ear_source_is_cleaned(convert->input.source))
		cli_warning(
			"%s: it comes back without its byte order mark, NUL characters, colours "
			"and prefixes, and not as UTF-16",
			convert->input.name);
	if (cli_interrupted)
		cli_error("interrupted after %" PRIu64 " records", convert->input.record_count);
	return cli_interrupted || convert->outputs.failed ? EAR_EXIT_FAILED : status;
}

/* The first record is read before the output is opened: then the reader knows the text's header.
 * Not that of a packed text, whose lines go to the unpacker. */
static int read_first(struct convert *convert, const struct ear_record **record)
{
	int result = 0;

	if (convert->parts.part > 0)
		return 0; /* that is after convert_part_begin */
	if (convert->way == CONVERT_WRITE && convert_chunks_open(convert, &result)) {
		convert->way = CONVERT_CHUNKS;
		if (result < 0)
			source_input_fail(&convert->input, result);
	} else if (convert->way != CONVERT_UNPACK && convert->limit) {
		result = source_input_next(&convert->input, record);
	}
	return result;
}

static bool is_from_branch_trace(const struct convert *convert)
{
	const struct ear_reader_format *from = ear_source_text_format(convert->input.source);

	return from && from->make_of_bytes;
}

static bool is_to_branch_trace(const struct convert *convert)
{
	return convert->format && convert->format->make_of_bytes;
}

/* How OUT is to be read. */
static void show_out_unit(const struct convert *convert)
{
	const char *option = convert->out_unit                      ? "that of --out-unit"
			     : convert->outputs.writer_options.unit ? "that of --unit"
								    : "the usual one";

	if (is_to_branch_trace(convert) && !convert->input.quiet && !convert->outputs.failed)
		cli_warning("%s: the unit is %s; its reader needs %s, and the program (--elf)",
			convert->output, option,
			convert->outputs.writer_options.unit ? "the same --unit" : "no --unit");
}

/* All was converted, or status says that it could not be. Returns the status of the command. */
static int finish(struct convert *convert, int status)
{
	const bool part = convert->parts.part > 0;
	const int part_status = part ? convert_part_judge(convert, status) : EAR_EXIT_DONE;

	cli_progress_clear();
	ear_source_stop(convert->input.source);
	close_outputs(convert, status == EAR_EXIT_DONE && !cli_interrupted);
	if (convert->outputs.broken_pipe)
		status = EAR_EXIT_DONE;
	else if (convert->outputs.failed)
		status = EAR_EXIT_FAILED;
	if (part_status != EAR_EXIT_DONE ||
		(!part && convert->limit && source_input_judge(&convert->input) != EAR_EXIT_DONE))
		status = EAR_EXIT_FAILED;
	show_out_unit(convert);
	const char *mended = ear_source_mended(convert->input.source);
	if (mended && !convert->input.quiet)
		cli_warning("%s: %s", convert->input.name, mended);
	if (!convert->quiet_loss && !convert->input.strict)
		convert_loss_warn(&convert->loss);
	if (convert_loss_is_all(&convert->loss)) {
		cli_error(
			"%s: nothing was converted: the output format has no instructions of this "
			"instruction set",
			convert->input.name);
		status = EAR_EXIT_FAILED;
	}
	if (!cli_interrupted)
		return status;
	cli_error("interrupted after %" PRIu64 " records", convert->input.record_count);
	return EAR_EXIT_FAILED;
}

/* All records from one format to another. */
static int convert_records(struct convert *convert, int argc, char **argv)
{
	const struct ear_record *record = NULL;
	int status = EAR_EXIT_FAILED;
	const int result = read_first(convert, &record);
	const bool chunks = convert->way == CONVERT_CHUNKS, part = convert->parts.part > 0;

	if ((!chunks || result == 0) && open_outputs(convert, argc, argv) &&
		convert_records_begin(convert) && (!part || convert_part_begin(convert)))
		status = finish(convert, chunks ? convert_chunks_run(convert)
						: convert_records_run(convert, record, result));
	convert_records_end(convert);
	convert_chunks_end(convert);
	return comments_judge(&convert->outputs.comments, status);
}

/* Only Spike's log has labels. */
static bool open_names(struct convert *convert)
{
	convert->names = address_names_open(convert->symbols.elf);
	convert->outputs.writer_options.symbol = address_names_find;
	convert->outputs.writer_options.symbols = convert->names;
	return convert->names != NULL;
}

/* A folder of an emulator has events of tasks and methods, and no others. */
static bool is_folder(const struct convert *convert)
{
	return convert->format && convert->format->folder;
}

static enum convert_way choose_way(const struct convert *convert, bool shot)
{
	if (!convert->format)
		return !convert->with_port && pack_can(&convert->input) &&
				       convert->limit == UINT64_MAX
			       ? CONVERT_PACK
			       : CONVERT_ENCODE;
	return shot && !convert->with_port && strcmp(convert->format->name, "whisper") == 0
		       ? CONVERT_UNPACK
		       : CONVERT_WRITE;
}

/* Strings of the port are also in the program that was traced, if it is still the same. */
static void find_program(struct convert *convert)
{
	symbol_file_of_source(&convert->symbols, convert->input.source, convert->input.path);
	if (!symbol_file_find_program(&convert->symbols))
		return;
	convert->port.elf = convert->symbols.program;
	convert->port.elf_optional = true;
}

/* Is there a use for --elf, if it is given? */
static bool uses_elf(const struct convert *convert)
{
	return !convert->symbols.elf || convert->with_port || is_from_branch_trace(convert) ||
	       is_to_branch_trace(convert) ||
	       (convert->format && strcmp(convert->format->name, "spike") == 0);
}

/* The unit that OUT is written for, and where opcodes are that FILE lacks. */
static bool choose_out_unit(struct convert *convert)
{
	struct ear_writer_options *options = &convert->outputs.writer_options;

	options->unit = convert->out_unit;
	if (!options->unit && !is_from_branch_trace(convert))
		options->unit = convert->input.unit;
	if (convert->symbols.elf)
		options->code = symbol_file_code(&convert->symbols);
	return !convert->symbols.elf || options->code;
}

static int convert_file(struct convert *convert, int argc, char **argv)
{
	const struct ear_writer_format *format = convert->format;
	int status = EAR_EXIT_FAILED;

	convert->with_port |= is_folder(convert);
	convert->port.options.tasks |= is_folder(convert);
	/* Names of tasks may be in the program that a capture names: any file is read. */
	bool named = convert->port.options.tasks && !convert->symbols.elf;
	if (convert->symbols.elf)
		symbol_file_prepare(&convert->symbols);
	confine_trace(convert->input.path);
	if (convert->parts.part > 0)
		convert_part_confine(convert);
	else
		confine_files((const char *const[]){named || convert->symbols.more_count > 0
							    ? "/"
							    : convert->input.path,
				      convert->symbols.elf, NULL},
			(const char *const[]){convert->output, NULL});
	convert->input.lines = format && format->takes_lines;
	if (convert->symbols.elf && format && strcmp(format->name, "spike") == 0 &&
		!open_names(convert))
		return EAR_EXIT_FAILED;
	if (!source_input_open(&convert->input)) {
		address_names_close(convert->names);
		return EAR_EXIT_FAILED;
	}
	if (!uses_elf(convert)) {
		source_input_close(&convert->input);
		return cli_usage("convert",
			"--elf labels a Spike log, gives strings, or is the program of a branch "
			"trace: it needs -f spike, -f qtrace, --event-port or --tasks");
	}
	if (is_to_branch_trace(convert) && !choose_out_unit(convert)) {
		source_input_close(&convert->input);
		return EAR_EXIT_FAILED;
	}
	cli_catch_signals(NULL);
	bool shot = strcmp(ear_source_format(convert->input.source), "shot") == 0;
	if (format && ear_writer_has_reads(format))
		ear_source_with_reads(convert->input.source);
	convert->port.marks = !is_folder(convert); /* which says it by its own events */
	convert->port.elf = convert->symbols.elf;
	if (named)
		find_program(convert);
	convert->way = choose_way(convert, shot);
	if (convert->parts.part > 0)
		convert->way = CONVERT_WRITE;
	if (convert->parts.part > 0 && !convert_part_open(convert))
		;
	else if (!convert->with_port ||
		 (port_input_load(&convert->port) && port_input_open(&convert->port, shot)))
		status = convert->way == CONVERT_PACK ? pack_file(convert, argc, argv)
						      : convert_records(convert, argc, argv);
	notes_number("records", convert->input.record_count);
	if (convert->port.events)
		port_input_warn(&convert->port, convert->input.name);
	port_input_close(&convert->port);
	convert_part_close(convert);
	source_input_close(&convert->input);
	address_names_close(convert->names);
	symbol_file_close(&convert->symbols);
	return status;
}

static bool choose_geometry(struct convert *convert)
{
	const char *name = convert->geometry_name;

	if (strcmp(name, "raw") == 0)
		return true;
	convert->encoding.geometry = &ear_record_encoder_geometry;
	if (strcmp(name, "file") == 0)
		return true;
	convert->encoding.geometry = &convert->geometry;
	return ear_geometry_find(&convert->geometry, name) == 0;
}

static int run(int argc, char **argv)
{
	static struct convert convert = {.limit = UINT64_MAX,
		.jobs = 1,
		.output = "-",
		.geometry_name = "file",
		.parts = TRACE_PARTS_DEFAULTS,
		.trace = TRACE_INPUT_DEFAULTS,
		.states = EAR_SHOT_STATES_AUTOMATIC};
	int status;

	source_input_init(&convert.input, "");
	int first = options_parse(&cmd_convert, argc, argv, &convert, &status);
	if (first < 0)
		return status;
	if (!isa_option_apply(&convert.input.xlen))
		return EAR_EXIT_FAILED;
	if (first + 1 != argc)
		return cli_usage("convert", first == argc ? "which file?" : "one file, please");
	if (convert_is_sqlite(&convert)) {
		source_input_name(&convert.input, argv[first]);
		return convert_sqlite(&convert);
	}
	if (!outputs_add(&convert.outputs, convert.output, convert.output_format))
		return EAR_EXIT_FAILED;
	convert.format = convert.outputs.list[0].format;
	if (convert.hart.given && !is_folder(&convert))
		return cli_usage("convert", "--hart needs -f qtrace; for other formats there is "
					    "'earshot grep --hart'");
	if (convert.out_unit && !is_to_branch_trace(&convert))
		return cli_usage("convert", "--out-unit needs -f etrace or -f ntrace");
	const char *refused = convert.parts.part > 0 ? convert_part_refuse(&convert) : NULL;
	if (refused)
		return cli_usage("convert", "%s", refused);
	if (!choose_geometry(&convert))
		return cli_usage("convert", "there is no geometry '%s'", convert.geometry_name);
	if (convert.level == 0)
		convert.level = convert.encoding.geometry ? 19 : 3;
	ear_shot_states_init(&convert.outputs.states, convert.states);
	source_input_name(&convert.input, argv[first]);
	convert.input.symbols = &convert.symbols;
	convert.outputs.comments.name = convert.input.name;
	convert.input.before_report = convert_chunks_before_report;
	convert.input.report_context = &convert;
	return convert_file(&convert, argc, argv);
}

static const char *find_ending(const char *name)
{
	const struct ear_writer_format *format = ear_writer_find(name);

	if (strcmp(name, "shot") == 0)
		return ".shot";
	if (!format || format->folder || !format->extension[0]) {
		cli_error("several traces cannot be written as %s", name);
		return NULL;
	}
	return format->extension;
}

static const char *const columns[] = {"records", NULL};
static const struct batch_rules batch = {
	.columns = columns, .no = "records missing", .ending = find_ending};

const struct command cmd_convert = {
	.name = "convert",
	.arguments = "[OPTION]... FILE\n[OPTION]... -f FORMAT -o FOLDER FILE...",
	.summary = "turn a trace from any format into any other",
	.about =
		"Turn a trace from any format into any other. FILE - is standard input. Files named .gz "
		"and .zst are unpacked, and packed again if OUT is named so. Several FILE, a folder of "
		"traces and @LIST: see {MANY TRACES}.",
	.options = table,
	.notes =
		"OUT named .sqlite, or -f sqlite, is a database of SQLite: tables of records, registers, "
		"accesses, calls and tasks (docs/sql.md).\n"
		"\n"
		"From whisper to a capture file every byte of FILE is kept, and comes back with "
		"`earshot decode`. Of other formats the records are kept.\n"
		"\n"
		"With -j, whisper and json are read in chunks, and whisper, whisper-log, spike, riscv-dv "
		"and json written so, by all threads. Other formats are read by one thread and written by "
		"another. The output is the same.",
	.print_lists = print_formats,
	.exit_status =
		"0 done, 1 records are missing (with `--comments no`), 2 it could not be done.",
	.batch = &batch,
	.run = run,
};
