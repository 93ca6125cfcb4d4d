/* 'earshot convert': records from a reader to a writer, an encoder or an archive. Three ways, by
 * the formats: a text that can be kept byte for byte is packed; formats that can be cut are
 * converted in chunks by several threads; all others record by record. What the target cannot
 * carry is counted by field.
 */
#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/commands/isa_option.h"
#include "cli/commands/states_option.h"
#include "cli/input/address_names.h"
#include "cli/input/format_options.h"
#include "cli/input/input.h"
#include "cli/input/port_input.h"
#include "cli/input/source_input.h"
#include "cli/options/options.h"
#include "cli/output/outputs.h"
#include "cli/output/pack.h"
#include "cli/show/metadata.h"
#include "common/hash.h"
#include "common/plural.h"
#include "decoder/codec/record_encoder.h"
#include "decoder/formats/formats.h"
#include "decoder/isa/disassembly.h"
#include "decoder/record/field.h"
#include "decoder/record/record_batch.h"
#include "library/parallel/parallel_reader.h"
#include "library/parallel/writer_chunk.h"
#include "library/shot/archive/unpacker.h"

#define ISA_NAMES "riscv arm thumb thumbee jazelle aarch64 mips mips64"

/* Most records lose one of a few sets of fields: the records of a set are counted together. */
#define LOST_BITS 6
#define LOST_SETS (1u << LOST_BITS)

struct lost {
	uint64_t set, count;
};

struct convert {
	struct source_input input;
	struct outputs outputs;             /* exactly one */
	struct ear_record_encoder *encoder; /* to a capture file, record by record */
	struct ear_record_encoder_options encoding;
	struct ear_geometry geometry;
	bool unpacking; /* a capture file to the text that it may have been packed from */
	struct ear_unpacker unpacker;
	const struct ear_writer_format *format; /* NULL: a capture file */
	uint64_t left_out[EAR_FIELD_COUNT];     /* records that lost each field */
	struct lost lost[LOST_SETS];            /* of those not in left_out */
	uint64_t refused;                       /* records that the target cannot hold at all */
	struct ear_decoder decoder;             /* of what the encoder makes, for its states */
	uint64_t wire_bytes, text_bytes;
	uint64_t limit;
	uint64_t states; /* records between them */
	const char *output, *output_format, *geometry_name;
	unsigned level; /* 0: the default of the geometry */
	unsigned jobs;
	bool quiet_loss;
	const char *elf; /* NULL: no labels, and no image */
	struct address_names *names;
	bool with_port; /* --event-port, --tasks */
	struct optional_number hart;
	struct port_input port;
	double last_progress;

	/* With several threads. */
	struct ear_parallel_reader *parallel;
	struct ear_writer_team team;
	struct converted *begun; /* last */
};

