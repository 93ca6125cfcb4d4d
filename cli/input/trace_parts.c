/* Where parts are, from the command line: places become positions, which part_plan.h cuts. Without
 * an index there is no size to cut, and a trace is one part.
 */
#include "cli/input/trace_parts.h"

#include <inttypes.h>

#include <earshot/error.h>
#include <earshot/index.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/base/range.h"
#include "cli/options/options.h"

bool trace_parts_take(void *value, const struct command_option *option, const char *argument)
{
	struct trace_parts *parts = value;
	uint64_t part = 0, of = 0;
	const char *at = argument;

	if (!cli_take_number(&at, &part) || *at++ != '/' || !cli_take_number(&at, &of) || *at ||
		part == 0 || part > of || of > EAR_PARTS_MAX)
		return option_fail(option, argument, "K/N, as 1/4 to 4/4");
	parts->part = (unsigned)part;
	parts->of = (unsigned)of;
	return true;
}

const struct command_option trace_parts_options[] = {
	{"from", 0, "PLACE", MOMENT_VALUES,
		.text = "Begin with PLACE: " MOMENT_FORMS " ({MOMENTS}).",
		OPTION_TAKEN(moment_option_take, struct trace_parts, from)},
	{"to", 0, "PLACE", MOMENT_VALUES, .text = "End with PLACE.",
		OPTION_TAKEN(moment_option_take, struct trace_parts, to)},
	{"jobs", 'j', "N",
		.text = "Threads to use (default 1): each reads a part of FILE, with its index.",
		OPTION_VALUE(struct trace_parts, plan.jobs), .min = 1, .max = EAR_PARTS_MAX},
	{"part", 0, "K/N",
		.text = "Count only the K-th of N parts of FILE, N at most 64, and print it as a part: "
			"all of them as files, in order, are the whole.",
		.take = trace_parts_take},
	{0},
};

/* ---- The plan. ---- */

/* How many records there are before the end, as the index says it; false: there is no index. */
static bool find_size(struct trace_input *input, uint64_t *size)
{
	struct ear_trace_counts counts = {.size = sizeof(counts)};
	struct ear_trace_facts facts = {.size = sizeof(facts)};

	if (ear_trace_facts(input->trace, &facts) || !facts.seekable ||
		input->options.index == EAR_INDEX_NONE ||
		ear_trace_index(input->trace, false, &input->progress) != 1 ||
		ear_trace_counts(input->trace, &counts, &input->progress))
		return false;
	*size = counts.records;
	return true;
}

/* The same, however it is found. */
static bool count_records(struct trace_input *input, uint64_t *size)
{
	struct ear_trace_counts counts = {.size = sizeof(counts)};

	if (ear_trace_counts(input->trace, &counts, &input->progress)) {
		trace_input_fail(input);
		return false;
	}
	*size = counts.records;
	return true;
}

/* The part of --part. */
static bool plan_asked(
	struct trace_parts *parts, struct trace_input *input, uint64_t begin, uint64_t end)
{
	struct ear_part_plan *plan = &parts->plan;

	if (!count_records(input, &parts->size))
		return false;
	end = end < parts->size ? end : parts->size;
	ear_part_plan_divide(plan, begin, end > begin ? end : begin, parts->of);
	ear_part_plan_whole(plan, plan->begins[parts->part - 1], plan->begins[parts->part]);
	return true;
}

bool trace_parts_plan(struct trace_parts *parts, struct trace_input *input)
{
	struct ear_part_plan *plan = &parts->plan;
	struct ear_moment_place from = {0}, to = {.after = UINT64_MAX};
	uint64_t size;

	/* What is at the place is in the range, at its begin as at its end. */
	if (parts->from.text && moment_option_find(input, parts->from.text, &from) != 1)
		return false;
	if (parts->to.text && moment_option_find(input, parts->to.text, &to) != 1)
		return false;
	const uint64_t begin = from.before, end = to.after;
	if (end < begin) {
		cli_error("--to: %s comes before %s", parts->to.text, parts->from.text);
		return false;
	}
	parts->first = begin;
	if (parts->of > 0)
		return plan_asked(parts, input, begin, end);
	ear_part_plan_whole(plan, begin, end);
	if (plan->jobs < 2 || parts->in_order || !find_size(input, &size))
		return true;
	if (ear_part_plan_threads(
		    plan, input->trace, begin, end < size ? end : size, &input->progress) == 0)
		return true;
	trace_input_fail(input);
	return false;
}

/* ---- Reading. ---- */

static bool is_stopped(void)
{
	return cli_interrupted;
}

static double last_progress;

static void show_progress(uint64_t done, uint64_t total)
{
	if (!cli_progress_due(&last_progress))
		return;
	if (total > 0)
		cli_progress("reading tasks: %" PRIu64 " of %" PRIu64 " records", done, total);
	else
		cli_progress("%" PRIu64 " records", done);
}

void trace_parts_begin(
	struct trace_parts *parts, struct trace_input *input, struct ear_part_reading *reading)
{
	reading->plan = &parts->plan;
	reading->trace = input->trace;
	reading->path = input->path;
	reading->options = &input->options;
	reading->stopped = is_stopped;
	reading->progress = show_progress;
	last_progress = 0;
}

bool trace_parts_end(const struct ear_part_reading *reading, int result)
{
	cli_progress_clear();
	if (result && result != EAR_E_CANCELLED)
		trace_input_error(reading->path, reading->error);
	return result == 0 || (result == EAR_E_CANCELLED && cli_interrupted);
}

bool trace_parts_read(struct trace_parts *parts, struct trace_input *input,
	const struct ear_part_work *work, void *context)
{
	struct ear_part_reading reading = {.work = work, .context = context};

	trace_parts_begin(parts, input, &reading);
	return trace_parts_end(&reading, ear_part_threads_read(&reading));
}
