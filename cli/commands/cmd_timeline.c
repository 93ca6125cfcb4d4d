/* 'earshot timeline': a run over time, for viewers. The analyses make the files; here is what is
 * read, and where it goes.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <earshot/error.h>

#include "analyses/waves.h"
#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/input/trace_input.h"
#include "cli/options/options.h"
#include "cli/output/outputs.h"

enum {
	OPTION_OUTPUT,
	OPTION_FORMAT,
	OPTION_FROM,
	OPTION_TO,
	OPTION_ELF,
	OPTION_ELF_ANYWAY,
	OPTION_INPUT_FORMAT,
	OPTION_XLEN,
	OPTION_QUIET,
};

enum format { FORMAT_VCD, FORMAT_NONE };

static const struct command_option table[] = {
	{"output", 'o', OPTION_OUTPUT, "FILE", VALUES_FILES,
		.text = "Write to FILE; `-` is standard output. The end of its name says the format."},
	{"format", 'f', OPTION_FORMAT, "FORMAT", VALUES_WORDS, "vcd",
		.text = "`vcd`: registers, pc, function and accesses as waves, for GTKWave and Surfer."},
	{"from", 0, OPTION_FROM, "N", .text = "Begin with instruction N of FILE (default 0)."},
	{"to", 0, OPTION_TO, "N", .text = "End with instruction N."},
	{"elf", 0, OPTION_ELF, "FILE[@OFFSET]", VALUES_FILES,
		.text = "Take names from FILE (default: the program that the capture file names, if it "
			"has not changed); repeat for more."},
	{"elf-anyway", 0, OPTION_ELF_ANYWAY,
		.text = "Use --elf even if FILE is not the program that was traced."},
	{"input-format", 'i', OPTION_INPUT_FORMAT, "FORMAT", VALUES_READ_FORMATS,
		.text = "Format of FILE (default: detected from its contents)."},
	{"xlen", 0, OPTION_XLEN, "N", VALUES_WORDS, "32 64",
		.text = "32 or 64, for a text (default: detected from its beginning)."},
	{"quiet", 'q', OPTION_QUIET, .text = "No progress line, and no warnings."},
	{0},
};

struct request {
	struct trace_input input;
	const char *path; /* of the output */
	enum format format;
	uint64_t from, to;
	bool quiet;
	int fd;
	int error_number; /* of the output */
	struct ear_byte_output output;
	uint64_t position; /* after the last record that was read */
	double last_progress;
};

static bool take_option(void *context, const struct command_option *option, const char *argument)
{
	static const unsigned xlens[] = {32, 64};
	struct request *request = context;
	struct trace_input *input = &request->input;
	int word;

	switch (option->id) {
	case OPTION_OUTPUT: request->path = argument; return true;
	case OPTION_FORMAT:
		if (!option_word(&word, option, argument))
			return false;
		request->format = (enum format)word;
		return true;
	case OPTION_FROM: return option_number(&request->from, option, argument, 0, UINT64_MAX);
	case OPTION_TO: return option_number(&request->to, option, argument, 0, UINT64_MAX);
	case OPTION_ELF: return symbol_file_take(&input->symbols, option->name, argument);
	case OPTION_ELF_ANYWAY: input->symbols.anyway = true; return true;
	case OPTION_INPUT_FORMAT: input->options.format = argument; return true;
	case OPTION_XLEN:
		if (!option_word(&word, option, argument))
			return false;
		input->options.xlen = xlens[word];
		return true;
	case OPTION_QUIET:
		request->quiet = true;
		cli_progress_disable();
		return true;
	}
	return false;
}

/* ---- The output. ---- */

static int write_file(void *context, const void *bytes, size_t size)
{
	struct request *request = context;
	const char *from = bytes;

	while (size > 0) {
		ssize_t count = write(request->fd, from, size);
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0) {
			request->error_number = errno;
			return EAR_E_IO;
		}
		from += count;
		size -= (size_t)count;
	}
	return 0;
}

static bool choose_format(struct request *request)
{
	static const struct {
		const char *ending;
		enum format format;
	} endings[] = {{".vcd", FORMAT_VCD}};
	const size_t length = strlen(request->path);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		const size_t size = strlen(endings[i].ending);
		if (request->format == FORMAT_NONE && length >= size &&
			strcmp(request->path + length - size, endings[i].ending) == 0)
			request->format = endings[i].format;
	}
	return request->format != FORMAT_NONE;
}

/* Before the trace, which takes the right to open files away; so the files are compared here. */
static bool open_output(struct request *request)
{
	const struct symbol_file *symbols = &request->input.symbols;
	bool good = files_read("", request->input.path) &&
		    (!symbols->elf || files_read("--elf", symbols->elf)) &&
		    files_write("-o", request->path);

	if (!good)
		return false;
	if (access(request->input.path, R_OK) != 0 && strcmp(request->input.path, "-") != 0) {
		/* No empty file for a trace that is not there. */
		cli_error("%s: %s", request->input.path, strerror(errno));
		return false;
	}
	request->fd = outputs_open_file(request->path);
	return request->fd >= 0;
}

static bool fail_output(const struct request *request)
{
	cli_progress_clear();
	cli_error("%s: %s", strcmp(request->path, "-") == 0 ? "standard output" : request->path,
		strerror(request->error_number));
	return false;
}

/* ---- Reading. ---- */

typedef int take_batch(void *context, const struct ear_batch *batch);