/* What the records of a chunk of FILE became. */
struct converted {
	struct ear_writer_chunk text;
	uint64_t left_out[EAR_FIELD_COUNT];
	struct ear_record_batch comments; /* apart: for standard error */
	char refused[160];                /* strict: why a record was not taken */
};

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
	FORMAT_OPTIONS(struct convert, input.format, input.xlen),
	{"format", 'f', 0, "FORMAT", VALUES_WRITE_FORMATS,
		.text = "Format to write (default: by the ending of OUT).",
		.detail =
			"Standard output, a device or a pipe gets `whisper`. A name with another ending is "
			"refused.",
		OPTION_VALUE(struct convert, output_format)},
	{"output", 'o', 0, "OUT", VALUES_FILES,
		.text = "Write to OUT (default `-`: standard output).",
		.detail = "`NAME/` is a folder of the format qtrace.",
		OPTION_VALUE(struct convert, output)},
	{"isa", 0, 0, "NAME", VALUES_WORDS, ISA_NAMES " " ISA_OPTION_STRINGS,
		.text = "Instruction set, if FILE does not say: `riscv`, `arm`, `thumb`, `thumbee`, "
			"`jazelle`, `aarch64`, `mips` or `mips64`; or the RISC-V instructions that are "
			"legal: an ISA string (`rv64gc_zba`) or a profile (`rva23u64`).",
		.detail = ISA_OPTION_DETAIL, OPTION_TAKEN(take_isa, struct convert, input.isa)},
	{"elf", 0, 0, "FILE", VALUES_FILES,
		.text = "Label the addresses of a Spike log with the symbols of FILE, as Spike does; with "
			"--event-port, --tasks or -f qtrace also read strings from it.",
		OPTION_VALUE(struct convert, elf)},
	{"event-port", 0, 0, "ADDRESS",
		.text = "Stores to the event port at ADDRESS become events, as a unit with one makes "
			"them; `unit`: only those that are there.",
		.detail =
			"Events that point to strings get them, from what the trace and --elf show of "
			"memory. Their names and order: docs/event-port.md.",
		.take = take_event_port},
	{"tasks", 0, 0,
		.text = "Events of the event port become what they mean together: events of tasks and "
			"methods, as `qtrace` has them; with -f json each record has its task.",
		.detail = "With -f qtrace it is always so. Without --event-port it is "
			  "`--event-port unit`.",
		.take = take_tasks},
	{"hart", 0, 0, "N",
		.text = "Only the records of hart N; with -f qtrace, whose folders hold one hart.",
		OPTION_VALUE(struct convert, hart), .max = UINT16_MAX},
	{"limit", 0, 0, "RECORDS", .text = "Stop after this many records.",
		OPTION_VALUE(struct convert, limit), .max = UINT64_MAX},
	{"strict", 0, 0,
		.text = "Bad lines, and fields that the output format cannot carry, are errors.",
		.detail = "Without it they are counted and reported at the end.",
		OPTION_VALUE(struct convert, input.strict)},
	{"quiet-loss", 0, 0, .text = "No warning about fields that the output format cannot carry.",
		OPTION_VALUE(struct convert, quiet_loss)},
	{"max-bad", 0, 0, "LINES",
		.text = "Bad lines to skip before they are an error (default 100).",
		OPTION_VALUE(struct convert, input.bad_limit), .max = UINT64_MAX},
	COMMENTS_OPTION(
		struct convert, outputs.comments, "the exit status is 1 if records are missing"),
	{"geometry", 0, 0, "NAME", VALUES_WORDS, "raw tiny small large unified xl file",
		.text = "Encoding of a capture file: `raw`, or predicted with the shadow state of `tiny`, "
			"`small`, `large`, `unified`, `xl` or `file` (default: `file`, the largest).",
		OPTION_VALUE(struct convert, geometry_name)},
	STATES_OPTION(struct convert, states),
	{"level", 0, 0, "N",
		.text = "Zstandard level of a capture file, 1 to 19 (default 19; `raw`: 3).",
		OPTION_VALUE(struct convert, level), .min = 1, .max = 19},
	{"jobs", 'j', 0, "N", .text = "Threads to use (default 1).",
		.detail =
			"`whisper` and `json` are read in chunks by all threads, and `whisper`, "
			"`whisper-log`, `spike`, `riscv-dv` and `json` are written so. Other formats are "
			"read by one thread and written by another. The output is the same.",
		OPTION_VALUE(struct convert, jobs), .min = 1, .max = CLI_JOBS_MAX},
	{"quiet", 'q', 0, .text = "No progress line.", .take = option_take_no_progress},
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

static int pass_record(void *context, const struct ear_record *record)
{
	(void)context;
	(void)record;
	return 0;
}

static void take_frame(void *context, const uint8_t *bytes, size_t size)
{
	struct convert *convert = context;
	size_t used;

	convert->wire_bytes += size;
	outputs_bytes(&convert->outputs, bytes, size);
	if (convert->outputs.states.interval == 0)
		return;
	ear_decoder_push(&convert->decoder, &used, bytes, size, false);
	outputs_decoded(&convert->outputs, &convert->decoder);
}

