/* 'earshot calls': the calls of a run in time. analyses/call_log.h follows them; here is what is
 * read, and what of it is asked for.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/moment.h>

#include "analyses/call_log.h"
#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/commands/calls_interrupts.h"
#include "cli/commands/calls_show.h"
#include "cli/commands/calls_sum.h"
#include "cli/commands/cmd.h"
#include "cli/input/task_batches.h"
#include "cli/input/trace_input.h"
#include "cli/input/trace_parts.h"
#include "cli/options/options.h"

#define FUNCTIONS_MAX 64
#define ENTRIES_MAX   1024
#define SAME_NAME_MAX 64
#define SECTIONS      10
#define LIMIT_REACHED 1

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
	{"from", 0, OPTION_FROM, "N",
		.text = "Begin with instruction N, with the callers that there are (default 0)."},
	{"to", 0, OPTION_TO, "N", .text = "End with instruction N."},
	TRACE_PARTS_ORDER_JOBS(OPTION_JOBS),
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
	struct trace_input input;
	struct ear_call_log_options options;
	struct ear_call_log *log;
	struct ear_call_sum *sum;          /* --summary, --histogram; else NULL */
	struct ear_interrupts *interrupts; /* --interrupts; else NULL */
	const char *event;
	struct calls_show show;
	const char *functions[FUNCTIONS_MAX];
	size_t function_count;
	uint64_t entries[ENTRIES_MAX];
	uint64_t from, to, limit, printed;
	unsigned jobs;
	struct task_batches tasks;
	bool quiet, limited, summary, histogram, wants_interrupts;
	double last_progress;
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
	struct trace_input *input = &request->input;
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
	case OPTION_FROM: return option_number(&request->from, option, argument, 0, UINT64_MAX);
	case OPTION_TO: return option_number(&request->to, option, argument, 0, UINT64_MAX);
	case OPTION_JOBS:
		return option_unsigned(&request->jobs, option, argument, 1, TRACE_PARTS_MAX);
	case OPTION_TASK: return task_batches_take_task(&request->tasks, argument);
	case OPTION_EVENT_PORT: return task_batches_take_port(&request->tasks, option, argument);
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

	if (!request->input.names)
		cli_error("--function: '%s' is not a number, and there are no names (--elf FILE)",
			name);
	else if (ear_names_suggest(request->input.names, name, near, 1) > 0)
		cli_error("--function: there is no function '%s'; did you mean %s?", name, near[0]);
	else
		cli_error("--function: there is no function '%s'", name);
	return false;
}

static bool find_function(struct request *request, const char *name)
{
	const struct ear_symbol *symbols[SAME_NAME_MAX];
	size_t count = request->input.names ? ear_names_symbols_named(request->input.names, name,
						      symbols, SAME_NAME_MAX)
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
	const struct task_batches *tasks = &request->tasks;

	if (tasks->task &&
		(call->task == 0 || !ear_tasks_is(tasks->tasks, call->task, tasks->task)))
		return 0;
	if (request->sum)
		return ear_call_sum_add(request->sum, call);
	if (!calls_show(&request->show, call))
		return EAR_E_NO_MEMORY;
	request->limited = ++request->printed == request->limit;
	return request->limited ? LIMIT_REACHED : 0;
}

/* Go to --from, with the calls that are active there. */
static bool go_to_begin(struct request *request)
{
	struct ear_trace *trace = request->input.trace;
	struct ear_moment *moment = NULL;

	if (request->from == 0)
		return true;
	int result = ear_trace_seek_number(trace, request->from, &request->input.progress);
	cli_progress_clear();
	if (result == 0) {
		cli_error("%s: there is no instruction %" PRIu64 ": the trace has %" PRIu64
			  " of them",
			request->input.path, request->from, ear_trace_number(trace));
		return false;
	}
	if (result == 1 && request->interrupts)
		return true;
	if (result == 1)
		result = ear_moment_new(
			&moment, trace, ear_trace_position(trace), &request->input.progress);
	if (result == 0)
		result = ear_call_log_start(request->log, moment);
	ear_moment_free(moment);
	cli_progress_clear();
	if (result == EAR_E_UNSUPPORTED && moment) /* there is no stack: it is said later */
		return true;
	if (result < 0 && !cli_interrupted)
		trace_input_fail(&request->input);
	return result >= 0;
}

