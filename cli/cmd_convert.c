#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/facts.h"
#include "cli/input.h"
#include "cli/outputs.h"
#include "cli/source_input.h"
#include "common/error.h"
#include "decoder/field.h"
#include "decoder/record_encoder.h"

struct convert {
	struct source_input input;
	struct outputs outputs;                 /* exactly one */
	struct ear_record_encoder *encoder;     /* to a capture file */
	const struct ear_writer_format *format; /* NULL: a capture file */
	uint64_t left_out[EAR_FIELD_COUNT];     /* records that lost each field */
	uint64_t refused; /* records that the target has no place for at all */
	uint64_t wire_bytes;
	uint64_t limit;
	int level;
	bool strict, quiet_loss;
	double last_progress;
};

static void print_help(void)
{
	fputs("usage: earshot convert [OPTION]... FILE\n"
	      "Turn a trace from any format into any other. FILE - is standard input; .gz and "
	      ".zst\n"
	      "are unpacked, and packed again when OUT is named so.\n\n"
	      "  -i, --input-format FORMAT  format of FILE (default: from its contents)\n"
	      "  -f, --format FORMAT        format to write (default: by the name of OUT)\n"
	      "  -o, --output OUT           write to OUT (default -, standard output)\n"
	      "      --xlen N               32 or 64, where FILE does not tell\n"
	      "      --limit RECORDS        end after this many records\n"
	      "      --strict               a bad line, and a field that the format to write "
	      "cannot\n"
	      "                             carry, are errors\n"
	      "      --quiet-loss           no warning about fields that cannot be carried\n"
	      "      --max-bad LINES        bad lines to pass over before it is an error (100)\n"
	      "      --level N              zstd level of capture files, 1 to 19 (default 3)\n"
	      "  -q, --quiet                no progress\n"
	      "  -h, --help                 this text\n\n"
	      "Formats to read:\n  shot         capture files, and dumps of the wire\n",
		stdout);
	for (const struct ear_reader_format *format = ear_reader_formats; format->name; format++)
		printf("  %-12s %s\n", format->name, format->summary);
	fputs("\nFormats to write:\n  shot         capture files (.shot), raw mode\n", stdout);
	for (const struct ear_writer_format *format = ear_writer_formats; format->name; format++)
		printf("  %-12s %s\n", format->name, format->summary);
	fputs("\nExit status: 0 done, 2 it could not be done.\n", stdout);
}

static void take_frame(void *context, const uint8_t *bytes, size_t size)
{
	struct convert *convert = context;

	convert->wire_bytes += size;
	outputs_bytes(&convert->outputs, bytes, size);
}

/* What the target cannot carry of this record. Returns false if that is an error. */
static bool note_loss(struct convert *convert, const struct ear_record *record)
{
	uint64_t lost = convert->format ? ear_writer_lost(convert->format, record)
					: ear_record_fields(record) & ~EAR_RECORD_ENCODER_FIELDS;

	if (lost == 0)
		return true;
	for (unsigned field = 0; field < EAR_FIELD_COUNT; field++)
		if (lost & EAR_FIELD_BIT(field))
			convert->left_out[field]++;
	if (!convert->strict)
		return true;

	char place[64];
	ear_source_place(convert->input.source, record, place, sizeof(place));
	cli_error("%s: %s: the format cannot carry: %s (--strict)", convert->input.name, place,
		ear_field_text((enum ear_field)__builtin_ctzll(lost)));
	return false;
}

static void show_progress(struct convert *convert)
{
	double now = cli_seconds();

	if (now - convert->last_progress < 0.2)
		return;
	convert->last_progress = now;
	int percent = input_percent(convert->input.fd, convert->input.size);
	if (percent >= 0)
		cli_progress("converting: %d%%, %" PRIu64 " records", percent,
			convert->input.record_count);
	else
		cli_progress("converting: %" PRIu64 " records", convert->input.record_count);
}

/* One record to the output. Returns false if that is an error. */
static bool take_record(struct convert *convert, const struct ear_record *record)
{
	if (!note_loss(convert, record))
		return false;
	if (!convert->encoder)
		outputs_record(&convert->outputs, record);
	else if (ear_record_encoder_push(convert->encoder, record) != 0)
		convert->refused++;
	return true;
}

/* All records, of which the first has been read already; result is what reading it gave. */
static int run(struct convert *convert, const struct ear_record *record, int result)
{
	bool progress = cli_progress_wanted();
	bool taken = true;

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
	return result < 0 || !taken ? EAR_EXIT_FAILED : EAR_EXIT_DONE;
}

static void warn_loss(const struct convert *convert)
{
	for (unsigned field = 0; field < EAR_FIELD_COUNT; field++)
		if (convert->left_out[field])
			cli_warning("not in this format: %s, of %" PRIu64 " record%s",
				ear_field_text((enum ear_field)field), convert->left_out[field],
				convert->left_out[field] == 1 ? "" : "s");
	if (convert->refused)
		cli_warning("no place in a capture file: %" PRIu64 " record%s", convert->refused,
			convert->refused == 1 ? "" : "s");
}