/* What the target cannot carry of this record: a set. */
static uint64_t find_loss(const struct convert *convert, const struct ear_record *record)
{
	return convert->format ? ear_writer_lost(convert->format, record)
			       : (ear_record_fields(record) & ~EAR_RECORD_ENCODER_FIELDS) |
					 ear_record_encoder_unfit(record);
}

/* So many records lost each field of the set. */
static void count_loss(uint64_t *left_out, uint64_t set, uint64_t count)
{
	for (; set; set &= set - 1)
		left_out[__builtin_ctzll(set)] += count;
}

/* The same for one record. Sets that share a place are counted by field when they change. */
static void note_loss(struct convert *convert, uint64_t set)
{
	struct lost *lost = &convert->lost[ear_hash_slot(set, LOST_BITS)];

	if (lost->set != set) {
		count_loss(convert->left_out, lost->set, lost->count);
		*lost = (struct lost){.set = set};
	}
	lost->count++;
}

static void sum_losses(struct convert *convert)
{
	for (size_t i = 0; i < LOST_SETS; i++) {
		count_loss(convert->left_out, convert->lost[i].set, convert->lost[i].count);
		convert->lost[i].count = 0;
	}
}

static void describe_loss(const struct convert *convert, char *text, size_t size,
	const struct ear_record *record, uint64_t lost)
{
	char place[64];

	ear_source_place(convert->input.source, record, place, sizeof(place));
	snprintf(text, size, "%s: the format cannot carry: %s (--strict)", place,
		ear_field_text((enum ear_field)__builtin_ctzll(lost)));
}

static void show_progress(struct convert *convert)
{
	if (!cli_progress_due(&convert->last_progress))
		return;
	int percent = input_percent(convert->input.fd, convert->input.size);
	if (percent >= 0)
		cli_progress("converting: %d%%, %" PRIu64 " records", percent,
			convert->input.record_count);
	else
		cli_progress("converting: %" PRIu64 " records", convert->input.record_count);
}

/* Where the text goes that a capture file was packed from: the only output. */
static struct output *text_output(struct convert *convert)
{
	return &convert->outputs.list[0];
}

static int take_line_diff(void *context, struct ear_shot_line_diff diff)
{
	struct convert *convert = context;

	return ear_unpacker_line_diff(&convert->unpacker, diff);
}

static bool put_line(struct convert *convert, const struct ear_record *record)
{
	int result = ear_unpacker_push(&convert->unpacker, record);

	if (result == EAR_E_NO_MEMORY)
		cli_error("%s", ear_error_text(result));
	convert->outputs.failed |= result != 0;
	return result != EAR_E_NO_MEMORY;
}

/* One record to the output. Returns false if that is an error. */
static bool put_record(struct convert *convert, const struct ear_record *record)
{
	if (convert->hart.given && record->hart != convert->hart.number)
		return true;
	bool counts = convert->input.strict || !convert->quiet_loss;
	uint64_t lost = counts ? find_loss(convert, record) : 0;
	if (counts)
		note_loss(convert, lost);
	if (lost && convert->input.strict) {
		char text[160];
		describe_loss(convert, text, sizeof(text), record, lost);
		cli_error("%s: %s", convert->input.name, text);
		return false;
	}
	if (convert->unpacking) {
		comments_take_packed(&convert->outputs.comments, &convert->unpacker, record);
		return put_line(convert, record);
	}
	if (!convert->encoder)
		outputs_record(&convert->outputs, record);
	else if (ear_record_encoder_push(convert->encoder, record) != 0)
		convert->refused++;
	return true;
}

