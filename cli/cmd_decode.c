#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/account.h"
#include "cli/cli.h"
#include "cli/input.h"
#include "common/error.h"
#include "decoder/decoder.h"
#include "decoder/not_told.h"
#include "decoder/unpacker.h"

#define LIMIT_REACHED 1 /* what the sink returns */

struct decode {
	struct input input;
	struct ear_decoder decoder;
	struct ear_text_output output;
	struct ear_writer *writer;
	struct ear_unpacker unpacker;
	bool unpacking;    /* to the text that the file may have been packed from */
	uint64_t not_told; /* EAR_FIELD_BIT */
	const char *output_name;
	uint64_t limit; /* records; UINT64_MAX none */
	double last_progress;
};

static void print_help(void)
{
	fputs("usage: earshot decode [OPTION]... FILE\n"
	      "Turn a capture file (.shot) or a raw dump of the wire into text.\n"
	      "FILE - is standard input. A file that 'earshot convert' packed from a Whisper CSV\n"
	      "gives back that text, byte for byte.\n\n"
	      "  -f, --format FORMAT  text format (default: by the name of OUT, else whisper)\n"
	      "  -o, --output OUT     write to OUT (default -, standard output)\n"
	      "      --limit RECORDS  end after this many instruction records\n"
	      "  -q, --quiet          no progress, no summary of gaps\n"
	      "  -h, --help           this text\n\n"
	      "Formats:\n",
		stdout);
	for (const struct ear_writer_format *format = ear_writer_formats; format->name; format++)
		printf("  %-9s %-5s %s\n", format->name, format->extension, format->summary);
	fputs("\nRecords that are missing show as lines '# gap: ...' in the text, and are summed "
	      "up\n"
	      "on standard error at the end.\n",
		stdout);
}

static int take_record(void *context, const struct ear_record *record)
{
	struct decode *decode = context;

	if (decode->not_told)
		ear_not_told_apply(decode->not_told, &decode->decoder.record);
	int result = ear_unpacker_push(&decode->unpacker, record);

	if (result == 0 && decode->decoder.account.records >= decode->limit)
		return LIMIT_REACHED;
	return result;
}

static void show_progress(struct decode *decode)
{
	double now = cli_seconds();

	if (!cli_progress_wanted() || now - decode->last_progress < 0.2)
		return;
	decode->last_progress = now;
	int percent = input_percent(decode->input.fd, decode->input.size);
	if (percent >= 0)
		cli_progress("decoding: %d%%, %" PRIu64 " records", percent,
			decode->decoder.account.records);
	else
		cli_progress("decoding: %" PRIu64 " records", decode->decoder.account.records);
}

static void note_facts(struct decode *decode)
{
	char text[1024];

	if (ear_shot_reader_fact(decode->input.window.reader, "not_told", text, sizeof(text)) >= 0)
		decode->not_told = ear_not_told_parse(text);
}

static int take_script(struct decode *decode)
{
	struct ear_shot_script script = ear_shot_reader_script(decode->input.window.reader);

	if (decode->unpacking)
		return ear_unpacker_script(&decode->unpacker, script);
	free(script.bytes);
	return 0;
}

static int flush(struct decode *decode)
{
	int result = ear_unpacker_flush(&decode->unpacker);

	return result ? result : ear_text_output_flush(&decode->output);
}

/* The loop: window, decoder, and again. Returns 0, LIMIT_REACHED or an error that was not
 * printed yet, EAR_E_BAD_FILE for one that was.
 */
static int run(struct decode *decode)
{
	struct input *input = &decode->input;
	bool final = false, begun = false;

	while (!final && !cli_interrupted) {
		size_t used;
		if (!input_fill(input))
			return EAR_E_BAD_FILE;
		if (!begun)
			note_facts(decode);
		begun = true;
		final = input->window.final;
		int result = ear_decoder_push(&decode->decoder, &used,
			ear_window_bytes(&input->window), ear_window_size(&input->window), final);
		if (result)
			return result;
		ear_window_consume(&input->window, used);
		if (input->window.at_loss)
			ear_decoder_host_loss(&decode->decoder, input->window.loss_size);
		if (input->window.at_script)
			result = take_script(decode);
		if (result == 0 && input->size == 0)
			result = flush(decode);
		if (result)
			return result;
		show_progress(decode);
	}
	return 0;
}

