/* 'earshot calls': the calls of a run in time. analyses/calls/call_log.h follows them; here is what
 * is read, and what of it is asked for.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/calls/call_log.h"
#include "analyses/calls/interrupts.h"
#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/commands/calls/calls_interrupts.h"
#include "cli/commands/calls/calls_show.h"
#include "cli/commands/calls/calls_sum.h"
#include "cli/commands/cmd.h"
#include "cli/input/analysis_input.h"
#include "cli/options/options.h"

#define FUNCTIONS_MAX 64
#define ENTRIES_MAX   1024
#define SAME_NAME_MAX 64
#define SECTIONS      10
#define ENOUGH        1 /* of take_call */

enum {
	OPTION_FUNCTION,
	OPTION_SUMMARY,
	OPTION_HISTOGRAM,
	OPTION_INTERRUPTS,
	OPTION_EVENT,
	OPTION_DEPTH,
	OPTION_FROM,
	OPTION_TO,
	OPTION_JOBS,
	OPTION_PART,
	OPTION_TASK,
	OPTION_EVENT_PORT,
	OPTION_LIMIT,
	OPTION_FORMAT,
	OPTION_ELF,
	OPTION_ELF_ANYWAY,
	OPTION_INPUT_FORMAT,
	OPTION_XLEN,
	OPTION_QUIET,
};

static const struct command_option table[] = {
	{"function", 0, OPTION_FUNCTION, "NAME",
		.text = "Print the calls of this function, a name or an address, with arguments and "
			"results; repeat for more."},
	{"summary", 0, OPTION_SUMMARY, .text = "Print how long the calls of each function took."},
	{"histogram", 0, OPTION_HISTOGRAM, "NAME",
		.text = "Print how many calls of this function took how long; repeat for more."},
	{"interrupts", 0, OPTION_INTERRUPTS,
		.text = "Print how long handlers took to begin and to end, by cause, and the longest "
			"sections in which interrupts were disabled."},
	{"event", 0, OPTION_EVENT, "EVENT",
		.text = "With --interrupts: also the time from the last event with this name, kind or "
			"source to the handler."},
	{"depth", 0, OPTION_DEPTH, "N",
		.text = "Leave out calls that are inside of N others or more."},
	TRACE_PARTS_OPTIONS(OPTION_FROM, OPTION_TO, OPTION_JOBS),
	TRACE_PARTS_PART_OPTION(OPTION_PART),
	TASK_BATCHES_OPTIONS(OPTION_TASK, OPTION_EVENT_PORT, "Show only the calls of TASK"),
	{"limit", 'n', OPTION_LIMIT, "N",
		.text = "Stop after N calls; with --summary: after N functions; with --interrupts: after N "
			"sections (default 10)."},
	{"format", 'f', OPTION_FORMAT, "FORMAT", VALUES_WORDS, "table csv json",
		.text = "`table` (default), `csv`, or `json`: an object a line."},
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
	struct ear_call_log_options options; /* of calls, */
	const char *event;                   /* of interrupts */
	pthread_mutex_t lock;                /* of names, if several threads ask for them */
	struct ear_call_sum *sum;            /* --summary, --histogram; else NULL */
	struct calls_show show;
	const char *functions[FUNCTIONS_MAX];
	size_t function_count;
	uint64_t entries[ENTRIES_MAX];
	uint64_t limit, printed;
	bool quiet, summary, histogram, wants_interrupts;
};

static bool take_function(
	struct request *request, const struct command_option *option, const char *argument)
{
	if (request->function_count == FUNCTIONS_MAX) {
		cli_error("--%s: at most %d", option->name, FUNCTIONS_MAX);
		return false;
	}
	request->functions[request->function_count++] = argument;
	return true;
}