/* One record, and with --event-port the events of its stores before it. */
static bool take_record(struct convert *convert, const struct ear_record *record)
{
	if (!convert->with_port)
		return put_record(convert, record);
	int count = port_input_push(&convert->port, record);
	bool taken = count >= 0;
	for (int i = 0; i < count && taken; i++) {
		const struct ear_record *next = port_input_mark(&convert->port, i);
		taken = next && put_record(convert, next);
	}
	return taken;
}

/* All records, of which the first has been read already; result is what reading it gave. */
static int run_records(struct convert *convert, const struct ear_record *record, int result)
{
	bool progress = cli_progress_wanted();
	bool taken = true;

	if (!convert->unpacking)
		ear_source_set_jobs(convert->input.source, convert->jobs);
	while (result > 0 && taken && !cli_interrupted && !convert->outputs.failed) {
		taken = take_record(convert, record);
		if (convert->input.record_count >= convert->limit)
			break;
		if (progress && convert->input.record_count % 4096 == 0)
			show_progress(convert);
		result = source_input_next(&convert->input, &record);
	}
	if (convert->encoder)
		ear_record_encoder_finish(convert->encoder);
	if (convert->unpacking && ear_unpacker_finish(&convert->unpacker) != 0)
		convert->outputs.failed = true;
	return result < 0 || !taken ? EAR_EXIT_FAILED : EAR_EXIT_DONE;
}

/* --- several threads --- */

static void *make_converted(void *context)
{
	struct converted *made = calloc(1, sizeof(*made));

	(void)context;
	if (made && ear_writer_chunk_init(&made->text) != 0) {
		free(made);
		return NULL;
	}
	return made;
}

static void free_converted(void *context, void *product)
{
	struct converted *converted = product;

	(void)context;
	ear_writer_chunk_fini(&converted->text);
	ear_record_batch_fini(&converted->comments);
	free(converted);
}

static int begin_piece(void *context, void *product)
{
	struct convert *convert = context;
	struct converted *converted = product;

	memset(converted->left_out, 0, sizeof(converted->left_out));
	ear_record_batch_clear(&converted->comments);
	convert->begun = converted;
	return ear_writer_chunk_begin(&convert->team, &converted->text);
}

static int enter_piece(void *context, void *product, unsigned thread)
{
	struct convert *convert = context;
	struct converted *converted = product;

	return ear_writer_chunk_enter(&convert->team, &converted->text, thread);
}

static int leave_piece(void *context, void *product)
{
	struct converted *converted = product;

	(void)context;
	return ear_writer_chunk_leave(&converted->text);
}

static int convert_record(void *context, void *product, const struct ear_record *record)
{
	const struct convert *convert = context;
	struct converted *converted = product;
	uint64_t lost = find_loss(convert, record);

	count_loss(converted->left_out, lost, 1);
	if (lost && convert->input.strict) {
		describe_loss(
			convert, converted->refused, sizeof(converted->refused), record, lost);
		return EAR_E_UNSUPPORTED;
	}
	if (convert->outputs.comments.apart &&
		ear_writer_lacks_without_comments(convert->format, record) &&
		!ear_record_batch_add(&converted->comments, record))
		return EAR_E_NO_MEMORY;
	return ear_writer_push(converted->text.writer, record);
}

static bool accept_piece(void *context, void *product)
{
	const struct convert *convert = context;
	const struct converted *converted = product;

	return ear_writer_chunk_valid(&convert->team, &converted->text);
}

static void show_comments(struct convert *convert, struct converted *converted)
{
	for (size_t i = 0; i < converted->comments.count; i++)
		comments_show(&convert->outputs.comments, &converted->comments.records[i]);
	ear_record_batch_clear(&converted->comments);
}

/* Only a chunk that is read in this thread reports lines, and it was begun just before: so the
 * comments before the line are shown before the report, as with one thread. */
static void show_comments_before_report(void *context)
{
	struct convert *convert = context;

	if (convert->begun)
		show_comments(convert, convert->begun);
}

