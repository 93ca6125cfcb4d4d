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
#include "cli/commands/calls/calls_interrupts.h"
#include "cli/commands/calls/calls_show.h"
#include "cli/commands/calls/calls_sort.h"
#include "cli/commands/calls/calls_sum.h"
#include "cli/commands/cmd.h"
#include "cli/input/analysis_command.h"
#include "cli/options/options.h"

#define FUNCTIONS_MAX 64
#define ENTRIES_MAX   1024
#define SAME_NAME_MAX 64
#define SECTIONS      10
#define ENOUGH        1 /* of take_call */

struct request {
	struct analysis_input source;
	struct ear_call_log_options options; /* of calls, */
	const char *event;                   /* of interrupts */
	pthread_mutex_t lock;                /* of names, if several threads ask for them */
	struct ear_call_sum *sum;            /* --summary, --histogram; else NULL */
	struct calls_show show;
	struct calls_sort *sort; /* NULL: in the order in which they began */
	unsigned order;          /* enum calls_order */
	const char *functions[FUNCTIONS_MAX];
	size_t function_count;
	uint64_t entries[ENTRIES_MAX];
	uint64_t limit, printed;
	bool summary, histogram, wants_interrupts;
};

static bool take_function(void *value, const struct command_option *option, const char *argument)
{
	struct request *request = value;

	if (request->function_count == FUNCTIONS_MAX) {
		cli_error("--%s: at most %d", option->name, FUNCTIONS_MAX);
		return false;
	}
	request->functions[request->function_count++] = argument;
	return true;
}

static bool take_histogram(void *value, const struct command_option *option, const char *argument)
{
	((struct request *)value)->histogram = true;
	return take_function(value, option, argument);
}

static const struct command_option table[] = {
	{"function", 0, "NAME",
		.text = "Print the calls of this function, a name or an address, with arguments and "
			"results; repeat for more.",
		.take = take_function},
	{"summary", 0, .text = "Print how long the calls of each function took.",
		OPTION_VALUE(struct request, summary)},
	{"histogram", 0, "NAME",
		.text = "Print how many calls of this function took how long; repeat for more.",
		.take = take_histogram},
	{"interrupts", 0,
		.text = "Print how long handlers took to begin and to end, by cause, and the longest "
			"sections in which interrupts were disabled.",
		OPTION_VALUE(struct request, wants_interrupts)},
	{"event", 0, "EVENT",
		.text = "With --interrupts: also the time from the last event with this name, kind or "
			"source to the handler.",
		OPTION_VALUE(struct request, event)},
	{"depth", 0, "N", .text = "Leave out calls that are inside of N others or more.",
		OPTION_VALUE(struct request, options.depth), .min = 1, .max = 1000000000},
	{"sort", 0, "COLUMN", VALUES_WORDS, "number -records records -clocks clocks",
		.text = "By `records` or `clocks`, the smallest first; `--sort=-records`: the largest "
			"first, without arguments.",
		.detail =
			"A call whose end the trace does not have is where what is known of it says. "
			"Clocks that are not known come last, by records. Without --limit 1048576 "
			"calls are printed at most.",
		OPTION_VALUE(struct request, order)},
	{"limit", 'n', "N",
		.text = "Stop after N calls; with --summary: after N functions; with --interrupts: after N "
			"sections (default 10).",
		OPTION_VALUE(struct request, limit), .min = 1, .max = UINT64_MAX},
	JSON_OPTION(struct request, show.format, CALLS_JSON,
		"Print a JSON object a line; the last one is the verdict."),
	{"format", 'f', "FORMAT", VALUES_WORDS, "table csv json",
		.text = "`table` (default) or `csv`.", OPTION_VALUE(struct request, show.format)},
	OPTION_GROUP(trace_parts_options, struct request, source.parts),
	OPTION_GROUP(task_options, struct request, source.tasks),
	OPTION_GROUP(symbol_file_options, struct request, source.input.symbols),
	OPTION_GROUP(trace_input_options, struct request, source.input),
	{0},
};

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
	else if (ear_names_inlined_entries(request->source.input.names, name, NULL, 0) > 0)
		cli_error("--function: '%s' was inlined everywhere, so nothing calls it: `earshot "
			  "history %s` shows each time, `earshot profile --annotate=%s` how much",
			name, name, name);
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
	if (request->sort)
		return calls_sort_add(request->sort, call);
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

	if (request->source.input.quiet)
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
	if (request->sort && request->limit == 0 && calls_sort_left_out(request->sort) > 0)
		cli_warning("%" PRIu64 " more calls are left out: at most %u are sorted",
			calls_sort_left_out(request->sort), CALLS_SORT_MAX);
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

