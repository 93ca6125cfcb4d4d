/* 'earshot memory': what a run did with memory. analyses/memory/memory_use.c counts; here is what
 * is asked for.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/memory_errors.h>

#include "analyses/memory/memory_result.h"
#include "analyses/memory_errors/memory_errors_analysis.h"
#include "cli/base/cli.h"
#include "cli/commands/allocator_option.h"
#include "cli/commands/cmd.h"
#include "cli/commands/memory/memory_errors_show.h"
#include "cli/commands/memory/memory_show.h"
#include "cli/input/analysis_command.h"
#include "cli/options/options.h"

#define TOP_DEFAULT 20

struct request {
	struct analysis_input source;
	struct ear_usage_options options;
	struct memory_show show;
	enum memory_view view;
	struct ear_memory_checker_options errors; /* --errors */
	struct allocators allocators;
	bool several;
	pthread_mutex_t lock;
};

/* One of the views, of a struct request: option->min. */
static bool take_view(void *value, const struct command_option *option, const char *argument)
{
	struct request *request = value;
	const enum memory_view view = (enum memory_view)option->min;

	(void)argument;
	request->several |= request->view != MEMORY_SUMMARY && request->view != view;
	request->view = view;
	return true;
}

static bool take_by(void *value, const struct command_option *option, const char *argument)
{
	struct command_option view = *option;
	int word;

	if (!option_word(&word, option, argument))
		return false;
	view.min = (uint64_t)MEMORY_REGION + (unsigned)word;
	return take_view(value, &view, NULL);
}

static bool take_working_set(void *value, const struct command_option *option, const char *argument)
{
	struct request *request = value;

	return option_number(
		       &request->options.working_set, option, argument, 1, UINT64_C(1) << 62) &&
	       take_view(value, option, NULL);
}

#define VIEW(view) .take = take_view, .min = (view)

static const struct command_option table[] = {
	{"by", 0, "WHAT", VALUES_WORDS, "region section symbol page",
		.text = "Print what was touched by `region` (pages without a hole), `section`, "
			"`symbol` or `page`.",
		.take = take_by},
	{"heat", 0, .text = "Print accesses by page and time.", VIEW(MEMORY_HEAT)},
	{"stack", 0, .text = "Print how deep each stack was.", VIEW(MEMORY_STACK)},
	{"uninitialized", 0, .text = "Print reads of bytes that nothing had written.",
		VIEW(MEMORY_UNINITIALIZED)},
	{"code-writes", 0, .text = "Print writes of code.", VIEW(MEMORY_CODE_WRITES)},
	{"misaligned", 0, .text = "Print misaligned accesses.", VIEW(MEMORY_MISALIGNED)},
	{"working-set", 0, "N", .text = "Print how many lines and pages every N records touched.",
		.take = take_working_set, .min = MEMORY_WORKING_SET},
	{"sharing", 0, .text = "Print lines that one hart wrote and another one touched.",
		VIEW(MEMORY_SHARING)},
	{"heap", 0, .text = "Print blocks that were not freed, or wrongly.", VIEW(MEMORY_HEAP)},
	{"errors", 0,
		.text = "Print memory errors of the program: accesses to blocks that were freed, beside "
			"a block, and to frames of functions that have returned, what depends on bytes "
			"that nothing wrote, wrong frees, and more.",
		VIEW(MEMORY_ERRORS)},
	OPTION_GROUP(allocator_options, struct request, allocators),
	{"limit", 'n', "N", .text = "Print N rows of a table (default 20), 0: all.",
		OPTION_VALUE(struct request, show.top), .max = UINT64_MAX},
	{"top", .means = "limit"},
	{"physical", 0, .text = "Take physical addresses; accesses without one are left out.",
		OPTION_VALUE(struct request, options.physical)},
	JSON_OPTION(struct request, show.format, TABLE_JSON, "Print one JSON object."),
	{"format", 'f', "FORMAT", VALUES_WORDS, "table csv json",
		.text = "`table` (default) or `csv`.", OPTION_VALUE(struct request, show.format)},
	OPTION_GROUP(trace_parts_options, struct request, source.parts),
	OPTION_GROUP(task_options, struct request, source.tasks),
	OPTION_GROUP(symbol_file_options, struct request, source.input.symbols),
	TRACE_INPUT_DEVICE(struct request, source.input),
	OPTION_GROUP(trace_input_options, struct request, source.input),
	{0},
};

