/* Where 'earshot memory' has its records from. A part that cannot be joined
 * (analyses/memory/memory_part.h) is read again, by the thread that is to join it, which continues
 * with the whole.
 */
#include "cli/commands/memory/memory_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "cli/base/cli.h"

/* Of a file of a part: words that are the same in all. */
#define OPTION_NAMES    "names"
#define OPTION_PHYSICAL "physical"
#define OPTION_WORKING  "working-set="
#define OPTION_BARE     "no-accesses"

/* Is the trace read as a whole, without parts that are joined? */
static bool is_whole(const struct memory_source *source)
{
	return source->parts.plan.count == 1 && source->parts.part == 0;
}

static int make_part(struct memory_source *source, unsigned part)
{
	struct ear_usage_options options = source->options;

	options.part = true;
	options.whole = source->memory;
	return ear_usage_new(&source->pieces[part], &options);
}

/* ---- Parts. ---- */

static int begin_part(void *context, unsigned part, struct ear_moment *moment,
	const struct ear_progress *progress)
{
	struct memory_source *source = context;

	(void)moment;
	(void)progress;
	return is_whole(source) ? 0 : make_part(source, part);
}

/* ear_task_filter_taker */
static int count_records(void *context, const struct ear_batch *batch, uint32_t task, bool wanted)
{
	ear_usage_set_task(context, task, wanted);
	return ear_usage_batch(context, batch);
}

static int take_batch(void *context, unsigned part, const struct ear_batch *batch)
{
	struct memory_source *source = context;
	struct ear_usage *memory = is_whole(source) ? source->memory : source->pieces[part];

	if (!source->tasks.tasks)
		return ear_usage_batch(memory, batch);
	return ear_task_filter_take(&source->tasks, batch, count_records, memory);
}

static int stop_asked(void *context, uint64_t done, uint64_t total, const char *what)
{
	(void)context;
	(void)done;
	(void)total;
	(void)what;
	return cli_interrupted;
}

/* A trace of its own, since the threads have theirs at other places. */
static int open_again(struct memory_source *source)
{
	struct ear_trace_options options = source->input.options;

	if (source->again)
		return 0;
	source->again_progress =
		(struct ear_progress){sizeof(source->again_progress), stop_asked, NULL};
	options.error = source->again_error;
	options.progress = &source->again_progress;
	return ear_trace_open(&source->again, source->input.path, &options);
}

static int read_again(struct memory_source *source, unsigned part)
{
	const uint64_t begin = source->parts.plan.begins[part],
		       end = source->parts.plan.begins[part + 1];
	struct ear_batch batch = {.size = sizeof(batch)};
	int result = open_again(source);

	if (result == 0 && ear_trace_position(source->again) != begin)
		result = ear_trace_seek(source->again, begin, &source->again_progress);
	if (result < 0)
		return result;
	for (uint64_t at = begin; at < end; at = batch.position + batch.count) {
		result = ear_trace_next_batch(source->again, &batch);
		if (result != 1)
			return result;
		if (batch.count > end - batch.position)
			batch.count = (size_t)(end - batch.position);
		result = ear_usage_batch(source->memory, &batch);
		if (result != 0 || cli_interrupted)
			return result ? result : EAR_E_CANCELLED;
	}
	return 0;
}

static int end_part(void *context, unsigned part)
{
	struct memory_source *source = context;

	if (is_whole(source))
		return 0;
	int result = ear_usage_finish(source->pieces[part]);
	if (result != 0 || source->parts.part > 0)
		return result;
	result = ear_usage_join(source->memory, source->pieces[part]);
	ear_usage_free(source->pieces[part]);
	source->pieces[part] = NULL;
	if (result != EAR_E_UNSUPPORTED)
		return result;
	ear_usage_hide(source->memory, true);
	result = read_again(source, part);
	ear_usage_hide(source->memory, false);
	return result;
}

/* ---- A trace. ---- */

static bool make_whole(struct memory_source *source)
{
	source->options.names = source->input.names;
	source->options.devices = source->input.devices;
	source->options.device_count = source->input.device_count;
	if (ear_usage_new(&source->memory, &source->options) == 0)
		return true;
	cli_error("out of memory");
	return false;
}

/* Intervals begin at multiples from the first instruction on. */
static bool find_first(struct memory_source *source)
{
	struct trace_input *input = &source->input;

	if (source->parts.first == 0 || is_whole(source) || source->options.working_set == 0)
		return true;
	if (ear_trace_seek(input->trace, source->parts.first, &input->progress) < 0) {
		trace_input_fail(input);
		return false;
	}
	source->options.begin = ear_trace_number(input->trace);
	return true;
}

static bool read_trace(struct memory_source *source)
{
	static const struct ear_part_work work = {
		.begin = begin_part, .batch = take_batch, .end = end_part, .no_moments = true};

	source->no_accesses = ear_trace_carries(source->input.trace, "load address") == 0 &&
			      ear_trace_carries(source->input.trace, "store address") == 0;
	source->options.lock = source->parts.plan.jobs > 1 ? &source->lock : NULL;
	return trace_parts_plan(&source->parts, &source->input) && find_first(source) &&
	       (source->parts.part > 0 || make_whole(source)) &&
	       task_batches_begin(&source->tasks, &source->input, source->parts.plan.begins[0]) &&
	       trace_parts_read(&source->parts, &source->input, &work, source);
}