static int show_interrupts(struct request *request, bool good)
{
	struct analysis_input *source = &request->source;

	if (!source->whole || (!good && records_of(request) == 0))
		return EAR_EXIT_FAILED;
	const uint64_t gaps = ear_interrupts_facts(source->whole)->gaps;
	request->show.names = source->input.names;
	calls_interrupts_show(&request->show, source->whole, request->event,
		request->limit ? request->limit : SECTIONS);
	if (!request->source.input.quiet)
		trace_input_warn_of_handlers(&source->input);
	if (gaps > 0 && !request->source.input.quiet)
		cli_warning("there are gaps, %" PRIu64 ": what was active before one is forgotten",
			gaps);
	return good ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

/* Are arguments shown? What registers hold is followed then, for calls in the order in which they
 * began. */
static bool has_arguments(const struct request *request)
{
	return request->function_count > 0 && !request->summary && !request->histogram &&
	       !request->order;
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
	request->options.registers = has_arguments(request);
	request->options.by_end = sums || request->order;
	request->options.take = take_call;
	request->options.context = request;
	if (!find_functions(request))
		return false;
	if (sums)
		result = ear_call_sum_new(&request->sum);
	if (request->sum && request->function_count == 0 && !request->options.depth &&
		!source->tasks.task)
		request->options.sum = request->sum;
	request->show.flat = request->order;
	if (request->order) {
		const uint64_t max = request->limit ? request->limit : CALLS_SORT_MAX;
		request->sort = calls_sort_new(
			request->order, max < CALLS_SORT_MAX ? (size_t)max : CALLS_SORT_MAX);
		result = request->sort ? 0 : EAR_E_NO_MEMORY;
	}
	if (has_arguments(request))
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
	if (request->summary)
		good = calls_sum_show(&request->show, request->sum, request->limit) && good;
	else if (request->histogram)
		calls_histogram_show(&request->show, request->sum);
	else if (request->sort)
		good = calls_sort_show(request->sort, &request->show) && good;
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

static bool prepare(void *context)
{
	struct request *request = context;

	request->source.parts.plan.queue = true;
	/* What registers and memory hold is followed from the begin on. */
	request->source.parts.in_order = has_arguments(request);
	return choose(request);
}

/* Lines of JSON end with it. */
static void show_verdict(const struct request *request)
{
	if (request->show.format == CALLS_JSON && request->source.whole)
		printf("{\"kind\": \"verdict\", %s}\n",
			verdict_members(&request->source.input.verdict));
}

static int show(void *context, bool good)
{
	struct request *request = context;

	if (cli_interrupted)
		cli_warning("interrupted: this is of the first %" PRIu64 " records",
			records_of(request));
	good = good && !cli_interrupted;
	const int status = request->wants_interrupts ? show_interrupts(request, good)
						     : show_calls(request, good);
	show_verdict(request);
	return status;
}

/* What does not go together: the reason, or NULL. */
static const char *check(void *context, bool of_parts)
{
	const struct request *request = context;
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
	if (request->order && (sums || request->wants_interrupts))
		return "--sort is of the list of calls";
	if (of_parts && request->function_count > 0 && !sums)
		return "--function needs the trace, parts have not what it shows";
	if (source->parts.part > 0 &&
		(sums || request->function_count > 0 || request->options.depth || request->limit ||
			request->order))
		return "--part is of all calls, or of a --task: what is shown of them is said when the parts are "
		       "put together";
	return NULL;
}

static int run(int argc, char **argv)
{
	struct request request = {
		.source = ANALYSIS_INPUT_DEFAULTS, .lock = PTHREAD_MUTEX_INITIALIZER};
	struct analysis_input *source = &request.source;
	const struct analysis_command counting = {
		&cmd_calls, &request, source, false, check, prepare, NULL, show, NULL};

	source->analysis = &ear_calls_analysis;
	source->options = &request.options;
	source->context = &request;
	source->named = take_names;
	source->takes = takes_part;
	const int status = analysis_command_run(&counting, argc, argv);
	ear_call_sum_free(request.sum);
	calls_sort_free(request.sort);
	ear_arguments_free(request.show.arguments);
	return status;
}

const struct command cmd_calls = {
	.name = "calls",
	.arguments = "[OPTION]... FILE...",
	.summary = "the calls of a run, with arguments and results; interrupt latency",
	.about = "Print the calls of FILE, a capture or a trace of any format, in the order in "
		 "which they began: the number of the instruction that called, the records and the "
		 "clocks until the call returned, the function, and where it was called. With "
		 "--function its arguments and its result, too; with --summary how long the calls "
		 "of each function took, and with --interrupts how long handlers did.",
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