/* ---- What it is. ---- */

static void warn_of_limits(const struct ear_usage_facts *facts)
{
	if (facts->lost > 0)
		cli_warning("more than %u pages were touched: %" PRIu64 " accesses to further ones "
			    "count for symbols and sections only",
			EAR_USAGE_PAGES_MAX, facts->lost);
	if (facts->ranges_lost > 0)
		cli_warning("there are too many symbols: %" PRIu64 " accesses have none",
			facts->ranges_lost);
	if (facts->sites_lost > 0)
		cli_warning("too many instructions did what they may better not do: %" PRIu64
			    " times are left out",
			facts->sites_lost);
	if (facts->stacks_lost > 0)
		cli_warning("there are more than %u stacks", EAR_USAGE_STACKS_MAX);
	if (facts->blocks_lost > 0)
		cli_warning("there are more than %u blocks of the heap: %" PRIu64 " are left out",
			EAR_USAGE_BLOCKS_MAX, facts->blocks_lost);
	if (facts->rows_lost > 0)
		cli_warning(
			"there are more than %u intervals: use a longer one", EAR_USAGE_ROWS_MAX);
	if (facts->shares_lost > 0)
		cli_warning("harts share too many pages: not all of their lines are there");
}

/* What makes the numbers less than they seem. */
static void warn(const struct request *request)
{
	const struct ear_usage_facts facts = ear_usage_facts(request->source.whole);

	if (request->source.quiet)
		return;
	if (!request->source.input.names)
		cli_warning("there are no names: no symbols, sections, heap or loaded bytes "
			    "(--elf FILE)");
	if (facts.gaps > 0)
		cli_warning("there are gaps, %" PRIu64 ": what was not written is known up to the "
			    "first, at record %" PRIu64,
			facts.gaps, facts.first_gap);
	if (facts.late)
		cli_warning("the trace does not begin where the program does: what seems not to be "
			    "written may have been before");
	if (facts.sizeless > 0)
		cli_warning("of %" PRIu64 " accesses the size is not known: they touch no bytes",
			facts.sizeless);
	if (facts.unphysical > 0)
		cli_warning("%" PRIu64 " accesses have no physical address and are left out",
			facts.unphysical);
	if (facts.other_isa)
		cli_warning("there are instructions that are not of RISC-V: of these no stacks and "
			    "blocks of the heap are known");
	warn_of_limits(&facts);
}

/* ---- Reading. ---- */

static bool take_names(struct analysis_input *source)
{
	struct request *request = source->context;

	request->options.names = source->input.names;
	request->options.devices = source->input.devices;
	request->options.device_count = source->input.device_count;
	request->errors.names = source->input.names;
	request->errors.devices = source->input.devices;
	request->errors.device_count = source->input.device_count;
	if (request->view == MEMORY_ERRORS &&
		!allocators_try(&request->allocators, source->input.names))
		return false;
	request->options.lock = source->parts.plan.jobs > 1 ? &request->lock : NULL;
	return true;
}

/* Intervals begin at multiples from the first instruction on. */
static bool find_first(struct analysis_input *source)
{
	struct request *request = source->context;
	struct trace_input *input = &source->input;
	const struct trace_parts *parts = &source->parts;

	if (parts->first == 0 || (parts->plan.count == 1 && parts->part == 0) ||
		request->options.working_set == 0)
		return true;
	if (ear_trace_seek(input->trace, parts->first, &input->progress) < 0) {
		trace_input_fail(input);
		return false;
	}
	request->options.begin = ear_trace_number(input->trace);
	return true;
}

