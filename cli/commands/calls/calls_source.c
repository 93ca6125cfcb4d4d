#include "cli/commands/calls/calls_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <earshot/error.h>

#include "cli/base/cli.h"

/* Of a file of a part: it was made with names, and has tail calls. */
#define OPTIONS_NAMES "names"

/* Is the trace read as a whole, without parts that are joined? */
static bool is_whole(const struct calls_source *source)
{
	return source->parts.plan.count == 1 && source->parts.part == 0;
}

/* ---- A trace. ---- */

static int make_part(struct calls_source *source, unsigned part)
{
	if (source->interrupts) {
		int result = ear_interrupts_new(&source->told[part], source->event);
		if (result == 0)
			ear_interrupts_open(source->told[part]);
		return result;
	}
	struct ear_call_log_options options = {.part = true,
		.lock = source->options.lock,
		.sums = source->options.sum != NULL && source->parts.part == 0};

	return ear_call_log_new(&source->logs[part], source->input.names, &options);
}

static int begin_part(void *context, unsigned part, struct ear_moment *moment,
	const struct ear_progress *progress)
{
	struct calls_source *source = context;
	int result = 0;

	(void)progress;
	if (source->parts.tasks)
		source->tasks.tasks = source->parts.follower;
	if (!is_whole(source))
		result = make_part(source, part);
	if (result == 0 && moment && !source->interrupts)
		result = ear_call_log_start(
			is_whole(source) ? source->log : source->logs[part], moment);
	return result == EAR_E_UNSUPPORTED ? 0 : result; /* no stack: it is said later */
}

/* ear_task_filter_taker. Calls of other tasks are followed, too. */
static int log_records(void *context, const struct ear_batch *batch, uint32_t task, bool wanted)
{
	struct ear_call_log *log = context;

	(void)task;
	if (batch->run || batch->record->kind == EAR_RECORD_INSTRUCTION)
		ear_call_log_skip(log, !wanted);
	return ear_call_log_batch(log, batch);
}

/* What ends the reading without being a mistake. */
static int check_enough(struct calls_source *source, int result)
{
	source->limited |= result == CALLS_ENOUGH;
	return result == CALLS_ENOUGH ? EAR_E_CANCELLED : result;
}

static int take_batch(void *context, unsigned part, const struct ear_batch *batch)
{
	struct calls_source *source = context;

	if (source->interrupts)
		return ear_interrupts_batch(
			is_whole(source) ? source->interrupts : source->told[part], batch);
	int result = ear_task_filter_take(&source->tasks, batch, log_records,
		is_whole(source) ? source->log : source->logs[part]);
	return is_whole(source) ? check_enough(source, result) : result;
}

/* What was told of a part, to what came before it. */
static int join_part(struct calls_source *source, unsigned part)
{
	int result;

	if (source->interrupts)
		result = ear_interrupts_join(source->interrupts, source->told[part]);
	else
		result = check_enough(source, ear_call_log_join(source->log, source->logs[part]));
	ear_interrupts_free(source->told[part]);
	ear_call_log_free(source->logs[part]);
	source->told[part] = NULL;
	source->logs[part] = NULL;
	return result;
}

static int end_part(void *context, unsigned part)
{
	struct calls_source *source = context;

	if (is_whole(source))
		return 0;
	const int result = source->interrupts ? ear_interrupts_end(source->told[part])
					      : ear_call_log_finish(source->logs[part]);
	return result == 0 && source->parts.part == 0 ? join_part(source, part) : result;
}

static bool read_trace(struct calls_source *source)
{
	static const struct ear_part_work work = {
		.begin = begin_part, .batch = take_batch, .end = end_part};

	struct trace_parts *parts = &source->parts;

	source->options.lock = parts->plan.jobs > 1 ? &source->lock : NULL;
	parts->tasks = source->tasks.task ? &source->tasks.options : NULL;
	parts->in_order = parts->in_order || parts->tasks;
	if (!trace_parts_plan(parts, &source->input))
		return false;
	if (source->parts.part == 0 && !source->interrupts &&
		ear_call_log_new(&source->log, source->input.names, &source->options) != 0) {
		cli_error("out of memory");
		return false;
	}
	const bool good = trace_parts_read(parts, &source->input, &work, source);
	if (source->tasks.tasks)
		source->tasks.events = ear_tasks_events(source->tasks.tasks);
	source->tasks.tasks = NULL;
	trace_parts_end_tasks(parts);
	return good;
}

/* The calls that have not ended. */
static bool finish(struct calls_source *source)
{
	const int result = source->log && !source->limited
				   ? check_enough(source, ear_call_log_finish(source->log))
				   : 0;

	if (result < 0 && !source->limited)
		cli_error("%s: %s", source->input.path, ear_error_text(result));
	return result >= 0 || source->limited;
}

