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

#include "analyses/chrome_trace.h"
#include "analyses/perfetto_trace.h"
#include "analyses/timeline.h"
#include "analyses/waves.h"
#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/input/trace_input.h"
#include "cli/input/trace_parts.h"
#include "cli/options/options.h"
#include "cli/output/outputs.h"

#define SLICES_MOST (1u << 28) /* of --max */

enum {
	OPTION_OUTPUT,
	OPTION_FORMAT,
	OPTION_FROM,
	OPTION_TO,
	OPTION_JOBS,
	OPTION_DEPTH,
	OPTION_LEAST,
	OPTION_TASK,
	OPTION_MOST,
	OPTION_ELF,
	OPTION_ELF_ANYWAY,
	OPTION_INPUT_FORMAT,
	OPTION_XLEN,
	OPTION_QUIET,
};

enum format { FORMAT_JSON, FORMAT_PERFETTO, FORMAT_VCD, FORMAT_NONE };

static const struct command_option table[] = {
	{"output", 'o', OPTION_OUTPUT, "FILE", VALUES_FILES,
		.text = "Write to FILE; `-` is standard output. The end of its name says the format."},
	{"format", 'f', OPTION_FORMAT, "FORMAT", VALUES_WORDS, "json pftrace vcd",
		.text = "`json` or `pftrace`: calls, handlers, tasks and events, for Perfetto; `vcd`: "
			"registers, pc, function and accesses as waves, for GTKWave and Surfer."},
	TRACE_PARTS_ORDER_OPTIONS(OPTION_FROM, OPTION_TO, OPTION_JOBS),
	{"depth", 0, OPTION_DEPTH, "N", .text = "Show calls down to depth N of each stack."},
	{"min", 0, OPTION_LEAST, "N",
		.text = "Show what lasts N units of time or longer; the rest is counted in what it was "
			"in."},
	{"task", 0, OPTION_TASK, "TASK",
		.text = "Show the calls of this task only: its number, or its name as the trace says it."},
	{"max", 0, OPTION_MOST, "N",
		.text = "Show N slices at most (default 2 Mi): of more, the shortest are counted in what "
			"they were in."},
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
	struct trace_parts parts;
	struct ear_timeline_options options;
	bool quiet;
	int fd;
	int error_number; /* of the output */
	struct ear_byte_output output;
	/* While the records are read. */
	struct ear_waves *waves;
	struct ear_timeline *timeline;
	bool looking; /* at which waves there are */
};