static int finish(struct decode *decode, int result, bool quiet)
{
	int unpacked = ear_unpacker_flush(&decode->unpacker);
	int flushed = ear_text_output_finish(&decode->output);

	cli_progress_clear();
	if (flushed || result == EAR_E_IO) {
		/* A reader that has seen enough, such as head, is no failure of ours. */
		if (decode->output.error_number == EPIPE)
			return EAR_EXIT_DONE;
		cli_error("%s: %s", decode->output_name, strerror(decode->output.error_number));
		return EAR_EXIT_FAILED;
	}
	if (result >= 0 && unpacked)
		result = unpacked;
	if (decode->unpacker.bad_scripts)
		cli_warning("%s: a script is damaged: the text is not the one that was packed",
			decode->input.name);
	if (result < 0) {
		if (result == EAR_E_UNSUPPORTED)
			cli_error("%s: this format holds one hart in a file; 'earshot convert -o "
				  "NAME' "
				  "writes one for each",
				decode->output_name);
		else if (result != EAR_E_BAD_FILE)
			cli_error("%s: %s", decode->input.name, ear_error_text(result));
		return EAR_EXIT_FAILED;
	}
	if (cli_interrupted) {
		cli_error("interrupted: the text ends after %" PRIu64 " records",
			decode->decoder.account.records);
		return EAR_EXIT_FAILED;
	}
	if (result == LIMIT_REACHED)
		return EAR_EXIT_DONE;
	const struct ear_shot_reader *reader = decode->input.window.reader;
	const char *fault = ear_shot_reader_fault(reader);
	if (ear_shot_reader_is_shot(reader) && !ear_shot_reader_complete(reader) && !fault)
		fault = "the capture has no end: it was cut off, or is still running";
	return account_judge(&decode->decoder.account, decode->input.name, fault, quiet);
}

static int decode_file(
	struct decode *decode, const char *path, const struct ear_writer_format *format, bool quiet)
{
	bool to_stdout = strcmp(decode->output_name, "-") == 0;
	int status = EAR_EXIT_FAILED;

	if (!input_open(&decode->input, path))
		return EAR_EXIT_FAILED;
	int fd = to_stdout ? STDOUT_FILENO
			   : open(decode->output_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
				     0666);
	if (fd < 0) {
		cli_error("%s: %s", decode->output_name, strerror(errno));
		goto out_close_input;
	}
	if (to_stdout)
		decode->output_name = "standard output";

	decode->unpacking = strcmp(format->name, "whisper") == 0;
	ear_decoder_init(&decode->decoder, take_record, decode);
	enum ear_text_packing packing = ear_text_output_packing(decode->output_name);
	if (ear_text_output_init(&decode->output, fd, packing) != 0 ||
		!(decode->writer = format->make(&decode->output, NULL)) ||
		ear_unpacker_init(&decode->unpacker, &decode->output, decode->writer) != 0) {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
		goto out_fini;
	}
	cli_catch_signals(NULL);
	status = finish(decode, decode->limit ? run(decode) : LIMIT_REACHED, quiet);

out_fini:
	ear_unpacker_fini(&decode->unpacker);
	ear_writer_free(decode->writer);
	ear_text_output_fini(&decode->output);
	ear_decoder_fini(&decode->decoder);
	if (!to_stdout && close(fd) != 0 && status == EAR_EXIT_DONE) {
		cli_error("%s: %s", decode->output_name, strerror(errno));
		status = EAR_EXIT_FAILED;
	}
out_close_input:
	input_close(&decode->input);
	return status;
}

int cmd_decode(int argc, char **argv)
{
	static const struct option options[] = {
		{"format", required_argument, NULL, 'f'},
		{"output", required_argument, NULL, 'o'},
		{"limit", required_argument, NULL, 'l'},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	static struct decode decode = {.output_name = "-", .limit = UINT64_MAX};
	const struct ear_writer_format *format = NULL;
	bool quiet = false;
	int option;

	while ((option = getopt_long(argc, argv, "f:o:qh", options, NULL)) != -1) {
		switch (option) {
		case 'f':
			format = ear_writer_find(optarg);
			if (!format)
				return cli_usage("decode", "there is no text format '%s'", optarg);
			break;
		case 'o': decode.output_name = optarg; break;
		case 'l':
			if (!cli_parse_count(&decode.limit, optarg))
				return cli_usage("decode", "--limit: '%s' is no number", optarg);
			break;
		case 'q': quiet = true; break;
		case 'h': print_help(); return EAR_EXIT_DONE;
		default: return cli_usage("decode", "bad option");
		}
	}
	if (optind + 1 != argc)
		return cli_usage("decode", optind == argc ? "which file?" : "one file, please");
	if (quiet)
		cli_progress_disable();
	if (!format)
		format = ear_writer_find_by_path(decode.output_name);
	if (!format)
		format = ear_writer_find("whisper");
	return decode_file(&decode, argv[optind], format, quiet);
}