uint64_t calls_source_records(const struct calls_source *source)
{
	if (source->interrupts)
		return ear_interrupts_facts(source->interrupts)->records;
	return source->log ? ear_call_log_facts(source->log).records : 0;
}

bool calls_source_read(struct calls_source *source)
{
	bool good = read_trace(source);

	good = (good || source->limited) && !cli_interrupted;
	good = finish(source) && good;
	if (cli_interrupted)
		cli_warning("interrupted: this is of the first %" PRIu64 " records",
			calls_source_records(source));
	return good;
}

static const char *analysis_of(const struct calls_source *source)
{
	return source->interrupts ? "calls --interrupts" : "calls";
}

/* What parts share. */
static void options_text(
	const struct calls_source *source, bool named, char text[EAR_PART_WORD_MAX])
{
	char event[EAR_PART_WORD_MAX - 6];

	strcpy(text, named && !source->interrupts ? OPTIONS_NAMES : "-");
	if (source->interrupts && source->event) {
		ear_part_quote(event, sizeof(event), source->event);
		snprintf(text, EAR_PART_WORD_MAX, "event=%s", event);
	}
	if (source->tasks.task)
		ear_task_filter_describe(&source->tasks, text);
}

bool calls_source_print_part(struct calls_source *source)
{
	struct ear_part_writer writer;
	struct ear_part_head head;

	if (!read_trace(source) || cli_interrupted ||
		!part_file_head(&head, &source->parts, &source->input, analysis_of(source)))
		return false;
	options_text(source, source->input.names, head.options);
	ear_part_write_head(&writer, stdout, &head);
	ear_task_filter_write(&source->tasks, &writer);
	if (source->interrupts)
		ear_interrupts_write(source->told[0], &writer);
	else
		ear_call_log_write(source->logs[0], &writer);
	ear_part_write_end(&writer);
	return true;
}

/* ---- Files of parts. ---- */

static bool read_file(struct calls_source *source, struct ear_part_reader *reader)
{
	if (source->interrupts)
		return ear_interrupts_read(source->told[0], reader);
	return ear_task_filter_read(&source->tasks, reader) &&
	       ear_call_log_read(source->logs[0], reader);
}

static bool join_file(struct calls_source *source, struct part_files *files, const char *path)
{
	if (make_part(source, 0) != 0) {
		cli_error("out of memory");
		return false;
	}
	if (!read_file(source, &files->reader)) {
		part_files_fail(files, path);
		return false;
	}
	const int result = join_part(source, 0);
	if (result == 0 || source->limited)
		return true;
	cli_error("%s: %s", path, ear_error_text(result));
	return false;
}

/* The first one says which program it is of. */
static bool open_log(struct calls_source *source, const struct part_files *files, const char *path,
	bool (*open)(void *context), void *context)
{
	if (!part_files_find_names(files, &source->input, source->program))
		return false;
	char named[EAR_PART_WORD_MAX], unnamed[EAR_PART_WORD_MAX];

	options_text(source, true, named);
	options_text(source, false, unnamed);
	const bool is_named = strcmp(files->head.options, named) == 0;
	if (!is_named && strcmp(files->head.options, unnamed) != 0) {
		cli_error("%s: it was made with another --%s", path,
			source->interrupts ? "event" : "task or --event-port");
		return false;
	}
	if (source->interrupts)
		return open(context);
	if (source->input.names && !is_named) {
		cli_error("%s: it was made without names, and has no tail calls: make the parts "
			  "with --elf, too",
			path);
		return false;
	}
	if (!open(context))
		return false;
	if (ear_call_log_new(&source->log, source->input.names, &source->options) == 0)
		return true;
	cli_error("out of memory");
	return false;
}

bool calls_source_read_files(struct calls_source *source, int count, char **paths, bool quiet,
	bool (*open)(void *context), void *context)
{
	struct part_files files = {0};
	bool good = true;

	part_files_begin(&source->input, paths[0]);
	for (int i = 0; i < count && good && !source->limited; i++) {
		good = part_files_open(&files, paths[i], analysis_of(source)) &&
		       (i > 0 || open_log(source, &files, paths[i], open, context)) &&
		       join_file(source, &files, paths[i]);
		part_files_close(&files);
	}
	if (!good)
		return false;
	if (!quiet && !source->limited)
		part_files_check_whole(&files);
	return finish(source);
}

void calls_source_close(struct calls_source *source)
{
	for (unsigned i = 0; i < EAR_PARTS_QUEUE_MAX; i++) {
		ear_call_log_free(source->logs[i]);
		ear_interrupts_free(source->told[i]);
	}
	ear_call_log_free(source->log);
	ear_interrupts_free(source->interrupts);
	trace_parts_end_tasks(&source->parts);
	trace_input_close(&source->input);
}
