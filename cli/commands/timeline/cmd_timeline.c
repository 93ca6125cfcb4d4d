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
#include "analyses/timeline/columns_trace.h"
#include "analyses/timeline/perfetto_trace.h"
#include "analyses/waves/waves.h"
#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/input/analysis_command.h"
#include "cli/options/options.h"

#define SLICES_MOST (1u << 28) /* of --limit */

enum format { FORMAT_JSON, FORMAT_PERFETTO, FORMAT_VCD, FORMAT_COLUMNS, FORMAT_NONE };

struct request {
	struct analysis_input source;
	struct ear_timeline_options options; /* of it */
	const char *path;                    /* of the output */
	enum format format;
	int fd;
	int error_number; /* of the output */
	struct ear_byte_output output;
	/* While the records are read. */
	struct ear_waves *waves;
	bool looking; /* at which waves there are */
};

static const struct command_option table[] = {
	{"output", 'o', "FILE", VALUES_FILES,
		.text = "Write to FILE; `-` is standard output. The end of its name says the format.",
		OPTION_VALUE(struct request, path)},
	{"format", 'f', "FORMAT", VALUES_WORDS, "json pftrace vcd columns",
		.text = "`json` or `pftrace`: calls, handlers, tasks and events, for Perfetto; `vcd`: "
			"registers, pc, function and accesses as waves, for GTKWave and Surfer; "
			"`columns`: as `json`, for the page of `report`.",
		OPTION_VALUE(struct request, format)},
	{"depth", 0, "N", .text = "Show calls down to depth N of each stack.",
		OPTION_VALUE(struct request, options.depth), .min = 1, .max = UINT32_MAX},
	{"min", 0, "N",
		.text = "Show what lasts N units of time or longer; the rest is counted in what it was "
			"in.",
		OPTION_VALUE(struct request, options.least), .max = UINT64_MAX / 2},
	{"task", 0, "TASK",
		.text = "Show the calls of this task only: its number, or its name as the trace says it.",
		OPTION_VALUE(struct request, options.task)},
	{"limit", 'n', "N",
		.text = "Show N slices at most (default 2 Mi): of more, the shortest are counted in what "
			"they were in.",
		OPTION_VALUE(struct request, options.slices_max), .min = 1, .max = SLICES_MOST},
	{"max", .means = "limit"},
	OPTION_GROUP(trace_parts_options, struct request, source.parts),
	OPTION_GROUP(symbol_file_options, struct request, source.input.symbols),
	OPTION_GROUP(trace_input_options, struct request, source.input),
	{0},
};

/* ---- The output. ---- */

