/* 'earshot memory': what a run did with memory. analyses/memory/memory_use.c counts; here is what
 * is asked for.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/memory/memory_result.h"
#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/commands/memory/memory_show.h"
#include "cli/input/analysis_input.h"
#include "cli/options/options.h"

#define TOP_DEFAULT 20

enum {
	OPTION_BY,
	OPTION_HEAT,
	OPTION_STACK,
	OPTION_UNINITIALIZED,
	OPTION_CODE_WRITES,
	OPTION_MISALIGNED,
	OPTION_WORKING_SET,
	OPTION_SHARING,
	OPTION_HEAP,
	OPTION_TOP,
	OPTION_PHYSICAL,
	OPTION_DEVICE,
	OPTION_FROM,
	OPTION_TO,
	OPTION_JOBS,
	OPTION_PART,
	OPTION_TASK,
	OPTION_EVENT_PORT,
	OPTION_FORMAT,
	OPTION_ELF,
	OPTION_ELF_ANYWAY,
	OPTION_INPUT_FORMAT,
	OPTION_XLEN,
	OPTION_QUIET,
};

static const struct command_option table[] = {
	{"by", 0, OPTION_BY, "WHAT", VALUES_WORDS, "region section symbol page",
		.text = "Print what was touched by `region` (pages without a hole), `section`, "
			"`symbol` or `page`."},
	{"heat", 0, OPTION_HEAT, .text = "Print accesses by page and time."},
	{"stack", 0, OPTION_STACK, .text = "Print how deep each stack was."},
	{"uninitialized", 0, OPTION_UNINITIALIZED,
		.text = "Print reads of bytes that nothing had written."},
	{"code-writes", 0, OPTION_CODE_WRITES, .text = "Print writes of code."},
	{"misaligned", 0, OPTION_MISALIGNED, .text = "Print misaligned accesses."},
	{"working-set", 0, OPTION_WORKING_SET, "N",
		.text = "Print how many lines and pages every N records touched."},
	{"sharing", 0, OPTION_SHARING,
		.text = "Print lines that one hart wrote and another one touched."},
	{"heap", 0, OPTION_HEAP, .text = "Print blocks that were not freed, or wrongly."},
	{"top", 0, OPTION_TOP, "N", .text = "Print N rows of a table (default 20), 0: all."},
	{"physical", 0, OPTION_PHYSICAL,
		.text = "Take physical addresses; accesses without one are left out."},
	TRACE_INPUT_DEVICE_OPTION(OPTION_DEVICE),
	TRACE_PARTS_OPTIONS(OPTION_FROM, OPTION_TO, OPTION_JOBS),
	TRACE_PARTS_PART_OPTION(OPTION_PART),
	TASK_BATCHES_OPTIONS(OPTION_TASK, OPTION_EVENT_PORT, "Count only what TASK did"),
	{"format", 'f', OPTION_FORMAT, "FORMAT", VALUES_WORDS, "table csv json",
		.text = "`table` (default), `csv` or `json`."},
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
	struct ear_usage_options options;
	struct memory_show show;
	enum memory_view view;
	bool several;
	pthread_mutex_t lock;
};

static bool take_view(struct request *request, enum memory_view view)
{
	request->several |= request->view != MEMORY_SUMMARY && request->view != view;
	request->view = view;
	return true;
}

static bool take_option(void *context, const struct command_option *option, const char *argument)
{
	static const unsigned xlens[] = {32, 64};
	struct request *request = context;
	struct trace_input *input = &request->source.input;
	struct trace_parts *parts = &request->source.parts;
	struct ear_task_filter *tasks = &request->source.tasks;
	struct ear_usage_options *options = &request->options;
	int word;

	switch (option->id) {
	case OPTION_BY:
		return option_word(&word, option, argument) &&
		       take_view(request, (enum memory_view)((int)MEMORY_REGION + word));
	case OPTION_HEAT: return take_view(request, MEMORY_HEAT);
	case OPTION_STACK: return take_view(request, MEMORY_STACK);
	case OPTION_UNINITIALIZED: return take_view(request, MEMORY_UNINITIALIZED);
	case OPTION_CODE_WRITES: return take_view(request, MEMORY_CODE_WRITES);
	case OPTION_MISALIGNED: return take_view(request, MEMORY_MISALIGNED);
	case OPTION_WORKING_SET:
		return option_number(
			       &options->working_set, option, argument, 1, UINT64_C(1) << 62) &&
		       take_view(request, MEMORY_WORKING_SET);
	case OPTION_SHARING: return take_view(request, MEMORY_SHARING);
	case OPTION_HEAP: return take_view(request, MEMORY_HEAP);
	case OPTION_TOP: return option_number(&request->show.top, option, argument, 0, UINT64_MAX);
	case OPTION_PHYSICAL: options->physical = true; return true;
	case OPTION_DEVICE: return trace_input_device(input, option, argument);
	case OPTION_FROM: return trace_parts_take(parts, TRACE_PARTS_FROM, option, argument);
	case OPTION_TO: return trace_parts_take(parts, TRACE_PARTS_TO, option, argument);
	case OPTION_JOBS: return trace_parts_take(parts, TRACE_PARTS_JOBS, option, argument);
	case OPTION_PART: return trace_parts_take(parts, TRACE_PARTS_PART, option, argument);
	case OPTION_TASK: return task_batches_take_task(tasks, argument);
	case OPTION_EVENT_PORT: return task_batches_take_port(tasks, option, argument);
	case OPTION_FORMAT:
		if (!option_word(&word, option, argument))
			return false;
		request->show.format = (enum table_format)word;
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
		request->source.quiet = true;
		cli_progress_disable();
		return true;
	}
	return false;
}

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

static bool has_word(const char *options, const char *word)
{
	const char *at = strstr(options, word);

	return at && (at[strlen(word)] == ' ' || at[strlen(word)] == '\0');
}

/* Of a part file: words that ear_memory_analysis describes. */
static bool takes_part(const struct analysis_input *source, const char *path, const char *words)
{
	struct request *request = source->context;
	const struct ear_usage_options *options = &request->options;
	const char *working = strstr(words, "working-set=");
	const uint64_t records = working ? strtoull(strchr(working, '=') + 1, NULL, 10) : 0;

	request->show.no_accesses = has_word(words, "no-accesses");
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

static bool read_trace(struct analysis_input *source)
{
	bool good = analysis_input_count(source);

	good = analysis_input_finish(source) && good;
	if (cli_interrupted && source->whole)
		cli_warning("interrupted: this is of the first %" PRIu64 " records",
			ear_usage_facts(source->whole).records);
	return good && !cli_interrupted;
}

static int show_memory(struct request *request, bool good)
{
	struct analysis_input *source = &request->source;

	if (!source->whole)
		return EAR_EXIT_FAILED;
	request->show.memory = source->whole;
	request->show.names = source->input.names;
	request->show.tasks = source->tasks.tasks;
	request->show.with_tasks = source->tasks.tasks || request->view == MEMORY_STACK;
	if (good && !task_batches_check(&source->tasks, source->input.path))
		good = false;
	if (!memory_show(&request->show, request->view)) {
		cli_error("out of memory");
		good = false;
	}
	warn(request);
	return good ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

static int run_trace(struct request *request, const char *path)
{
	struct analysis_input *source = &request->source;

	source->input.path = path;
	if (!trace_input_open(&source->input))
		return EAR_EXIT_FAILED;
	request->options.no_accesses =
		ear_trace_carries(source->input.trace, "load address") == 0 &&
		ear_trace_carries(source->input.trace, "store address") == 0;
	request->show.no_accesses = request->options.no_accesses;
	/* Which task runs is followed from the begin on. A part is of all views. */
	source->follows =
		source->tasks.asked || request->view == MEMORY_STACK || source->parts.part > 0;
	source->parts.plan.queue = true;
	if (source->parts.part == 0)
		return show_memory(request, read_trace(source));
	return analysis_input_count(source) && !cli_interrupted &&
			       analysis_input_write_part(source, stdout)
		       ? EAR_EXIT_DONE
		       : EAR_EXIT_FAILED;
}

static int run_files(struct request *request, int count, char **paths)
{
	struct analysis_input *source = &request->source;

	source->input.path = paths[0];
	return analysis_input_files(source, paths, count) && analysis_input_finish(source)
		       ? show_memory(request, true)
		       : EAR_EXIT_FAILED;
}

/* What does not go together: the reason, or NULL. */
static const char *check_options(const struct request *request, bool of_parts)
{
	const struct analysis_input *source = &request->source;

	if (request->several)
		return "one view at a time, please";
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
	return NULL;
}

static int run(int argc, char **argv)
{
	struct request request = {.source = ANALYSIS_INPUT_DEFAULTS,
		.show.top = TOP_DEFAULT,
		.lock = PTHREAD_MUTEX_INITIALIZER};
	struct analysis_input *source = &request.source;
	const char *wrong;
	int status;

	source->analysis = &ear_memory_analysis;
	source->options = &request.options;
	source->context = &request;
	source->named = take_names;
	source->planned = find_first;
	source->takes = takes_part;
	int first = options_parse(&cmd_memory, argc, argv, take_option, &request, &status);
	const bool of_parts = first >= 0 && first < argc && part_file_is_one(argv[first]);
	if (!source->parts.from && !source->parts.to && source->parts.plan.jobs == 1 &&
		source->parts.part == 0)
		source->input.options.index = EAR_INDEX_NONE;
	if (first >= 0 && (first == argc || (first + 1 != argc && !of_parts))) {
		status = cli_usage("memory", first == argc ? "which trace?" : "one trace, please");
	} else if (first >= 0 && (wrong = check_options(&request, of_parts))) {
		status = cli_usage("memory", "%s", wrong);
	} else if (first >= 0) {
		status = of_parts ? run_files(&request, argc - first, argv + first)
				  : run_trace(&request, argv[first]);
		if (fflush(stdout) != 0 || ferror(stdout)) {
			cli_error("standard output: it cannot be written");
			status = EAR_EXIT_FAILED;
		}
	}
	analysis_input_close(source);
	return status;
}

const struct command cmd_memory = {
	.name = "memory",
	.arguments = "[OPTION]... FILE...",
	.summary = "what a run did with memory, and did wrong",
	.about =
		"Print what FILE, a capture or a trace of any format, did with memory: a summary "
		"with the worst of each kind, or one view in full. What was touched, when, how deep "
		"stacks were, reads of bytes that nothing had written, writes of code, misaligned "
		"accesses, lines that harts share, and blocks of the heap that were not freed.",
	.options = table,
	.notes =
		"An access counts for the symbol and the page of its first byte. Bytes of the "
		"program's file count as written, and so do sections that begin as zeros; stack, "
		"heap and noinit do not, by their names. In FILE all of these are addresses as the "
		"program sees them, with --physical those of the bus. With --stack, --task and "
		"--event-port the records are taken in order: of several threads one reads ahead "
		"of the other then.",
	.exit_status = "0 done, 2 the trace could not be read to its end: this is of what came "
		       "before.",
	.run = run,
};