bool memory_source_read(struct memory_source *source)
{
	const bool good = read_trace(source);
	const int counted = source->memory ? ear_usage_finish(source->memory) : 0;

	if (counted < 0)
		cli_error("%s: %s", source->input.path, ear_error_text(counted));
	if (cli_interrupted && source->memory)
		cli_warning("interrupted: this is of the first %" PRIu64 " records",
			ear_usage_facts(source->memory).records);
	return good && counted == 0 && !cli_interrupted;
}

static bool list_tasks(struct memory_source *source, struct ear_usage *part)
{
	struct ear_task_facts task = {.size = sizeof(task)};
	struct ear_tasks *tasks = source->tasks.tasks;

	for (uint32_t i = 1; i <= ear_tasks_count(tasks); i++)
		if (ear_tasks_get(tasks, i, &task) &&
			!ear_usage_add_task(
				part, task.pid, strpbrk(task.name, "\n\r") ? NULL : task.name))
			return false;
	return true;
}

static void tell_options(const struct memory_source *source, struct ear_part_head *head)
{
	char working[48] = "";

	if (source->options.working_set > 0)
		snprintf(working, sizeof(working), " " OPTION_WORKING "%" PRIu64,
			source->options.working_set);
	snprintf(head->options, sizeof(head->options), "memory%s%s%s%s",
		source->input.names ? " " OPTION_NAMES : "",
		source->options.physical ? " " OPTION_PHYSICAL : "", working,
		source->no_accesses ? " " OPTION_BARE : "");
}

bool memory_source_print_part(struct memory_source *source)
{
	struct ear_part_writer writer;
	struct ear_part_head head;

	source->options.names = source->input.names;
	source->options.devices = source->input.devices;
	source->options.device_count = source->input.device_count;
	source->tasks.asked = true;
	if (!read_trace(source) || cli_interrupted ||
		!part_file_head(&head, &source->parts, &source->input, "memory"))
		return false;
	if (!list_tasks(source, source->pieces[0])) {
		cli_error("out of memory");
		return false;
	}
	tell_options(source, &head);
	ear_part_write_head(&writer, stdout, &head);
	ear_usage_write(source->pieces[0], &writer);
	ear_part_write_end(&writer);
	return true;
}

/* ---- Files of parts. ---- */

static bool has_word(const char *options, const char *word)
{
	const char *at = strstr(options, word);

	return at && (at[strlen(word)] == ' ' || at[strlen(word)] == '\0');
}

/* The program, and what parts must have been counted with. */
static bool check_options(
	struct memory_source *source, const struct part_files *files, const char *path)
{
	const char *options = files->head.options, *working = strstr(options, OPTION_WORKING);
	const uint64_t records = working ? strtoull(working + strlen(OPTION_WORKING), NULL, 10) : 0;

	if (has_word(options, OPTION_NAMES) != (source->input.names != NULL)) {
		if (source->input.names)
			cli_error("%s: it was made without names: make the parts with --elf, too",
				path);
		else
			cli_error("%s: the program is not there, or is not the same any more: give "
				  "it with --elf",
				path);
		return false;
	}
	if (has_word(options, OPTION_PHYSICAL) != source->options.physical) {
		cli_error("%s: it was made with%s --physical", path,
			source->options.physical ? "out" : "");
		return false;
	}
	if (source->options.working_set > 0 && source->options.working_set != records) {
		cli_error("%s: make the parts with --working-set %" PRIu64 ", too", path,
			source->options.working_set);
		return false;
	}
	return true;
}

static bool join_file(struct memory_source *source, struct part_files *files, const char *path)
{
	if (make_part(source, 0) != 0) {
		cli_error("out of memory");
		return false;
	}
	bool good = ear_usage_read(source->pieces[0], &files->reader);
	if (!good) {
		part_files_fail(files, path);
	} else {
		const int result = ear_usage_join(source->memory, source->pieces[0]);
		good = result == 0;
		if (result == EAR_E_UNSUPPORTED)
			cli_error("%s: it depends too much on the parts before it: read the trace "
				  "as a whole",
				path);
		else if (!good)
			cli_error("%s: %s", path, ear_error_text(result));
	}
	ear_usage_free(source->pieces[0]);
	source->pieces[0] = NULL;
	return good;
}

static bool begin_files(
	struct memory_source *source, const struct part_files *files, const char *path)
{
	source->no_accesses = has_word(files->head.options, OPTION_BARE);
	return part_files_find_names(files, &source->input, source->program) &&
	       check_options(source, files, path) && make_whole(source);
}

bool memory_source_read_files(struct memory_source *source, int count, char **paths, bool quiet)
{
	struct part_files files = {0};
	bool good = true;

	part_files_begin(&source->input, paths[0]);
	for (int i = 0; i < count && good; i++) {
		good = part_files_open(&files, paths[i], "memory") &&
		       (i > 0 || begin_files(source, &files, paths[i])) &&
		       join_file(source, &files, paths[i]);
		part_files_close(&files);
	}
	if (good && !quiet)
		part_files_check_whole(&files);
	if (good && ear_usage_finish(source->memory) != 0) {
		cli_error("out of memory");
		good = false;
	}
	return good;
}

void memory_source_close(struct memory_source *source)
{
	for (unsigned i = 0; i < EAR_PARTS_QUEUE_MAX; i++)
		ear_usage_free(source->pieces[i]);
	ear_usage_free(source->memory);
	task_batches_end(&source->tasks);
	ear_trace_close(source->again);
	trace_input_close(&source->input);
}
