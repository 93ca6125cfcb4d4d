/* The command line's side of analyses/base/analysis_run.h: opens, plans, runs, and prints what went
 * wrong. Files of parts go the way of the parts of a trace: each is a count, joined in order.
 */
#include "cli/input/analysis_input.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/base/analysis_run.h"
#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/options/options.h"

/* ---- Tasks. ---- */

static bool take_task(void *value, const struct command_option *option, const char *argument)
{
	struct ear_task_filter *tasks = value;

	(void)option;
	tasks->task = argument;
	tasks->asked = true;
	return true;
}

static bool take_port(void *value, const struct command_option *option, const char *argument)
{
	struct ear_task_filter *tasks = value;

	tasks->options.has_port = true;
	tasks->asked = true;
	return option_number(&tasks->options.port, option, argument, 0, UINT64_MAX);
}

const struct command_option task_options[] = {
	{"task", 0, "TASK",
		.text = "Count only what TASK ran: its number, its name, or the last part of a name that "
			"is a path.",
		.take = take_task},
	{"event-port", 0, "ADDRESS",
		.text = "Stores to an event port at ADDRESS say which task runs, where the unit had "
			"none.",
		.take = take_port},
	{0},
};

bool analysis_input_check_task(const struct analysis_input *source, const char *path)
{
	const struct ear_task_filter *tasks = &source->tasks;

	if (!tasks->task || tasks->ran)
		return true;
	if (tasks->events == 0)
		cli_error("%s: no event says which task runs", path);
	else
		cli_error("%s: no task is '%s'", path, tasks->task);
	return false;
}

/* ---- A trace. ---- */

/* Are tasks followed? */
static struct ear_task_filter *filter_of(struct analysis_input *source)
{
	return source->tasks.task || source->follows ? &source->tasks : NULL;
}

/* What a part file has of them. */
static struct ear_task_filter *filed_filter_of(struct analysis_input *source)
{
	return source->unchecked ? NULL : filter_of(source);
}

/* Not of a --part. Returns false after printing why not. */
bool analysis_input_make_whole(struct analysis_input *source)
{
	const struct ear_analysis_setup setup = {.options = source->options};
	int result = 0;

	if (!source->whole && source->parts.part == 0)
		result = source->analysis->create(&source->whole, &setup);
	if (result)
		cli_error("%s", ear_error_text(result));
	return result == 0;
}

static bool run(struct analysis_input *source)
{
	struct ear_analysis_run *run = calloc(1, sizeof(*run));

	if (!run) {
		cli_error("out of memory");
		return false;
	}
	run->analysis = source->analysis;
	run->options = source->options;
	run->filter = filter_of(source);
	run->whole = source->whole;
	trace_parts_begin(&source->parts, &source->input, &run->reading);
	const int result = source->run ? source->run(source, run) : ear_analysis_run(run);
	bool good = trace_parts_end(&run->reading, result);
	source->part = run->part;
	source->enough = run->enough;
	source->begun = source->begun || run->begun;
	free(run);
	return good || source->enough;
}

void analysis_input_judge(struct analysis_input *source)
{
	const struct trace_parts *parts = &source->parts;
	const struct ear_part_plan *plan = &parts->plan;
	const bool ends = parts->to.text || parts->of > 0;

	if (!source->enough)
		trace_input_judge(&source->input, plan->begins[0],
			ends ? plan->begins[plan->count] : UINT64_MAX);
}

/* A guest has the plan of the one that it reads with. */
bool analysis_input_count(struct analysis_input *source)
{
	struct trace_parts *parts = &source->parts;

	parts->in_order = parts->in_order || filter_of(source);
	if ((source->named && !source->named(source)) ||
		(!source->guest && !trace_parts_plan(parts, &source->input)) ||
		(source->planned && !source->planned(source)) || !analysis_input_make_whole(source))
		return false;
	if (!run(source))
		return false;
	analysis_input_judge(source);
	return true;
}

/* ---- Traces. ---- */

/* The first one, which says what program it is of, or another one of the same. */
bool analysis_input_open(struct analysis_input *source, char *path, bool first)
{
	struct trace_input *input = &source->input;

	ear_trace_close(input->trace);
	input->trace = NULL;
	input->path = path;
	if (first)
		return trace_input_open_prepared(input);
	if (!trace_input_open_trace(input))
		return false;
	/* Names of tasks may be in it. */
	if (!source->tasks.task || !input->names ||
		ear_trace_set_program(input->trace, input->names) == 0)
		return true;
	trace_input_fail(input);
	return false;
}

static void note_row(struct analysis_input *source, int index, bool good)
{
	struct analysis_row *row = source->rows ? &source->rows[index] : NULL;

	if (!row || cli_interrupted)
		return;
	row->state = good ? ANALYSIS_DONE : ANALYSIS_FAILED;
	row->known = good && source->parts.plan.count == 1 && source->input.trace;
	if (row->known)
		row->records = ear_trace_position(source->input.trace) - source->parts.first;
}

/* One that cannot be read leaves the others. The first one is the first of which something could be
 * counted. */