static bool take_option(void *context, const struct command_option *option, const char *argument)
{
	static const unsigned xlens[] = {32, 64};
	struct request *request = context;
	struct trace_input *input = &request->source.input;
	struct trace_parts *parts = &request->source.parts;
	int word;

	switch (option->id) {
	case OPTION_FUNCTION: return take_function(request, option, argument);
	case OPTION_HISTOGRAM:
		request->histogram = true;
		return take_function(request, option, argument);
	case OPTION_SUMMARY: request->summary = true; return true;
	case OPTION_INTERRUPTS: request->wants_interrupts = true; return true;
	case OPTION_EVENT: request->event = argument; return true;
	case OPTION_DEPTH: {
		unsigned depth;
		bool good = option_unsigned(&depth, option, argument, 1, 1000000000);
		request->options.depth = good ? depth : 0;
		return good;
	}
	case OPTION_FROM: return trace_parts_take(parts, TRACE_PARTS_FROM, option, argument);
	case OPTION_TO: return trace_parts_take(parts, TRACE_PARTS_TO, option, argument);
	case OPTION_JOBS: return trace_parts_take(parts, TRACE_PARTS_JOBS, option, argument);
	case OPTION_PART: return trace_parts_take(parts, TRACE_PARTS_PART, option, argument);
	case OPTION_TASK: return task_batches_take_task(&request->source.tasks, argument);
	case OPTION_EVENT_PORT:
		return task_batches_take_port(&request->source.tasks, option, argument);
	case OPTION_LIMIT: return option_number(&request->limit, option, argument, 1, UINT64_MAX);
	case OPTION_FORMAT:
		if (!option_word(&word, option, argument))
			return false;
		request->show.format = (enum calls_format)word;
		return true;
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

/* ---- Functions by name. ---- */

static bool add_entry(struct request *request, const char *name, uint64_t entry)
{
	if (request->options.entry_count == ENTRIES_MAX) {
		cli_error("--function: '%s': these are too many functions", name);
		return false;
	}
	request->entries[request->options.entry_count++] = entry;
	return true;
}

static bool say_no_function(const struct request *request, const char *name)
{
	const char *near[1];

	if (!request->source.input.names)
		cli_error("--function: '%s' is not a number, and there are no names (--elf FILE)",
			name);
	else if (ear_names_suggest(request->source.input.names, name, near, 1) > 0)
		cli_error("--function: there is no function '%s'; did you mean %s?", name, near[0]);
	else
		cli_error("--function: there is no function '%s'", name);
	return false;
}

static bool find_function(struct request *request, const char *name)
{
	const struct ear_symbol *symbols[SAME_NAME_MAX];
	size_t count = request->source.input.names
			       ? ear_names_symbols_named(
					 request->source.input.names, name, symbols, SAME_NAME_MAX)
			       : 0;
	const size_t before = request->options.entry_count;
	uint64_t address;

	for (size_t i = 0; i < count && i < SAME_NAME_MAX; i++)
		if (symbols[i]->kind != EAR_NAMES_OBJECT &&
			!add_entry(request, name, symbols[i]->address))
			return false;
	if (request->options.entry_count > before)
		return true;
	if (!cli_parse_count(&address, name))
		return say_no_function(request, name);
	return add_entry(request, name, address);
}

static bool find_functions(struct request *request)
{
	for (size_t i = 0; i < request->function_count; i++)
		if (!find_function(request, request->functions[i]))
			return false;
	request->options.entries = request->entries;
	return true;
}

/* ---- Reading. ---- */

static int take_call(void *context, const struct ear_call_log_call *call)
{
	struct request *request = context;

	if (request->sum)
		return ear_call_sum_add(request->sum, call);
	pthread_mutex_t *lock = request->options.lock;
	if (lock)
		pthread_mutex_lock(lock);
	const bool shown = calls_show(&request->show, call);
	if (lock)
		pthread_mutex_unlock(lock);
	if (!shown)
		return EAR_E_NO_MEMORY;
	return ++request->printed == request->limit ? ENOUGH : 0;
}

/* What makes the list less than it seems. */
static void warn(const struct request *request)
{
	const struct ear_call_log_facts facts = ear_call_log_facts(request->source.whole);

	if (request->quiet)
		return;
	if (!request->source.input.names)
		cli_warning("there are no names: functions are what calls entered, and tail calls "
			    "are not seen (--elf FILE)");
	trace_input_warn_of_handlers(&request->source.input);
	if (facts.gaps > 0)
		cli_warning("there are gaps, %" PRIu64 ": when the calls that were active before "
			    "one ended is not known",
			facts.gaps);
	if (facts.pathless > 0)
		cli_warning("of %" PRIu64 " records no calls are known: they have no opcodes of "
			    "RISC-V",
			facts.pathless);
	if (request->show.arguments && ear_arguments_untyped(request->show.arguments))
		cli_warning("there are functions whose types are not known: their arguments are "
			    "registers");
}

static uint64_t records_of(const struct request *request)
{
	const void *whole = request->source.whole;

	if (!whole)
		return 0;
	return request->wants_interrupts ? ear_interrupts_facts(whole)->records
					 : ear_call_log_facts(whole).records;
}

/* All calls are taken. Returns false after printing why not; those of what came before were. */
static bool read_trace(struct request *request)
{
	struct analysis_input *source = &request->source;
	bool good = analysis_input_count(source) && !cli_interrupted;

	good = analysis_input_finish(source) && good;
	if (cli_interrupted)
		cli_warning("interrupted: this is of the first %" PRIu64 " records",
			records_of(request));
	return good;
}

static int show_interrupts(struct request *request, bool good)
{
	struct analysis_input *source = &request->source;

	if (!source->whole || (!good && records_of(request) == 0))
		return EAR_EXIT_FAILED;
	const uint64_t gaps = ear_interrupts_facts(source->whole)->gaps;
	request->show.names = source->input.names;
	calls_interrupts_show(&request->show, source->whole, request->event,
		request->limit ? request->limit : SECTIONS);
	if (!request->quiet)
		trace_input_warn_of_handlers(&source->input);
	if (gaps > 0 && !request->quiet)
		cli_warning("there are gaps, %" PRIu64 ": what was active before one is forgotten",
			gaps);
	return good ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

/* When the names are there: what is asked for of the calls. */
static bool begin_calls(struct request *request)
{
	struct analysis_input *source = &request->source;
	const struct ear_arguments_abi abi = calls_abi(source->input.names);
	const bool sums = request->summary || request->histogram;
	int result = 0;

	request->show.names = request->options.names = source->input.names;
	request->options.lock = source->parts.plan.jobs > 1 ? &request->lock : NULL;
	request->options.registers = request->function_count > 0 && !sums;
	request->options.by_end = sums;
	request->options.take = take_call;
	request->options.context = request;
	if (!find_functions(request))
		return false;
	if (sums)
		result = ear_call_sum_new(&request->sum);
	if (request->sum && request->function_count == 0 && !request->options.depth &&
		!source->tasks.task)
		request->options.sum = request->sum;
	if (!sums && request->function_count > 0)
		result = ear_arguments_new(&request->show.arguments, source->input.names, &abi);
	if (result != 0)
		cli_error("out of memory");
	return result == 0;
}

static int show_calls(struct request *request, bool good)
{
	struct analysis_input *source = &request->source;

	if (!source->whole)
		return EAR_EXIT_FAILED;
	if (!request->sum)
		calls_show_begin(&request->show);
	if (good && !task_batches_check(&source->tasks, source->input.path))
		return EAR_EXIT_FAILED;
	if (request->summary)
		good = calls_sum_show(&request->show, request->sum, request->limit) && good;
	else if (request->histogram)
		calls_histogram_show(&request->show, request->sum);
	warn(request);
	return good ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

/* Of interrupts nothing is asked for before they are shown. */
static bool take_names(struct analysis_input *source)
{
	struct request *request = source->context;

	return request->wants_interrupts || begin_calls(request);
}

/* Parts without names have no tail calls. */
static bool takes_part(const struct analysis_input *source, const char *path, const char *options)
{
	char named[EAR_PART_WORD_MAX] = "names", unnamed[EAR_PART_WORD_MAX] = "-";

	if (source->tasks.task) {
		ear_task_filter_describe(&source->tasks, named);
		ear_task_filter_describe(&source->tasks, unnamed);
	}
	if (strcmp(options, named) == 0)
		return true;
	if (strcmp(options, unnamed) != 0)
		cli_error("%s: it was made with another --task or --event-port", path);
	else if (source->input.names)
		cli_error("%s: it was made without names, and has no tail calls: make the parts "
			  "with --elf, too",
			path);
	else
		return true;
	return false;
}

/* Which of the two analyses. Returns false after printing why it cannot be. */
static bool choose(struct request *request)
{
	struct analysis_input *source = &request->source;

	if (!request->wants_interrupts)
		return true;
	source->analysis = &ear_interrupts_analysis;
	source->options = request->event;
	source->takes = NULL;
	source->other_options = "it was made with another --event";
	if (request->event && !request->event[0])
		cli_error("--event: a name is missing");
	return !request->event || request->event[0];
}

static int run_trace(struct request *request, const char *path)
{
	struct analysis_input *source = &request->source;

	source->input.path = path;
	if (!trace_input_open(&source->input) || !choose(request))
		return EAR_EXIT_FAILED;
	source->parts.plan.queue = true;
	/* What registers and memory hold is followed from the begin on. */
	source->parts.in_order =
		request->function_count > 0 && !request->summary && !request->histogram;
	if (source->parts.part > 0)
		return analysis_input_count(source) && !cli_interrupted &&
				       analysis_input_write_part(source, stdout)
			       ? EAR_EXIT_DONE
			       : EAR_EXIT_FAILED;
	const bool good = read_trace(request);
	return request->wants_interrupts ? show_interrupts(request, good)
					 : show_calls(request, good);
}

static int run_files(struct request *request, int count, char **paths)
{
	struct analysis_input *source = &request->source;

	source->input.path = paths[0];
	source->quiet = request->quiet;
	if (!choose(request) || !analysis_input_files(source, paths, count) ||
		!analysis_input_finish(source))
		return EAR_EXIT_FAILED;
	return request->wants_interrupts ? show_interrupts(request, true)
					 : show_calls(request, true);
}

/* What does not go together: the reason, or NULL. */
static const char *check_options(const struct request *request, bool of_parts)
{
	const struct analysis_input *source = &request->source;
	const bool sums = request->summary || request->histogram;

	if (request->summary + request->histogram + request->wants_interrupts > 1)
		return "one of --summary, --histogram and --interrupts";
	if (request->wants_interrupts && (request->function_count > 0 || request->options.depth))
		return "--interrupts is of no function and of no depth";
	if (request->wants_interrupts && source->tasks.asked)
		return "--interrupts is of all tasks";
	if (request->event && !request->wants_interrupts)
		return "--event goes with --interrupts";
	if (request->wants_interrupts && request->show.format == CALLS_CSV)
		return "--interrupts is a table, or JSON";
	if (request->histogram && request->show.format != CALLS_TABLE)
		return "--histogram is a table: --summary -f json has its numbers";
	if (of_parts && request->function_count > 0 && !sums)
		return "--function needs the trace, parts have not what it shows";
	if (source->parts.part > 0 &&
		(sums || request->function_count > 0 || request->options.depth || request->limit))
		return "--part is of all calls, or of a --task: what is shown of them is said when the parts are "
		       "put together";
	return NULL;
}

static int run(int argc, char **argv)
{
	struct request request = {
		.source = ANALYSIS_INPUT_DEFAULTS, .lock = PTHREAD_MUTEX_INITIALIZER};
	struct analysis_input *source = &request.source;
	const char *wrong;
	int status;

	source->analysis = &ear_calls_analysis;
	source->options = &request.options;
	source->context = &request;
	source->named = take_names;
	source->takes = takes_part;
	int first = options_parse(&cmd_calls, argc, argv, take_option, &request, &status);
	const bool of_parts = first >= 0 && first < argc && part_file_is_one(argv[first]);
	if (!source->parts.from && !source->parts.to && source->parts.plan.jobs == 1 &&
		source->parts.part == 0)
		source->input.options.index = EAR_INDEX_NONE;
	if (first >= 0 && (first == argc || (first + 1 != argc && !of_parts))) {
		status = cli_usage("calls", first == argc ? "which trace?" : "one trace, please");
	} else if (first >= 0 && (wrong = check_options(&request, of_parts))) {
		status = cli_usage("calls", "%s", wrong);
	} else if (first >= 0) {
		status = of_parts ? run_files(&request, argc - first, argv + first)
				  : run_trace(&request, argv[first]);
		if (fflush(stdout) != 0 || ferror(stdout)) {
			cli_error("standard output: it cannot be written");
			status = EAR_EXIT_FAILED;
		}
	}
	analysis_input_close(source);
	ear_call_sum_free(request.sum);
	ear_arguments_free(request.show.arguments);
	return status;
}

const struct command cmd_calls = {
	.name = "calls",
	.arguments = "[OPTION]... FILE...",
	.summary = "the calls of a run in time, with arguments and results",
	.about = "Print the calls of FILE, a capture or a trace of any format, in the order in "
		 "which they began: the number of the instruction that called, the records and the "
		 "clocks until the call returned, the function, and where it was called. With "
		 "--function its arguments and its result, too.",
	.options = table,
	.notes =
		"Calls are followed through interrupts, tasks, tail calls and longjmp; nothing has "
		"to be compiled in. Arguments are those of the calling convention of RISC-V, with "
		"the types of the debug information; `?` is what the trace does not show. `>N` is "
		"what is known of a call whose end is not: the trace ended, or 65536 others had "
		"begun and it was printed before them. With --function the "
		"records are taken in order: of several threads one reads ahead of the other then.",
	.exit_status =
		"0 done, 2 the trace could not be read to its end: these are the calls of what "
		"came before.",
	.run = run,
};