/* FILE in chunks by several threads, if both formats can be cut. Returns false if not, and nothing
 * has happened; else what the first step gave is in *result. */
static bool open_chunks(struct convert *convert, int *result)
{
	struct ear_parallel_options options = {
		.jobs = convert->jobs,
		.limit = convert->limit,
		.use = {convert, make_converted, free_converted, begin_piece, enter_piece,
			leave_piece, convert_record, accept_piece},
	};
	const struct ear_writer_format *format = convert->outputs.list[0].format;

	if (convert->jobs < 2 || convert->with_port || !format || convert->limit == 0 ||
		!ear_writer_team_can(format, &options.need_index))
		return false;
	*result = ear_source_read_chunks(convert->input.source, &convert->parallel, &options);
	return *result != EAR_E_UNSUPPORTED;
}

/* Write a finished chunk to the output. */
static void put_piece(struct convert *convert, struct converted *converted)
{
	for (size_t i = 0; i < converted->comments.count; i++)
		ear_parallel_reader_correct(convert->parallel, &converted->comments.records[i]);
	show_comments(convert, converted);
	for (unsigned field = 0; field < EAR_FIELD_COUNT; field++)
		convert->left_out[field] += converted->left_out[field];
	convert->input.record_count += ear_parallel_reader_records(convert->parallel);
	outputs_text(&convert->outputs, &convert->team, &converted->text);
}

static int run_chunks(struct convert *convert)
{
	struct outputs *outputs = &convert->outputs;
	void *product = NULL;
	int result = ear_writer_team_init(
		&convert->team, outputs->list[0].format, &outputs->writer_options, convert->jobs);

	if (result == 0) {
		while (!cli_interrupted && !outputs->failed &&
			(result = ear_parallel_reader_next(convert->parallel, &product)) > 0) {
			put_piece(convert, product);
			if (cli_progress_wanted())
				show_progress(convert);
		}
	}
	if (result < 0 && product)
		put_piece(convert, product);
	if (result == EAR_E_UNSUPPORTED && product) {
		cli_error("%s: %s", convert->input.name, ((struct converted *)product)->refused);
	} else if (result < 0) {
		source_input_fail(&convert->input, result);
	}
	return result < 0 ? EAR_EXIT_FAILED : EAR_EXIT_DONE;
}

static void warn_loss(struct convert *convert)
{
	sum_losses(convert);
	for (unsigned field = 0; field < EAR_FIELD_COUNT; field++)
		if (convert->left_out[field])
			cli_warning("the output format cannot carry: %s, of %" PRIu64 " record%s",
				ear_field_text((enum ear_field)field), convert->left_out[field],
				ear_plural(convert->left_out[field]));
	if (convert->refused)
		cli_warning("a capture file cannot hold: %" PRIu64 " record%s", convert->refused,
			ear_plural(convert->refused));
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
	const struct ear_writer_format *format = convert->outputs.list[0].format;
	struct metadata *metadata = malloc(sizeof(*metadata));

	convert->format = format;
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
	pack_metadata(&convert->input, metadata, &convert->encoding.fields);
	ear_source_writer_options(convert->input.source, &convert->outputs.writer_options);
	bool opened = outputs_open(&convert->outputs, metadata->text, (int)convert->level);
	free(metadata);
	return opened;
}

/* What is between records and output. */
static bool prepare(struct convert *convert)
{
	struct output *output = text_output(convert);
	int result = 0;

	if (convert->unpacking) {
		result = ear_unpacker_init(&convert->unpacker, &output->text,
			&(struct ear_unpacker_options){.format = output->format,
				.writer = convert->outputs.writer_options,
				.jobs = convert->jobs,
				.comment = comments_show_line,
				.comment_context = &convert->outputs.comments});
		ear_source_set_line_diff_sink(convert->input.source, take_line_diff, convert);
	} else if (!convert->format) {
		convert->encoder = ear_record_encoder_new(take_frame, convert, &convert->encoding);
		result = convert->encoder ? 0 : EAR_E_NO_MEMORY;
		ear_decoder_init(&convert->decoder, pass_record, NULL);
	}
	if (result)
		cli_error("%s", ear_error_text(result));
	return result == 0;
}