/* A view is chosen after all was counted. */
static bool is_same_count(const void *own, const void *counted)
{
	const struct ear_usage_options *a = own, *b = counted;

	return a->names == b->names && a->device_count == b->device_count &&
	       a->physical == b->physical && a->working_set == b->working_set &&
	       a->no_loads == b->no_loads && a->no_stores == b->no_stores;
}

static bool has_word(const char *options, const char *word)
{
	const char *at = strstr(options, word);

	return at && (at[strlen(word)] == ' ' || at[strlen(word)] == '\0');
}

/* What --errors can be asked with. */
static const char *check_errors(struct request *request, bool of_parts)
{
	struct analysis_input *source = &request->source;

	if (request->view != MEMORY_ERRORS)
		return request->allocators.count > 0 ? "--allocator needs --errors" : NULL;
	if (of_parts || source->parts.part > 0)
		return "--errors needs the trace as a whole: what an access may do depends on all "
		       "that came before";
	if (request->show.format == TABLE_CSV)
		return "--errors has no -f csv";
	if (request->options.physical)
		return "--errors has no --physical";
	source->analysis = &ear_memory_errors_analysis;
	source->options = &request->errors;
	source->parts.in_order = true;
	request->errors.size = sizeof(request->errors);
	request->errors.allocators = request->allocators.list;
	request->errors.allocator_count = request->allocators.count;
	return NULL;
}

/* Of a part file: words that ear_memory_analysis describes. */
static bool takes_part(const struct analysis_input *source, const char *path, const char *words)
{
	struct request *request = source->context;
	const struct ear_usage_options *options = &request->options;
	const char *working = strstr(words, "working-set=");
	const uint64_t records = working ? strtoull(strchr(working, '=') + 1, NULL, 10) : 0;

	request->show.no_loads = has_word(words, "no-loads");
	request->show.no_stores = has_word(words, "no-stores");
	if (has_word(words, "names") && !options->names)
		cli_error("%s: the program is not there, or is not the same any more: give it with "
			  "--elf",
			path);
	else if (!has_word(words, "names") && options->names)
		cli_error("%s: it was made without names: make the parts with --elf, too", path);
	else if (has_word(words, "physical") != options->physical)
		cli_error(
			"%s: it was made with%s --physical", path, options->physical ? "out" : "");
	else if (options->working_set > 0 && options->working_set != records)
		cli_error("%s: make the parts with --working-set %" PRIu64 ", too", path,
			options->working_set);
	else
		return true;
	return false;
}

static bool take_opened(struct analysis_input *source, unsigned number)
{
	struct request *request = source->context;
	struct ear_trace_facts facts = {.size = sizeof(facts)};

	(void)number;
	request->options.no_loads = ear_trace_carries(source->input.trace, "load address") == 0;
	request->options.no_stores = ear_trace_carries(source->input.trace, "store address") == 0;
	request->show.no_loads = request->options.no_loads;
	request->show.no_stores = request->options.no_stores;
	/* Events of the heap: a capture has none, but those that stores to a port mean. */
	if (request->view == MEMORY_HEAP && ear_trace_facts(source->input.trace, &facts) == 0 &&
		strcmp(facts.format, "shot") != 0)
		source->follows = true;
	return true;
}

static int show_errors(struct request *request, bool good)
{
	const struct memory_errors_show shown = {.checker = request->source.whole,
		.names = request->source.input.names,
		.verdict = &request->source.input.verdict,
		.json = request->show.format == TABLE_JSON,
		.quiet = request->source.quiet,
		.top = request->show.top};

	const size_t count = memory_errors_show(&shown);
	if (cli_interrupted)
		cli_warning("interrupted: this is of what came before");
	if (!good || cli_interrupted)
		return EAR_EXIT_FAILED;
	return count > 0 ? EAR_EXIT_NO : EAR_EXIT_DONE;
}

