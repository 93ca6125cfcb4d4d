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

#include "analyses/timeline/chrome_trace.h"
#include "analyses/timeline/perfetto_trace.h"
#include "analyses/waves/waves.h"
#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/input/analysis_input.h"
#include "cli/options/options.h"
#include "cli/output/outputs.h"

#define SLICES_MOST (1u << 28) /* of --max */

enum {
	OPTION_OUTPUT,
	OPTION_FORMAT,
	OPTION_FROM,
	OPTION_TO,
	OPTION_JOBS,
	OPTION_PART,
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
	TRACE_PARTS_OPTIONS(OPTION_FROM, OPTION_TO, OPTION_JOBS),
	TRACE_PARTS_PART_OPTION(OPTION_PART),
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
	struct analysis_input source;
	struct ear_timeline_options options; /* of it */
	const char *path;                    /* of the output */
	enum format format;
	bool quiet;
	int fd;
	int error_number; /* of the output */
	struct ear_byte_output output;
	/* While the records are read. */
	struct ear_waves *waves;
	bool looking; /* at which waves there are */
};

static bool take_option(void *context, const struct command_option *option, const char *argument)
{
	static const unsigned xlens[] = {32, 64};
	struct request *request = context;
	struct trace_input *input = &request->source.input;
	struct trace_parts *parts = &request->source.parts;
	struct ear_timeline_options *options = &request->options;
	uint64_t number;
	int word;

	switch (option->id) {
	case OPTION_OUTPUT: request->path = argument; return true;
	case OPTION_FORMAT:
		if (!option_word(&word, option, argument))
			return false;
		request->format = (enum format)word;
		return true;
	case OPTION_FROM: return trace_parts_take(parts, TRACE_PARTS_FROM, option, argument);
	case OPTION_TO: return trace_parts_take(parts, TRACE_PARTS_TO, option, argument);
	case OPTION_JOBS: return trace_parts_take(parts, TRACE_PARTS_JOBS, option, argument);
	case OPTION_PART: return trace_parts_take(parts, TRACE_PARTS_PART, option, argument);
	case OPTION_DEPTH:
		if (!option_number(&number, option, argument, 1, UINT32_MAX))
			return false;
		options->depth = (uint32_t)number;
		return true;
	case OPTION_LEAST:
		return option_number(&options->least, option, argument, 0, UINT64_MAX / 2);
	case OPTION_TASK: options->task = argument; return true;
	case OPTION_MOST:
		return option_number(&options->slices_max, option, argument, 1, SLICES_MOST);
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
static bool open_output(struct request *request, int count, char **paths)
{
	const struct symbol_file *symbols = &request->source.input.symbols;
	bool good = true;

	for (int i = 0; i < count && good; i++) {
		good = files_read("", paths[i]);
		if (good && access(paths[i], R_OK) != 0 && strcmp(paths[i], "-") != 0) {
			/* No empty file for a trace that is not there. */
			cli_error("%s: %s", paths[i], strerror(errno));
			good = false;
		}
	}
	good = good && (!symbols->elf || files_read("--elf", symbols->elf)) &&
	       files_write("-o", request->path);
	request->fd = good ? outputs_open_file(request->path) : -1;
	return request->fd >= 0;
}

static bool fail_output(const struct request *request)
{
	cli_progress_clear();
	cli_error("%s: %s", strcmp(request->path, "-") == 0 ? "standard output" : request->path,
		strerror(request->error_number));
	return false;
}

/* ---- Waves. ---- */

static int begin_waves(void *context, unsigned part, struct ear_moment *moment,
	const struct ear_progress *progress)
{
	struct request *request = context;

	(void)part;
	(void)progress;
	if (moment && !request->looking)
		ear_waves_start(request->waves, moment);
	return 0;
}

static int take_waves(void *context, unsigned part, const struct ear_batch *batch)
{
	struct request *request = context;

	(void)part;
	return request->looking ? ear_waves_look(request->waves, batch)
				: ear_waves_batch(request->waves, batch);
}

/* The records of the range. Returns false after printing why not all of them were read. */
static bool read_waves(struct request *request)
{
	static const struct ear_part_work work = {.begin = begin_waves, .batch = take_waves};
	struct analysis_input *source = &request->source;

	return trace_parts_read(&source->parts, &source->input, &work, request) ||
	       (request->output.error && fail_output(request));
}

static bool interrupted(void)
{
	if (cli_interrupted)
		cli_warning("interrupted: the file has what came before");
	return cli_interrupted;
}

static void warn_of_waves(const struct request *request)
{
	const struct ear_waves_result result = ear_waves_result(request->waves);

	if (request->quiet)
		return;
	if (!request->source.input.names)
		cli_warning("there are no names of functions (--elf FILE)");
	if (!result.has_time && result.records > 0)
		cli_warning("the trace has no time: that of the waves is the number of the record");
	if (result.backwards > 0)
		cli_warning("%" PRIu64 " records have a time before that of the record before "
			    "them: they are shown at its time",
			result.backwards);
	if (result.left_out > 0)
		cli_warning("%" PRIu64
			    " accesses and registers have no wave: long values, and more than "
			    "%u accesses of one instruction",
			result.left_out, EAR_WAVES_ACCESSES_MAX);
}

static bool write_waves(struct request *request)
{
	const struct trace_input *input = &request->source.input;
	struct ear_trace_facts facts = {.size = sizeof(facts)};

	if (ear_trace_facts(input->trace, &facts) == 0 && !facts.seekable) {
		cli_error("%s: waves need a file, which can be read twice",
			strcmp(input->path, "-") == 0 ? "standard input" : input->path);
		return false;
	}
	if (ear_waves_new(&request->waves, input->names) != 0) {
		cli_error("out of memory");
		return false;
	}
	request->looking = true;
	bool good = read_waves(request) && !interrupted();
	if (good) {
		request->looking = false;
		ear_waves_begin(request->waves, &request->output);
		good = read_waves(request);
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
	const struct ear_timeline_result result = ear_timeline_result(request->source.whole);

	if (request->quiet)
		return;
	if (!request->source.input.names)
		cli_warning("there are no names: functions are what calls entered (--elf FILE)");
	trace_input_warn_of_handlers(&request->source.input);
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

/* When all that can be read was: good says whether that is all that there is. */
static bool write_timeline(struct request *request, bool good)
{
	struct ear_timeline *timeline = request->source.whole;

	if (!timeline)
		return false;
	const char *title = ear_timeline_title(timeline);
	if (!title)
		title = ear_names_base(request->source.input.path);
	int result = ear_timeline_finish(timeline);
	if (result == 0)
		result = (request->format == FORMAT_JSON
				  ? ear_chrome_trace_write
				  : ear_perfetto_trace_write)(timeline, title, &request->output);
	if (result && request->output.error) {
		good = fail_output(request);
	} else if (result) {
		cli_error("%s", ear_error_text(result));
		good = false;
	}
	good = !interrupted() && good;
	warn_of_timeline(request);
	return good;
}

/* ---- What is read, and written. ---- */

static bool count_part(struct analysis_input *source, FILE *file)
{
	if (!analysis_input_count(source) || cli_interrupted)
		return false;
	ear_timeline_set_title(source->part, ear_names_base(source->input.path));
	return analysis_input_write_part(source, file);
}

static bool write_part(struct request *request)
{
	FILE *file = fdopen(request->fd, "w");

	if (!file) {
		cli_error("out of memory");
		return false;
	}
	bool good = count_part(&request->source, file);
	errno = 0;
	const bool written = !ferror(file) && fflush(file) == 0;
	request->error_number = errno ? errno : EIO;
	if (request->fd != STDOUT_FILENO) {
		fclose(file);
		request->fd = STDOUT_FILENO; /* it is closed */
	}
	return good && (written || fail_output(request));
}

static bool write_trace(struct request *request)
{
	struct analysis_input *source = &request->source;

	if (!trace_input_open(&source->input))
		return false;
	source->parts.in_order = request->format == FORMAT_VCD;
	source->parts.plan.queue = true;
	if (source->parts.part > 0)
		return write_part(request);
	if (request->format == FORMAT_VCD)
		return trace_parts_plan(&source->parts, &source->input) && write_waves(request);
	return write_timeline(request, analysis_input_count(source));
}

static bool take_names(struct analysis_input *source)
{
	struct request *request = source->context;

	request->options.names = source->input.names;
	return true;
}

/* Does a part have what the heap's functions did, if the whole follows them? */
static bool takes_part(const struct analysis_input *source, const char *path, const char *options)
{
	char own[EAR_PART_WORD_MAX];

	ear_timeline_analysis.describe(source->whole, own);
	if (!ear_timeline_has_heap(source->whole) || strcmp(options, own) == 0)
		return true;
	cli_error("%s: it was made without the names of %s: make the parts with --elf, too", path,
		source->input.symbols.elf ? source->input.symbols.elf : source->program);
	return false;
}

static bool write_files(struct request *request, int count, char **paths)
{
	struct analysis_input *source = &request->source;

	source->quiet = request->quiet;
	return analysis_input_read(source, paths, count) && write_timeline(request, true);
}

static int run_timeline(struct request *request, int count, char **paths, bool of_parts)
{
	if (!open_output(request, count, paths))
		return EAR_EXIT_FAILED;
	request->output = (struct ear_byte_output){.write = write_file, .context = request};
	if (ear_byte_output_begin(&request->output) != 0) {
		cli_error("out of memory");
		return EAR_EXIT_FAILED;
	}
	request->source.input.path = paths[0];
	bool good = of_parts ? write_files(request, count, paths) : write_trace(request);
	ear_byte_output_end(&request->output);
	if (request->fd != STDOUT_FILENO && close(request->fd) != 0 && good) {
		request->error_number = errno;
		good = fail_output(request);
	}
	return good ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

/* What does not go together: the reason, or NULL. */
static const char *check_options(struct request *request, bool of_parts)
{
	const struct ear_timeline_options *options = &request->options;
	const struct trace_parts *parts = &request->source.parts;

	if (parts->part > 0 && request->format != FORMAT_NONE)
		return "--part has no format: that is said when the parts are put together";
	if (parts->part > 0 &&
		(options->slices_max || options->least || options->depth || options->task))
		return "--part is of all that happens: what is shown of it is said when the parts "
		       "are put together";
	if (parts->part == 0 && !choose_format(request))
		return "which format? (-f FORMAT, or a name that ends with it, as t.json)";
	if (of_parts && request->format == FORMAT_VCD)
		return "waves need the trace, parts have not what they show";
	return NULL;
}

static int run(int argc, char **argv)
{
	struct request request = {
		.source = ANALYSIS_INPUT_DEFAULTS, .format = FORMAT_NONE, .fd = -1};
	const struct trace_parts *parts = &request.source.parts;
	const char *wrong;
	int status;

	request.source.analysis = &ear_timeline_analysis;
	request.source.options = &request.options;
	request.source.context = &request;
	request.source.named = take_names;
	request.source.takes = takes_part;
	int first = options_parse(&cmd_timeline, argc, argv, take_option, &request, &status);
	const bool of_parts = first >= 0 && first < argc && part_file_is_one(argv[first]);
	if (first >= 0 && (first == argc || (first + 1 != argc && !of_parts))) {
		status =
			cli_usage("timeline", first == argc ? "which trace?" : "one trace, please");
	} else if (first >= 0 && !request.path) {
		status = cli_usage("timeline", "where to? (-o FILE)");
	} else if (first >= 0 && (wrong = check_options(&request, of_parts))) {
		status = cli_usage("timeline", "%s", wrong);
	} else if (first >= 0) {
		const bool in_order = parts->plan.jobs == 1 || request.format == FORMAT_VCD;
		if (!parts->from && !parts->to && in_order && parts->part == 0)
			request.source.input.options.index = EAR_INDEX_NONE;
		status = run_timeline(&request, argc - first, argv + first, of_parts);
	}
	analysis_input_close(&request.source);
	return status;
}

const struct command cmd_timeline = {
	.name = "timeline",
	.arguments = "[OPTION]... FILE... -o OUTPUT",
	.summary = "show a run over time, in viewers",
	.about = "Write what happened in FILE, a capture or a trace of any format, over time: as a "
		 "file for the viewers that people use.",
	.options = table,
	.notes =
		"Time is that of the records, in clocks of the core, where they have one (`capture "
		"--time record`), else their number. Waves are written in the order of the records: "
		"of several threads one reads ahead of the other then.",
	.exit_status = "0 done, 2 the trace could not be read to its end: the file has what came "
		       "before.",
	.run = run,
};