static bool take_option(void *context, const struct command_option *option, const char *argument)
{
	static const unsigned xlens[] = {32, 64};
	struct request *request = context;
	struct trace_input *input = &request->input;
	uint64_t number;
	int word;

	switch (option->id) {
	case OPTION_OUTPUT: request->path = argument; return true;
	case OPTION_FORMAT:
		if (!option_word(&word, option, argument))
			return false;
		request->format = (enum format)word;
		return true;
	case OPTION_FROM:
		return trace_parts_take(&request->parts, TRACE_PARTS_FROM, option, argument);
	case OPTION_JOBS:
		return trace_parts_take(&request->parts, TRACE_PARTS_JOBS, option, argument);
	case OPTION_TO: return trace_parts_take(&request->parts, TRACE_PARTS_TO, option, argument);
	case OPTION_DEPTH:
		if (!option_number(&number, option, argument, 1, UINT32_MAX))
			return false;
		request->options.depth = (uint32_t)number;
		return true;
	case OPTION_LEAST:
		return option_number(&request->options.least, option, argument, 0, UINT64_MAX / 2);
	case OPTION_TASK: request->options.task = argument; return true;
	case OPTION_MOST:
		return option_number(
			&request->options.slices_max, option, argument, 1, SLICES_MOST);
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
	} endings[] = {{".json", FORMAT_JSON}, {".pftrace", FORMAT_PERFETTO},
		{".perfetto-trace", FORMAT_PERFETTO}, {".vcd", FORMAT_VCD}};
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

static int begin_part(void *context, unsigned part, struct ear_moment *moment,
	const struct ear_progress *progress)
{
	struct request *request = context;

	(void)part;
	if (moment && request->timeline)
		return ear_timeline_start(request->timeline, moment, progress);
	if (moment && !request->looking)
		ear_waves_start(request->waves, moment);
	return 0;
}

static int take_part(void *context, unsigned part, const struct ear_batch *batch)
{
	struct request *request = context;

	(void)part;
	if (request->timeline)
		return ear_timeline_batch(request->timeline, batch);
	return request->looking ? ear_waves_look(request->waves, batch)
				: ear_waves_batch(request->waves, batch);
}

/* The records of the range. Returns false after printing why not all of them were read. */
static bool read_range(struct request *request)
{
	static const struct trace_parts_work work = {begin_part, take_part, NULL};

	return trace_parts_read(&request->parts, &request->input, &work, request) ||
	       (request->output.error && fail_output(request));
}

static bool interrupted(void)
{
	if (cli_interrupted)
		cli_warning("interrupted: the file has what came before");
	return cli_interrupted;
}

/* ---- Waves. ---- */

static void warn_of_waves(const struct request *request)
{
	const struct ear_waves_result result = ear_waves_result(request->waves);

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

	if (ear_trace_facts(request->input.trace, &facts) == 0 && !facts.seekable) {
		cli_error("%s: waves need a file, which can be read twice",
			strcmp(request->input.path, "-") == 0 ? "standard input"
							      : request->input.path);
		return false;
	}
	if (ear_waves_new(&request->waves, request->input.names) != 0) {
		cli_error("out of memory");
		return false;
	}
	request->looking = true;
	bool good = read_range(request) && !interrupted();
	if (good) {
		request->looking = false;
		ear_waves_begin(request->waves, &request->output);
		good = read_range(request);
		if (ear_waves_finish(request->waves) != 0 && good)
			good = fail_output(request);
		good = !interrupted() && good;
		warn_of_waves(request);
	}
	ear_waves_free(request->waves);
	return good;
}

/* ---- Slices. ---- */

static void warn_of_timeline(const struct request *request)
{
	const struct ear_timeline_result result = ear_timeline_result(request->timeline);

	if (request->quiet)
		return;
	if (!request->input.names)
		cli_warning("there are no names: functions are what calls entered (--elf FILE)");
	if (!result.has_time && result.records > 0)
		cli_warning("the trace has no time: 1 ns is one instruction record");
	if (result.least > request->options.least)
		cli_warning("of more than --max slices those are shown that last %" PRIu64
			    " or longer: %" PRIu64 "; %" PRIu64 " are counted in what they were in",
			result.least, result.slices, result.merged);
	if (result.instants_left_out > 0)
		cli_warning("%" PRIu64 " traps, interrupts and events are left out",
			result.instants_left_out);
	if (result.gaps > 0)
		cli_warning("there are gaps, %" PRIu64 ": calls end there", result.gaps);
	if (result.backwards > 0)
		cli_warning("%" PRIu64 " records have a time before that of the record before "
			    "them: they are shown at its time",
			result.backwards);
	if (result.pathless > 0)
		cli_warning("of %" PRIu64 " records no calls are known: they have no opcodes of "
			    "RISC-V",
			result.pathless);
}

static bool write_timeline(struct request *request)
{
	if (ear_timeline_new(&request->timeline, request->input.names, &request->options) != 0) {
		cli_error("out of memory");
		return false;
	}
	bool good = read_range(request);
	int result = ear_timeline_finish(request->timeline);
	if (result == 0)
		result = (request->format == FORMAT_JSON ? ear_chrome_trace_write
							 : ear_perfetto_trace_write)(
			request->timeline, ear_names_base(request->input.path), &request->output);
	if (result && request->output.error) {
		good = fail_output(request);
	} else if (result) {
		cli_error("%s", ear_error_text(result));
		good = false;
	}
	good = !interrupted() && good;
	warn_of_timeline(request);
	ear_timeline_free(request->timeline);
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
	request->parts.in_order = true;
	bool good =
		trace_parts_plan(&request->parts, &request->input) &&
		(request->format == FORMAT_VCD ? write_waves(request) : write_timeline(request));
	ear_byte_output_end(&request->output);
	if (request->fd != STDOUT_FILENO && close(request->fd) != 0 && good) {
		request->error_number = errno;
		good = fail_output(request);
	}
	return good ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

static int run(int argc, char **argv)
{
	struct request request = {.input = TRACE_INPUT_DEFAULTS,
		.parts = TRACE_PARTS_DEFAULTS,
		.format = FORMAT_NONE,
		.fd = -1};
	int status;

	int first = options_parse(&cmd_timeline, argc, argv, take_option, &request, &status);
	if (first >= 0 && first + 1 != argc) {
		status =
			cli_usage("timeline", first == argc ? "which trace?" : "one trace, please");
	} else if (first >= 0 && !request.path) {
		status = cli_usage("timeline", "where to? (-o FILE)");
	} else if (first >= 0 && !choose_format(&request)) {
		status = cli_usage("timeline",
			"which format? (-f FORMAT, or a name that ends with it, as t.json)");
	} else if (first >= 0) {
		request.input.path = argv[first];
		if (!request.parts.from && !request.parts.to)
			request.input.options.index = EAR_INDEX_NONE;
		status = run_timeline(&request);
	}
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
	.notes =
		"Time is that of the records, in clocks of the core, where they have one (`capture "
		"--time record`), else their number.",
	.exit_status = "0 done, 2 the trace could not be read to its end: the file has what came "
		       "before.",
	.run = run,
};
