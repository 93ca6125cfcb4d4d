/* 'earshot memory': what a run did with memory. analyses/memory_use.c counts; here is what is read.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/memory_result.h"
#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/commands/memory_show.h"
#include "cli/input/task_batches.h"
#include "cli/input/trace_input.h"
#include "cli/input/trace_parts.h"
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
	TRACE_PARTS_ORDER_OPTIONS(OPTION_FROM, OPTION_TO, OPTION_JOBS),
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
	struct trace_input input;
	struct memory_show show;
	struct ear_usage_options options;
	enum memory_view view;
	struct trace_parts parts;
	struct task_batches tasks;
	bool quiet, several;
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
	struct trace_input *input = &request->input;
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
		return option_number(&request->options.working_set, option, argument, 1,
			       UINT64_C(1) << 62) &&
		       take_view(request, MEMORY_WORKING_SET);
	case OPTION_SHARING: return take_view(request, MEMORY_SHARING);
	case OPTION_HEAP: return take_view(request, MEMORY_HEAP);
	case OPTION_TOP: return option_number(&request->show.top, option, argument, 0, UINT64_MAX);
	case OPTION_PHYSICAL: request->options.physical = true; return true;
	case OPTION_DEVICE: return trace_input_device(input, option, argument);
	case OPTION_FROM:
		return trace_parts_take(&request->parts, TRACE_PARTS_FROM, option, argument);
	case OPTION_TO: return trace_parts_take(&request->parts, TRACE_PARTS_TO, option, argument);
	case OPTION_JOBS:
		return trace_parts_take(&request->parts, TRACE_PARTS_JOBS, option, argument);
	case OPTION_TASK: return task_batches_take_task(&request->tasks, argument);
	case OPTION_EVENT_PORT: return task_batches_take_port(&request->tasks, option, argument);
	case OPTION_FORMAT:
		if (!option_word(&word, option, argument))
			return false;
		request->show.format = (enum memory_format)word;
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

/* ---- Reading. ---- */

static int begin_part(void *context, unsigned part, struct ear_moment *moment,
	const struct ear_progress *progress)
{
	(void)context;
	(void)part;
	(void)moment;
	(void)progress;
	return 0;
}

/* task_batches_taker */
static int count_records(void *context, const struct ear_batch *batch, uint32_t task, bool wanted)
{
	struct request *request = context;

	ear_usage_set_task(request->show.memory, task, wanted);
	return ear_usage_batch(request->show.memory, batch);
}

static int count_batch(void *context, unsigned part, const struct ear_batch *batch)
{
	struct request *request = context;

	(void)part;
	return task_batches_take(&request->tasks, batch, count_records, request);
}

static bool read_trace(struct request *request)
{
	static const struct trace_parts_work work = {begin_part, count_batch, NULL};
	struct ear_usage *memory = request->show.memory;

	request->parts.in_order = true;
	request->tasks.asked |= request->view == MEMORY_STACK;
	bool good =
		trace_parts_plan(&request->parts, &request->input) &&
		task_batches_begin(&request->tasks, &request->input, request->parts.begins[0]) &&
		trace_parts_read(&request->parts, &request->input, &work, request);
	int counted = ear_usage_finish(memory);
	if (counted < 0)
		cli_error("%s: %s", request->input.path, ear_error_text(counted));
	if (cli_interrupted)
		cli_warning("interrupted: this is of the first %" PRIu64 " records",
			ear_usage_facts(memory).records);
	request->show.tasks = request->tasks.tasks;
	if (good && !cli_interrupted && !task_batches_check(&request->tasks, request->input.path))
		good = false;
	return good && counted == 0 && !cli_interrupted;
}

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
	const struct ear_usage_facts facts = ear_usage_facts(request->show.memory);

	if (request->quiet)
		return;
	if (!request->input.names)
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

static int run_memory(struct request *request)
{
	request->options.names = request->input.names;
	request->options.devices = request->input.devices;
	request->options.device_count = request->input.device_count;
	if (ear_usage_new(&request->show.memory, &request->options) != 0) {
		cli_error("out of memory");
		return EAR_EXIT_FAILED;
	}
	request->show.names = request->input.names;
	bool good = read_trace(request);
	if (!memory_show(&request->show, request->view)) {
		cli_error("out of memory");
		good = false;
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		cli_error("standard output: it cannot be written");
		return EAR_EXIT_FAILED;
	}
	warn(request);
	return good ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

static int run(int argc, char **argv)
{
	struct request request = {.input = TRACE_INPUT_DEFAULTS,
		.parts = TRACE_PARTS_DEFAULTS,
		.tasks = {.options = EAR_TASKS_DEFAULTS},
		.show.top = TOP_DEFAULT};
	int status;

	int first = options_parse(&cmd_memory, argc, argv, take_option, &request, &status);
	if (!request.parts.from && !request.parts.to)
		request.input.options.index = EAR_INDEX_NONE;
	if (first >= 0 && first + 1 != argc) {
		status = cli_usage("memory", first == argc ? "which trace?" : "one trace, please");
	} else if (first >= 0 && request.several) {
		status = cli_usage("memory", "one view at a time, please");
	} else if (first >= 0 && request.view == MEMORY_SUMMARY &&
		   request.show.format == MEMORY_CSV) {
		status = cli_usage("memory", "-f csv is of one view: --by symbol, --heap, ...");
	} else if (first >= 0) {
		request.input.path = argv[first];
		status = trace_input_open(&request.input) ? run_memory(&request) : EAR_EXIT_FAILED;
	}
	ear_usage_free(request.show.memory);
	task_batches_end(&request.tasks);
	trace_input_close(&request.input);
	return status;
}

const struct command cmd_memory = {
	.name = "memory",
	.arguments = "[OPTION]... FILE",
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
		"program sees them, with --physical those of the bus.",
	.exit_status = "0 done, 2 the trace could not be read to its end: this is of what came "
		       "before.",
	.run = run,
};