static int write_file(void *context, const void *bytes, size_t size)
{
	struct request *request = context;
	const char *from = bytes;

	files_begin();
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

static bool open_output(void *context)
{
	struct request *request = context;

	request->fd = files_write("-o", request->path) ? files_open(request->path) : -1;
	if (request->fd < 0)
		return false;
	request->output = (struct ear_byte_output){.write = write_file, .context = request};
	if (ear_byte_output_begin(&request->output) == 0)
		return true;
	cli_error("out of memory");
	return false;
}

/* Returns true if whoever reads standard output has seen enough and left, which is no failure. */
static bool fail_output(const struct request *request)
{
	const bool is_pipe = strcmp(request->path, "-") == 0;

	cli_progress_clear();
	if (is_pipe && request->error_number == EPIPE)
		return true;
	cli_error("%s: %s", is_pipe ? "standard output" : request->path,
		strerror(request->error_number));
	return false;
}

static int close_output(struct request *request, bool good)
{
	ear_byte_output_end(&request->output);
	if (request->fd != STDOUT_FILENO && close(request->fd) != 0 && good) {
		request->error_number = errno;
		good = fail_output(request);
	}
	return good ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
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
	const int result = request->looking ? ear_waves_look(request->waves, batch)
					    : ear_waves_batch(request->waves, batch);
	return request->output.error ? EAR_E_CANCELLED : result; /* it is said of the output */
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

	if (request->source.input.quiet)
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
	const struct ear_part_plan *plan = &request->source.parts.plan;
	const uint64_t from = plan->begins[0], to = plan->begins[plan->count];
	request->looking = true;
	bool good = read_waves(request) && !interrupted();
	if (good) {
		request->looking = false;
		ear_waves_begin(request->waves, &request->output);
		good = read_waves(request);
		if (ear_waves_finish(request->waves) != 0 && good)
			good = fail_output(request);
		good = !interrupted() && good;
		if (good)
			trace_input_judge(&request->source.input, from, to);
		warn_of_waves(request);
	}
	ear_waves_free(request->waves);
	return good;
}

/* ---- Slices. ---- */

static void warn_of_timeline(const struct request *request)
{
	const struct ear_timeline_result result = ear_timeline_result(request->source.whole);

	if (request->source.input.quiet)
		return;
	if (!request->source.input.names)
		cli_warning("there are no names: functions are what calls entered (--elf FILE)");
	trace_input_warn_of_handlers(&request->source.input);
	/* Columns have their unit. */
	if (!result.has_time && result.records > 0 && request->format != FORMAT_COLUMNS)
		cli_warning("the trace has no time: 1 ns is one instruction record");
	if (result.least > request->options.least)
		cli_warning("of more than --limit slices those are shown that last %" PRIu64
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

static int write_slices(struct request *request, const char *title, const char *verdict)
{
	struct ear_timeline *timeline = request->source.whole;

	switch (request->format) {
	case FORMAT_JSON: return ear_chrome_trace_write(timeline, title, verdict, &request->output);
	case FORMAT_COLUMNS: return ear_columns_trace_write(timeline, verdict, &request->output);
	default: return ear_perfetto_trace_write(timeline, title, &request->output);
	}
}

static int show(void *context, bool good)
{
	struct request *request = context;
	struct ear_timeline *timeline = request->source.whole;

	if (!timeline) /* waves are written, or nothing */
		return close_output(request, good);
	const char *title = ear_timeline_title(timeline);
	if (!title)
		title = ear_names_base(request->source.input.path);
	int result = write_slices(request, title, verdict_members(&request->source.input.verdict));
	if (result && request->output.error) {
		good = fail_output(request);
	} else if (result) {
		cli_error("%s", ear_error_text(result));
		good = false;
	}
	good = !interrupted() && good;
	warn_of_timeline(request);
	return close_output(request, good);
}

/* ---- What is read, and written. ---- */

static bool write_part(struct request *request)
{
	FILE *file = fdopen(request->fd, "w");

	if (!file) {
		cli_error("out of memory");
		return false;
	}
	ear_timeline_set_title(request->source.part, ear_names_base(request->source.input.path));
	const bool good = analysis_input_write_part(&request->source, file);
	errno = 0;
	const bool written = !ferror(file) && fflush(file) == 0;
	request->error_number = errno ? errno : EIO;
	if (request->fd != STDOUT_FILENO) {
		fclose(file);
		request->fd = STDOUT_FILENO; /* it is closed */
	}
	return good && (written || fail_output(request));
}

static int show_part(void *request, bool good)
{
	return close_output(request, good && write_part(request));
}

static bool read_all(void *context, char **paths, int count)
{
	struct request *request = context;
	struct analysis_input *source = &request->source;

	if (request->format == FORMAT_VCD)
		return trace_input_open(&source->input) &&
		       trace_parts_plan(&source->parts, &source->input) && write_waves(request);
	return analysis_input_read(source, paths, count);
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
		source->input.symbols.elf ? source->input.symbols.elf
					  : source->input.symbols.program);
	return false;
}

/* What does not go together: the reason, or NULL. */
static const char *check(void *context, bool of_parts)
{
	struct request *request = context;
	const struct ear_timeline_options *options = &request->options;
	struct trace_parts *parts = &request->source.parts;

	if (!request->path)
		return "where to? (-o FILE)";
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
	parts->in_order = request->format == FORMAT_VCD;
	parts->plan.queue = true;
	return NULL;
}

static int run(int argc, char **argv)
{
	struct request request = {
		.source = ANALYSIS_INPUT_DEFAULTS, .format = FORMAT_NONE, .fd = -1};
	const struct analysis_command counting = {&cmd_timeline, &request, &request.source, false,
		check, open_output, read_all, show, show_part};

	request.source.analysis = &ear_timeline_analysis;
	request.source.options = &request.options;
	request.source.context = &request;
	request.source.named = take_names;
	request.source.takes = takes_part;
	const int status = analysis_command_run(&counting, argc, argv);
	ear_byte_output_end(&request.output); /* if nothing was shown */
	return status;
}

const struct command cmd_timeline = {
	.name = "timeline",
	.arguments = "[OPTION]... FILE... -o OUTPUT",
	.summary = "calls, tasks and registers over time, for Perfetto and GTKWave",
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