/* The records of the range. Returns false after printing why not all of them were read. */
static bool read_range(struct request *request, take_batch *take, void *context)
{
	struct ear_batch batch = {.size = sizeof(batch)};
	int result;

	while ((result = ear_trace_next_batch(request->input.trace, &batch)) == 1 &&
		batch.number <= request->to && !cli_interrupted) {
		struct ear_batch part = batch;
		if (part.count - 1 > request->to - part.number)
			part.count = (size_t)(request->to - part.number) + 1;
		int taken = take(context, &part);
		if (taken && request->output.error)
			return fail_output(request);
		if (taken) {
			cli_error("%s: %s", request->input.path, ear_error_text(taken));
			return false;
		}
		request->position = batch.position + part.count;
		if (cli_progress_due(&request->last_progress))
			cli_progress("%" PRIu64 " records", request->position);
	}
	cli_progress_clear();
	if (result < 0)
		trace_input_fail(&request->input);
	return result >= 0;
}

static bool go_to_begin(struct request *request)
{
	const int found = request->from ? ear_trace_seek_number(request->input.trace, request->from,
						  &request->input.progress)
					: ear_trace_seek(request->input.trace, 0, NULL);

	if (found < 0)
		trace_input_fail(&request->input);
	else if (found == 0 && request->from)
		cli_error(
			"%s: there is no instruction %" PRIu64, request->input.path, request->from);
	return found == 1 || (found == 0 && request->from == 0);
}

static bool interrupted(void)
{
	if (cli_interrupted)
		cli_warning("interrupted: the file has what came before");
	return cli_interrupted;
}

/* ---- Waves. ---- */

static int look(void *context, const struct ear_batch *batch)
{
	return ear_waves_look(context, batch);
}

static int show(void *context, const struct ear_batch *batch)
{
	return ear_waves_batch(context, batch);
}

static void warn_of_waves(const struct request *request, const struct ear_waves *waves)
{
	const struct ear_waves_result result = ear_waves_result(waves);

	if (request->quiet)
		return;
	if (!request->input.names)
		cli_warning("there are no names of functions (--elf FILE)");
	if (!result.has_time && result.records > 0)
		cli_warning("the trace has no time: that of the waves is the number of the record");
	if (result.backwards > 0)
		cli_warning("%" PRIu64 " records have a time before that of the record before "
			    "them: they are shown at its time",
			result.backwards);
	if (result.left_out > 0)
		cli_warning("%" PRIu64
			    " accesses and registers have no wave: vectors, long values, and more "
			    "than %u accesses of one instruction",
			result.left_out, EAR_WAVES_ACCESSES_MAX);
}

static bool write_waves(struct request *request)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	struct ear_waves *waves;

	if (ear_trace_facts(request->input.trace, &facts) == 0 && !facts.seekable) {
		cli_error("%s: waves need a file, which can be read twice",
			strcmp(request->input.path, "-") == 0 ? "standard input"
							      : request->input.path);
		return false;
	}
	if (ear_waves_new(&waves, request->input.names) != 0) {
		cli_error("out of memory");
		return false;
	}
	bool good = go_to_begin(request) && read_range(request, look, waves) && !interrupted() &&
		    go_to_begin(request);
	if (good) {
		ear_waves_begin(waves, &request->output);
		good = read_range(request, show, waves);
		if (ear_waves_finish(waves) != 0 && good)
			good = fail_output(request);
		good = !interrupted() && good;
		warn_of_waves(request, waves);
	}
	ear_waves_free(waves);
	return good;
}

static int run_timeline(struct request *request)
{
	if (!open_output(request) || !trace_input_open(&request->input))
		return EAR_EXIT_FAILED;
	request->output = (struct ear_byte_output){.write = write_file, .context = request};
	if (ear_byte_output_begin(&request->output) != 0) {
		cli_error("out of memory");
		return EAR_EXIT_FAILED;
	}
	bool good = write_waves(request);
	ear_byte_output_end(&request->output);
	if (request->fd != STDOUT_FILENO && close(request->fd) != 0 && good) {
		request->error_number = errno;
		good = fail_output(request);
	}
	return good ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

static int run(int argc, char **argv)
{
	struct request request = {
		.input = TRACE_INPUT_DEFAULTS, .format = FORMAT_NONE, .to = UINT64_MAX, .fd = -1};
	int status;

	request.input.options.index = EAR_INDEX_NONE;
	int first = options_parse(&cmd_timeline, argc, argv, take_option, &request, &status);
	if (first < 0)
		return status;
	request.input.path = first < argc ? argv[first] : NULL;
	if (first + 1 != argc)
		return cli_usage("timeline", first == argc ? "which trace?" : "one trace, please");
	if (!request.path)
		return cli_usage("timeline", "where to? (-o FILE)");
	if (!choose_format(&request))
		return cli_usage("timeline",
			"which format? (-f FORMAT, or a name that ends with it, as t.vcd)");
	if (request.to < request.from)
		return cli_usage("timeline", "--to is before --from");
	status = run_timeline(&request);
	trace_input_close(&request.input);
	return status;
}

const struct command cmd_timeline = {
	.name = "timeline",
	.arguments = "[OPTION]... FILE -o OUTPUT",
	.summary = "show a run over time, in viewers",
	.about = "Write what happened in FILE, a capture or a trace of any format, over time: as a "
		 "file for the viewers that people use.",
	.options = table,
	.notes = "Time is that of the records, in clocks of the core, where all of them have one "
		 "(`capture --time record`), else their number.",
	.exit_status = "0 done, 2 the trace could not be read to its end: the file has what came "
		       "before.",
	.run = run,
};