/* Those of the batch that are not after --to. */
static bool cut(const struct request *request, struct ear_batch *batch)
{
	if (batch->number > request->to)
		return false;
	if (batch->count - 1 > request->to - batch->number)
		batch->count = (size_t)(request->to - batch->number) + 1;
	return true;
}

static uint64_t records_of(const struct request *request)
{
	return request->interrupts ? ear_interrupts_facts(request->interrupts)->records
				   : ear_call_log_facts(request->log).records;
}

/* task_batches_taker */
static int log_records(void *context, const struct ear_batch *batch, uint32_t task, bool wanted)
{
	struct request *request = context;

	(void)wanted; /* calls of other tasks are followed, too */
	ear_call_log_set_task(request->log, task);
	return ear_call_log_batch(request->log, batch);
}

/* The next batch, of this thread or of the one that reads ahead. */
static int next_batch(
	const struct request *request, struct ear_ahead *ahead, struct ear_batch *batch)
{
	return ahead ? ear_ahead_next_batch(ahead, batch)
		     : ear_trace_next_batch(request->input.trace, batch);
}

static bool read_calls(struct request *request)
{
	struct ear_batch batch = {.size = sizeof(batch)};
	struct ear_ahead *ahead = NULL;
	int result, logged = 0;

	if (request->jobs > 1 && ear_ahead_new(&ahead, request->input.trace) != 0) {
		cli_error("out of memory");
		return false;
	}
	while ((result = next_batch(request, ahead, &batch)) == 1) {
		if (!cut(request, &batch))
			break;
		logged = request->interrupts
				 ? ear_interrupts_batch(request->interrupts, &batch)
				 : task_batches_take(&request->tasks, &batch, log_records, request);
		if (logged || cli_interrupted)
			break;
		if (cli_progress_due(&request->last_progress))
			cli_progress("%" PRIu64 " records", records_of(request));
	}
	ear_ahead_free(ahead); /* before the trace says what was wrong */
	cli_progress_clear();
	if (logged == 0 && !request->interrupts)
		logged = ear_call_log_finish(request->log);
	if (!request->sum && !request->interrupts)
		calls_show_begin(&request->show);
	if (logged < 0)
		cli_error("%s: %s", request->input.path, ear_error_text(logged));
	if (result < 0 && !request->limited)
		trace_input_fail(&request->input);
	if (cli_interrupted)
		cli_warning("interrupted: this is of the first %" PRIu64 " records",
			records_of(request));
	return logged >= 0 && (result >= 0 || request->limited) && !cli_interrupted;
}