/* A text to a capture file, with every byte of it. */
static int pack_file(struct convert *convert, int argc, char **argv)
{
	int status = EAR_EXIT_FAILED;

	if (!open_outputs(convert, argc, argv))
		return EAR_EXIT_FAILED;
	if (pack_text(&convert->input, text_output(convert)->shot, &convert->encoding,
		    convert->outputs.states.interval, &convert->text_bytes, &convert->wire_bytes))
		status = EAR_EXIT_DONE;
	cli_progress_clear();
	close_outputs(convert, status == EAR_EXIT_DONE && !cli_interrupted);
	source_input_judge(&convert->input);
	if (cli_interrupted)
		cli_error("interrupted after %" PRIu64 " records", convert->input.record_count);
	return cli_interrupted || convert->outputs.failed ? EAR_EXIT_FAILED : status;
}

/* All records from one format to another. */
static int convert_records(struct convert *convert, int argc, char **argv)
{
	const struct ear_record *record = NULL;
	int status = EAR_EXIT_FAILED, result = 0;

	/* Read the first record first: then the reader knows the text's header. */
	bool chunks = open_chunks(convert, &result);
	if (!chunks)
		result = convert->limit && !convert->unpacking
				 ? source_input_next(&convert->input, &record)
				 : 0;
	else if (result < 0)
		source_input_fail(&convert->input, result);
	if ((!chunks || result == 0) && open_outputs(convert, argc, argv) && prepare(convert)) {
		if (convert->unpacking && convert->limit)
			result = source_input_next(&convert->input, &record);
		convert->outputs.comments.name = convert->input.name;
		status = chunks ? run_chunks(convert) : run_records(convert, record, result);
		cli_progress_clear();
		ear_source_stop(convert->input.source);
		close_outputs(convert, status == EAR_EXIT_DONE && !cli_interrupted);
		if (convert->outputs.broken_pipe)
			status = EAR_EXIT_DONE;
		else if (convert->outputs.failed)
			status = EAR_EXIT_FAILED;
		if (convert->limit && source_input_judge(&convert->input) != EAR_EXIT_DONE)
			status = EAR_EXIT_FAILED;
		if (!convert->quiet_loss && !convert->input.strict)
			warn_loss(convert);
		if (cli_interrupted) {
			cli_error("interrupted after %" PRIu64 " records",
				convert->input.record_count);
			status = EAR_EXIT_FAILED;
		}
	}
	if (convert->encoder)
		ear_decoder_fini(&convert->decoder);
	ear_record_encoder_free(convert->encoder);
	ear_parallel_reader_free(convert->parallel);
	ear_writer_team_fini(&convert->team);
	if (convert->unpacking)
		ear_unpacker_fini(&convert->unpacker);
	return comments_judge(&convert->outputs.comments, status);
}

/* Only Spike's log has labels. */
static bool open_names(struct convert *convert)
{
	convert->names = address_names_open(convert->elf);
	convert->outputs.writer_options.symbol = address_names_find;
	convert->outputs.writer_options.symbols = convert->names;
	return convert->names != NULL;
}

/* A folder of an emulator has events of tasks and methods, and no others. */
static bool is_folder(const struct convert *convert)
{
	return convert->outputs.list[0].format && convert->outputs.list[0].format->folder;
}