static int show(void *context, bool good)
{
	struct request *request = context;
	struct analysis_input *source = &request->source;

	if (!source->whole)
		return EAR_EXIT_FAILED;
	if (request->view == MEMORY_ERRORS)
		return show_errors(request, good);
	if (cli_interrupted)
		cli_warning("interrupted: this is of the first %" PRIu64 " records",
			ear_usage_facts(source->whole).records);
	request->show.memory = source->whole;
	request->show.names = source->input.names;
	request->show.verdict = &source->input.verdict;
	request->show.tasks = source->tasks.tasks;
	request->show.with_tasks = source->tasks.tasks || request->view == MEMORY_STACK;
	if (!memory_show(&request->show, request->view)) {
		cli_error("out of memory");
		good = false;
	}
	warn(request);
	return good && !cli_interrupted ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

static const char *check(void *context, bool of_parts)
{
	struct request *request = context;
	struct analysis_input *source = &request->source;

	const char *wrong = check_errors(request, of_parts);

	if (request->several)
		return "one view at a time, please";
	if (wrong)
		return wrong;
	if (source->parts.part > 0 && source->tasks.task)
		return "--task needs the trace as a whole";
	if (of_parts && source->tasks.asked)
		return "--task and --event-port need the trace, parts have all tasks";
	if (source->parts.part > 0 && request->view != MEMORY_SUMMARY &&
		request->view != MEMORY_WORKING_SET)
		return "--part has all views but --working-set, which is given: what is shown is "
		       "said when the parts are put together";
	if (request->view == MEMORY_SUMMARY && request->show.format == TABLE_CSV)
		return "-f csv is of one view: --by symbol, --heap, ...";
	/* Which task runs is followed from the begin on. A part is of all views. */
	source->follows = !of_parts && (source->tasks.asked || request->view == MEMORY_STACK ||
					       source->parts.part > 0);
	source->parts.plan.queue = true;
	return NULL;
}

static int run(int argc, char **argv)
{
	struct request request = {.source = ANALYSIS_INPUT_DEFAULTS,
		.show.top = TOP_DEFAULT,
		.lock = PTHREAD_MUTEX_INITIALIZER};
	struct analysis_input *source = &request.source;
	const struct analysis_command counting = {
		&cmd_memory, &request, source, false, check, NULL, NULL, show, NULL};

	source->analysis = &ear_memory_analysis;
	source->options = &request.options;
	source->context = &request;
	source->opened = take_opened;
	source->named = take_names;
	source->planned = find_first;
	source->takes = takes_part;
	source->same_count = is_same_count;
	return analysis_command_run(&counting, argc, argv);
}

const struct command cmd_memory = {
	.name = "memory",
	.arguments = "[OPTION]... FILE...",
	.summary = "memory errors, leaks, depth of stacks, and what was touched",
	.about =
		"Print what FILE, a capture or a trace of any format, did with memory: a summary "
		"with the worst of each kind, or one view in full. What was touched, when, how deep "
		"stacks were, reads of bytes that nothing had written, writes of code, misaligned "
		"accesses, lines that harts share, and blocks of the heap that were not freed. With "
		"--errors: what the program did wrong, at each access.",
	.options = table,
	.notes =
		"An access counts for the symbol and the page of its first byte. Bytes of the "
		"program's file count as written, and so do sections that begin as zeros; stack, "
		"heap and noinit do not, by their names. In FILE all of these are addresses as the "
		"program sees them, with --physical those of the bus. With --stack, --task and "
		"--event-port the records are taken in order: of several threads one reads ahead "
		"of the other then.",
	.exit_status =
		"0 done, with --errors: none was found; 1 with --errors: some were; 2 the trace "
		"could not be read to its end: this is of what came before.",
	.run = run,
};