/* What makes the list less than it seems. */
static void warn(const struct request *request)
{
	const struct ear_call_log_facts facts = ear_call_log_facts(request->log);

	if (request->quiet)
		return;
	if (!request->input.names)
		cli_warning("there are no names: functions are what calls entered, and tail calls "
			    "are not seen (--elf FILE)");
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

static int run_interrupts(struct request *request)
{
	request->show.names = request->input.names;
	const int made = ear_interrupts_new(&request->interrupts, request->event);
	if (made != 0) {
		cli_error(made == EAR_E_NO_MEMORY ? "out of memory" : "--event: a name is missing");
		return EAR_EXIT_FAILED;
	}
	if (!go_to_begin(request))
		return EAR_EXIT_FAILED;
	const bool good = read_calls(request);
	const uint64_t gaps = ear_interrupts_facts(request->interrupts)->gaps;
	ear_interrupts_finish(request->interrupts);
	calls_interrupts_show(&request->show, request->interrupts, request->event,
		request->limit ? request->limit : SECTIONS);
	if (gaps > 0 && !request->quiet)
		cli_warning("there are gaps, %" PRIu64 ": what was active before one is forgotten",
			gaps);
	return good ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

static int run_calls(struct request *request)
{
	const struct ear_arguments_abi abi = calls_abi(request->input.names);
	int result = 0;

	request->show.names = request->input.names;
	const bool sums = request->summary || request->histogram;

	request->options.registers = request->function_count > 0 && !sums;
	request->options.by_end = sums;
	request->options.take = take_call;
	request->options.context = request;
	if (!find_functions(request))
		return EAR_EXIT_FAILED;
	if (sums)
		result = ear_call_sum_new(&request->sum);
	else if (request->function_count > 0)
		result = ear_arguments_new(&request->show.arguments, request->input.names, &abi);
	if (result == 0)
		result = ear_call_log_new(&request->log, request->input.names, &request->options);
	if (result != 0) {
		cli_error("out of memory");
		return EAR_EXIT_FAILED;
	}
	if (!go_to_begin(request) || !task_batches_begin(&request->tasks, &request->input,
					     ear_trace_position(request->input.trace)))
		return EAR_EXIT_FAILED;
	bool good = read_calls(request);
	if (good && !task_batches_check(&request->tasks, request->input.path))
		return EAR_EXIT_FAILED;
	if (request->summary)
		good = calls_sum_show(&request->show, request->sum, request->limit) && good;
	else if (request->histogram)
		calls_histogram_show(&request->show, request->sum);
	warn(request);
	return good ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

static int run(int argc, char **argv)
{
	struct request request = {.input = TRACE_INPUT_DEFAULTS,
		.to = UINT64_MAX,
		.jobs = 1,
		.tasks = {.options = EAR_TASKS_DEFAULTS}};
	int status;

	int first = options_parse(&cmd_calls, argc, argv, take_option, &request, &status);
	request.input.options.index = request.from ? EAR_INDEX_EXISTING : EAR_INDEX_NONE;
	if (first >= 0 && first + 1 != argc) {
		status = cli_usage("calls", first == argc ? "which trace?" : "one trace, please");
	} else if (first >= 0 &&
		   request.summary + request.histogram + request.wants_interrupts > 1) {
		status = cli_usage("calls", "one of --summary, --histogram and --interrupts");
	} else if (first >= 0 && request.wants_interrupts &&
		   (request.function_count > 0 || request.options.depth)) {
		status = cli_usage("calls", "--interrupts is of no function and of no depth");
	} else if (first >= 0 && request.wants_interrupts && request.tasks.asked) {
		status = cli_usage("calls", "--interrupts is of all tasks");
	} else if (first >= 0 && request.event && !request.wants_interrupts) {
		status = cli_usage("calls", "--event goes with --interrupts");
	} else if (first >= 0 && request.wants_interrupts && request.show.format == CALLS_CSV) {
		status = cli_usage("calls", "--interrupts is a table, or JSON");
	} else if (first >= 0 && request.histogram && request.show.format != CALLS_TABLE) {
		status = cli_usage(
			"calls", "--histogram is a table: --summary -f json has its numbers");
	} else if (first >= 0 && request.to < request.from) {
		status = cli_usage("calls", "--to is before --from");
	} else if (first >= 0) {
		request.input.path = argv[first];
		if (!trace_input_open(&request.input))
			status = EAR_EXIT_FAILED;
		else
			status = request.wants_interrupts ? run_interrupts(&request)
							  : run_calls(&request);
		if (fflush(stdout) != 0 || ferror(stdout)) {
			cli_error("standard output: it cannot be written");
			status = EAR_EXIT_FAILED;
		}
	}
	ear_call_log_free(request.log);
	task_batches_end(&request.tasks);
	ear_call_sum_free(request.sum);
	ear_interrupts_free(request.interrupts);
	ear_arguments_free(request.show.arguments);
	trace_input_close(&request.input);
	return status;
}

const struct command cmd_calls = {
	.name = "calls",
	.arguments = "[OPTION]... FILE",
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
		"begun and it was printed before them.",
	.exit_status =
		"0 done, 2 the trace could not be read to its end: these are the calls of what "
		"came before.",
	.run = run,
};