static int convert_file(struct convert *convert, int argc, char **argv)
{
	const struct ear_writer_format *format = text_output(convert)->format;
	int status;

	confine_files((const char *const[]){convert->input.path, convert->elf, NULL},
		(const char *const[]){text_output(convert)->path, NULL});
	convert->input.lines = format && format->takes_lines;
	if (convert->elf && format && strcmp(format->name, "spike") == 0 && !open_names(convert))
		return EAR_EXIT_FAILED;
	if (!source_input_open(&convert->input)) {
		address_names_close(convert->names);
		return EAR_EXIT_FAILED;
	}
	cli_catch_signals(NULL);
	bool shot = strcmp(ear_source_format(convert->input.source), "shot") == 0;
	if (format && ear_writer_has_reads(format))
		ear_source_with_reads(convert->input.source);
	convert->with_port |= is_folder(convert);
	convert->port.options.tasks |= is_folder(convert);
	convert->port.marks = !is_folder(convert); /* which says it by its own events */
	convert->port.elf = convert->elf;
	convert->unpacking =
		shot && !convert->with_port && format && strcmp(format->name, "whisper") == 0;
	if (convert->with_port &&
		!(port_input_load(&convert->port) && port_input_open(&convert->port, shot)))
		status = EAR_EXIT_FAILED;
	else if (!format && !convert->with_port && pack_can(&convert->input) &&
		 convert->limit == UINT64_MAX)
		status = pack_file(convert, argc, argv);
	else
		status = convert_records(convert, argc, argv);
	if (convert->port.events)
		port_input_warn(&convert->port, convert->input.name);
	port_input_close(&convert->port);
	source_input_close(&convert->input);
	address_names_close(convert->names);
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
		.states = EAR_SHOT_STATES_AUTOMATIC};
	int status;

	source_input_init(&convert.input, "");
	int first = options_parse(&cmd_convert, argc, argv, NULL, &convert, &status);
	if (first < 0)
		return status;
	if (!isa_option_apply(&convert.input.xlen))
		return EAR_EXIT_FAILED;
	if (first + 1 != argc)
		return cli_usage("convert", first == argc ? "which file?" : "one file, please");
	if (!outputs_add(&convert.outputs, convert.output, convert.output_format))
		return EAR_EXIT_FAILED;
	const struct ear_writer_format *format = text_output(&convert)->format;
	if (convert.elf && !convert.with_port && !is_folder(&convert) &&
		(!format || strcmp(format->name, "spike") != 0))
		return cli_usage("convert", "--elf labels a Spike log or gives strings: it needs "
					    "-f spike, -f qtrace, --event-port or --tasks");
	if (convert.hart.given && !is_folder(&convert))
		return cli_usage("convert", "--hart needs -f qtrace; for other formats there is "
					    "'earshot grep --hart'");
	if (!choose_geometry(&convert))
		return cli_usage("convert", "there is no geometry '%s'", convert.geometry_name);
	if (convert.level == 0)
		convert.level = convert.encoding.geometry ? 19 : 3;
	ear_shot_states_init(&convert.outputs.states, convert.states);
	source_input_name(&convert.input, argv[first]);
	convert.input.before_report = show_comments_before_report;
	convert.input.report_context = &convert;
	return convert_file(&convert, argc, argv);
}

const struct command cmd_convert = {
	.name = "convert",
	.arguments = "[OPTION]... FILE",
	.summary = "turn a trace from any format into any other",
	.about =
		"Turn a trace from any format into any other. FILE - is standard input. Files named .gz "
		"and .zst are unpacked, and packed again if OUT is named so.",
	.options = table,
	.notes =
		"From whisper to a capture file every byte of FILE is kept, and comes back with "
		"`earshot decode`. Of other formats the records are kept.\n"
		"\n"
		"With -j, whisper and json are read in chunks, and whisper, whisper-log, spike, riscv-dv "
		"and json written so, by all threads. Other formats are read by one thread and written by "
		"another. The output is the same.",
	.print_lists = print_formats,
	.exit_status =
		"0 done, 1 records are missing (with `--comments no`), 2 it could not be done.",
	.run = run,
};