bool analysis_input_traces(struct analysis_input *source, char **paths, int count)
{
	bool good = true;

	trace_input_prepare(&source->input);
	for (int i = 0; i < count && !cli_interrupted && !source->enough; i++) {
		const bool first = !source->begun;

		if (first)
			analysis_input_forget(source);
		const bool counted = analysis_input_open(source, paths[i], first) &&
				     (!source->opened || source->opened(source, !first)) &&
				     analysis_input_count(source);
		note_row(source, i, counted);
		good = counted && good;
	}
	return good;
}

/* ---- Part files. ---- */

/* What the count was made with. */
void analysis_input_describe(
	const struct analysis_input *source, const void *count, char text[EAR_PART_WORD_MAX])
{
	strcpy(text, "-");
	if (source->analysis->describe)
		source->analysis->describe(count, text);
	if (source->tasks.task || source->unchecked)
		ear_task_filter_describe(&source->tasks, text);
}

static bool takes(const struct analysis_input *source, const char *path, const char *options)
{
	char text[EAR_PART_WORD_MAX];

	if (source->takes)
		return source->takes(source, path, options);
	analysis_input_describe(source, source->whole, text);
	if (!source->other_options || strcmp(text, options) == 0)
		return true;
	cli_error("%s: %s", path, source->other_options);
	return false;
}

static int make_part(struct analysis_input *source, void **part)
{
	const struct ear_analysis_setup setup = {
		.options = source->options, .part = true, .whole = source->whole};

	return source->analysis->create(part, &setup);
}

/* What was read of the file to what came before. */
bool analysis_input_join_file(
	struct analysis_input *source, struct part_files *files, const char *path)
{
	const struct ear_analysis *analysis = source->analysis;
	void *part = NULL;
	int result = make_part(source, &part);

	if (result == 0 &&
		!ear_analysis_read(analysis, part, filed_filter_of(source), &files->reader)) {
		analysis->free(part);
		part_files_fail(files, path);
		return false;
	}
	source->begun = source->begun || result == 0;
	if (result == 0)
		result = analysis->join(source->whole, part);
	analysis->free(part);
	source->enough = result > 0;
	if (result == EAR_E_UNSUPPORTED)
		cli_error("%s: it depends too much on the parts before it: read the trace as a "
			  "whole",
			path);
	else if (result < 0)
		cli_error("%s: %s", path, ear_error_text(result));
	return result >= 0;
}

/* The first one says which program it is of. */
static bool begin_files(struct analysis_input *source, const struct part_files *files)
{
	if (source->named &&
		(!part_files_find_names(files, &source->input) || !source->named(source)))
		return false;
	return analysis_input_make_whole(source);
}

/* Parts of a trace without any record have the verdict of the trace (trace_input_judge). */
static void judge_empty(
	struct analysis_input *source, const struct part_files *files, const char *name)
{
	struct verdict *verdict = &source->input.verdict;

	if (verdict->known && verdict->missing.records == 0 && files->begin == 0 &&
		files->head.end == files->head.size)
		verdict->empty = name;
}

bool analysis_input_join_files(
	struct analysis_input *source, struct part_files *files, char **paths, int count)
{
	bool good = true;

	for (int i = 0; i < count && good && !source->enough; i++) {
		good = part_files_open(files, paths[i], source->analysis->name) &&
		       (i > 0 || begin_files(source, files)) &&
		       takes(source, paths[i], files->head.options) &&
		       analysis_input_join_file(source, files, paths[i]);
		if (good)
			verdict_add(&source->input.verdict, paths[i], &files->head.missing);
		part_files_close(files);
	}
	judge_empty(source, files, paths[0]);
	return good;
}

bool analysis_input_files(struct analysis_input *source, char **paths, int count)
{
	struct part_files files = {0};

	part_files_begin(&source->input, paths[0]);
	bool good = analysis_input_join_files(source, &files, paths, count);
	if (good && !source->quiet && !source->enough)
		part_files_check_whole(&files);
	return (source->named || part_files_find_names(&files, &source->input)) && good;
}

bool analysis_input_write_part(struct analysis_input *source, FILE *file)
{
	struct ear_part_head head;

	if (!part_file_head(&head, &source->parts, &source->input, source->analysis->name))
		return false;
	analysis_input_describe(source, source->part, head.options);
	head.missing = source->input.verdict.missing;
	ear_analysis_write(source->analysis, source->part, filed_filter_of(source), &head, file);
	return true;
}

/* ---- Both. ---- */

bool analysis_input_finish(struct analysis_input *source)
{
	int result = 0;

	if (source->borrowed || source->finished)
		return true;
	source->finished = true;
	if (source->whole && source->analysis->finish && !source->enough)
		result = source->analysis->finish(source->whole);
	source->enough = source->enough || result > 0;
	if (result >= 0)
		return true;
	cli_error("%s: %s", source->input.path, ear_error_text(result));
	analysis_input_forget(source);
	return false;
}

void analysis_input_forget(struct analysis_input *source)
{
	source->analysis->free(source->whole);
	source->analysis->free(source->part);
	source->whole = NULL;
	source->part = NULL;
	source->begun = false;
	source->finished = false;
}

void analysis_input_close(struct analysis_input *source)
{
	if (source->borrowed)
		return;
	if (source->analysis)
		analysis_input_forget(source);
	ear_tasks_free(source->tasks.tasks);
	if (!source->guest)
		trace_input_close(&source->input);
}