static void close_outputs(struct convert *convert, bool ended)
{
	struct facts *facts = malloc(sizeof(*facts));

	if (facts) {
		facts_init(facts);
		facts_add_time(facts, "ended");
		facts_add(facts, "end_reason", "%s", ended ? "end of file" : "failed");
		facts_add(facts, "wire_bytes", "%" PRIu64, convert->wire_bytes);
		facts_add(facts, "host_lost_bytes", "0");
	}
	outputs_close(&convert->outputs, facts ? facts->text : "");
	free(facts);
}

static bool open_outputs(struct convert *convert, int argc, char **argv)
{
	const struct ear_writer_format *format = convert->outputs.list[0].format;
	struct facts *facts = malloc(sizeof(*facts));

	convert->format = format;
	if (!format)
		convert->encoder = ear_record_encoder_new(take_frame, convert);
	if (!facts || (!format && !convert->encoder)) {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
		free(facts);
		return false;
	}
	facts_init(facts);
	facts_add(facts, "writer", "%s", cli_version);
	facts_add_time(facts, "created");
	facts_add(facts, "device", "%s, %s", ear_source_format(convert->input.source),
		convert->input.path);
	facts_add_command(facts, argc, argv);
	ear_source_writer_options(convert->input.source, &convert->outputs.writer_options);
	bool opened = outputs_open(&convert->outputs, facts->text, convert->level);
	free(facts);
	return opened;
}

static int convert_file(struct convert *convert, int argc, char **argv)
{
	const struct ear_record *record = NULL;
	int status = EAR_EXIT_FAILED;

	if (!source_input_open(&convert->input))
		return EAR_EXIT_FAILED;
	cli_catch_signals(NULL);
	/* The first record first: by then a reader knows what the text's header tells. */
	int result = convert->limit ? source_input_next(&convert->input, &record) : 0;
	if (open_outputs(convert, argc, argv)) {
		status = run(convert, record, result);
		cli_progress_clear();
		close_outputs(convert, status == EAR_EXIT_DONE && !cli_interrupted);
		if (convert->outputs.broken_pipe)
			status = EAR_EXIT_DONE;
		else if (convert->outputs.failed)
			status = EAR_EXIT_FAILED;
		source_input_judge(&convert->input);
		if (!convert->quiet_loss && !convert->strict)
			warn_loss(convert);
		if (cli_interrupted) {
			cli_error("interrupted after %" PRIu64 " records",
				convert->input.record_count);
			status = EAR_EXIT_FAILED;
		}
	}
	ear_record_encoder_free(convert->encoder);
	source_input_close(&convert->input);
	return status;
}

int cmd_convert(int argc, char **argv)
{
	static const struct option options[] = {
		{"input-format", required_argument, NULL, 'i'},
		{"format", required_argument, NULL, 'f'},
		{"output", required_argument, NULL, 'o'},
		{"xlen", required_argument, NULL, 'x'},
		{"limit", required_argument, NULL, 'l'},
		{"strict", no_argument, NULL, 's'},
		{"quiet-loss", no_argument, NULL, 'Q'},
		{"max-bad", required_argument, NULL, 'm'},
		{"level", required_argument, NULL, 'L'},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	static struct convert convert = {.limit = UINT64_MAX, .level = 3};
	const char *input_format = NULL, *format = NULL, *output = "-";
	uint64_t bad_limit = 100, level = 3, xlen = 0;
	int option;

	while ((option = getopt_long(argc, argv, "i:f:o:qh", options, NULL)) != -1) {
		switch (option) {
		case 'i': input_format = optarg; break;
		case 'f': format = optarg; break;
		case 'o': output = optarg; break;
		case 'x':
			if (!cli_parse_count(&xlen, optarg) || (xlen != 32 && xlen != 64))
				return cli_usage("convert", "--xlen is 32 or 64");
			break;
		case 'l':
			if (!cli_parse_count(&convert.limit, optarg))
				return cli_usage("convert", "--limit: '%s' is no number", optarg);
			break;
		case 's': convert.strict = true; break;
		case 'Q': convert.quiet_loss = true; break;
		case 'm':
			if (!cli_parse_count(&bad_limit, optarg))
				return cli_usage("convert", "--max-bad: '%s' is no number", optarg);
			break;
		case 'L':
			if (!cli_parse_count(&level, optarg) || level < 1 || level > 19)
				return cli_usage("convert", "--level is 1 to 19");
			break;
		case 'q': cli_progress_disable(); break;
		case 'h': print_help(); return EAR_EXIT_DONE;
		default: return cli_usage("convert", "bad option");
		}
	}
	if (optind + 1 != argc)
		return cli_usage("convert", optind == argc ? "which file?" : "one file, please");
	if (!outputs_add(&convert.outputs, output, format))
		return EAR_EXIT_FAILED;
	convert.level = (int)level;
	source_input_init(&convert.input, argv[optind]);
	convert.input.format = input_format;
	convert.input.xlen = (unsigned)xlen;
	convert.input.strict = convert.strict;
	convert.input.bad_limit = bad_limit;
	return convert_file(&convert, argc, argv);
}
