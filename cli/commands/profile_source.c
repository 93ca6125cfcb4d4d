#include "cli/commands/profile_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <earshot/address.h>
#include <earshot/error.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/input/part_file.h"

/* ---- A trace. ---- */

static int begin_part(void *context, unsigned part, struct ear_moment *moment,
	const struct ear_progress *progress)
{
	struct profile_source *source = context;
	struct ear_profile *profile;

	int result = ear_profile_new(&profile, source->input.names, &source->options);
	if (result)
		return result;
	source->profiles[part] = profile;
	return moment ? ear_profile_start(profile, moment, progress) : 0;
}

/* ear_tasks_take: to the rows. */
static int take_rows(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t task)
{
	struct profile_source *source = context;

	return ear_by_records(source->by, batch, first, count, task);
}

static int take_methods(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t task)
{
	struct profile_source *source = context;

	return ear_methods_records(source->methods, source->tasks, batch, first, count, task);
}

/* ear_tasks_take: to the profile, record by record where a batch is of several tasks. */
static int take_task(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t task)
{
	struct profile_source *source = context;
	struct ear_profile *profile = source->profiles[0];
	int result = 0;

	ear_profile_mute(profile, task == 0 || !ear_tasks_is(source->tasks, task, source->task));
	if (count == batch->count)
		return ear_profile_batch(profile, batch);
	for (size_t i = first; i < first + count && result == 0; i++) {
		const struct ear_batch one = {.size = sizeof(one),
			.count = 1,
			.position = batch->position + i,
			.number = batch->number + i,
			.record = ear_batch_record(batch, i)};
		result = ear_profile_batch(profile, &one);
	}
	return result;
}

/* A batch that is not, or not yet, divided by tasks. */
static int count_whole(
	struct profile_source *source, struct ear_profile *profile, const struct ear_batch *batch)
{
	if (source->methods)
		return take_methods(source, batch, 0, batch->count, 0);
	return source->by ? take_rows(source, batch, 0, batch->count, 0)
			  : ear_profile_batch(profile, batch);
}

static int count_batch(void *context, unsigned part, const struct ear_batch *batch)
{
	struct profile_source *source = context;
	const bool instructions = batch->run || batch->record->kind == EAR_RECORD_INSTRUCTION;
	ear_tasks_take *take = source->methods ? take_methods : source->by ? take_rows : take_task;

	if (source->tasks && instructions)
		return ear_tasks_batch(source->tasks, batch, take, source);
	int result = source->tasks ? ear_tasks_batch(source->tasks, batch, NULL, NULL) : 0;
	return result ? result : count_whole(source, source->profiles[part], batch);
}

/* What follows tasks, and counts by them, is there when the trace is open. */
static bool begin_tasks(struct profile_source *source)
{
	const bool by_task =
		source->has_by && (source->key == EAR_BY_TASK || source->key == EAR_BY_PROCESS);
	int result = 0;

	if (by_task || source->task || source->has_methods)
		result = ear_tasks_new(&source->tasks, source->input.trace, &source->task_options,
			&source->input.progress);
	if (result) {
		trace_input_fail(&source->input);
		return false;
	}
	if (source->has_by && ear_by_new(&source->by, source->key, source->tasks)) {
		cli_error("out of memory");
		return false;
	}
	if (source->has_methods && ear_methods_new(&source->methods)) {
		cli_error("out of memory");
		return false;
	}
	if (source->methods)
		ear_tasks_set_event(source->tasks, ear_methods_event, source->methods);
	return true;
}

/* With --from: which task runs there. */
static bool start_tasks(struct profile_source *source)
{
	if (!source->tasks || source->parts.begins[0] == 0)
		return true;
	int result =
		ear_tasks_start(source->tasks, source->parts.begins[0], &source->input.progress);
	if (result == EAR_E_UNSUPPORTED)
		cli_error("--from: %s cannot be read at any place", source->input.path);
	else if (result)
		trace_input_fail(&source->input);
	return result == 0;
}

/* What comes next to what there is. apart: it is not what follows it. */
static bool add(struct profile_source *source, struct ear_profile *next, bool apart)
{
	int result = 0;

	if (!source->profile) {
		source->profile = next;
		return true;
	}
	if (apart)
		ear_profile_pause(source->profile);
	result = ear_profile_join(source->profile, next);
	ear_profile_free(next);
	if (result)
		cli_error("%s", ear_error_text(result));
	return result == 0;
}

/* ---- Filters. ---- */

static bool find_entries(
	struct profile_source *source, const char *option, struct profile_filter *filter)
{
	struct ear_names *names = source->input.names;
	struct ear_function function = {.size = sizeof(function)};
	char message[EAR_ADDRESS_MESSAGE_MAX];

	for (unsigned i = 0; i < filter->count; i++) {
		struct ear_address address = {.size = sizeof(address)};
		if (ear_address_parse(&address, filter->names[i], strlen(filter->names[i]), names,
			    NULL, message)) {
			cli_error("%s: %s", option, message);
			return false;
		}
		filter->entries[i] = address.ranges[0].first;
		if (names && ear_names_function_at(names, filter->entries[i], &function) &&
			function.name[0])
			filter->entries[i] = function.entry;
	}
	return true;
}

static bool find_filters(struct profile_source *source)
{
	if (!find_entries(source, "--within", &source->within) ||
		!find_entries(source, "--exclude", &source->without))
		return false;
	source->options.within = source->within.entries;
	source->options.within_count = source->within.count;
	source->options.without = source->without.entries;
	source->options.without_count = source->without.count;
	return true;
}

/* ---- Traces. ---- */

/* The parts before a place that could not be read are the profile of what came before it. */
static bool read_trace(struct profile_source *source, bool apart)
{
	static const struct trace_parts_work work = {begin_part, count_batch, NULL};
	bool good;

	source->options.no_traps = ear_trace_carries(source->input.trace, "trap cause") == 0;
	source->options.no_interrupts = ear_trace_carries(source->input.trace, "interrupt") == 0;
	source->options.lock = source->parts.jobs > 1 ? &source->lock : NULL;
	if (!find_filters(source) || !begin_tasks(source) ||
		!trace_parts_plan(&source->parts, &source->input) || !start_tasks(source))
		return false;
	const unsigned planned = source->parts.count;
	good = trace_parts_read(&source->parts, &source->input, &work, source);
	for (unsigned i = 0; i < planned; i++) {
		struct ear_profile *profile = source->profiles[i];
		source->profiles[i] = NULL;
		if (profile && i < source->parts.count)
			good = add(source, profile, apart && i == 0) && good;
		else
			ear_profile_free(profile);
	}
	return good;
}

/* Another trace, of the same program. */
static bool open_next(struct profile_source *source, const char *path)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	struct trace_input *input = &source->input;

	ear_trace_close(input->trace);
	input->trace = NULL;
	input->path = path;
	if (!files_read("", path))
		return false;
	if (ear_trace_open(&input->trace, path, &input->options)) {
		input->trace = NULL;
		trace_input_fail(input);
		return false;
	}
	if (!input->symbols.elf && ear_trace_facts(input->trace, &facts) == 0 &&
		strcmp(facts.program_sha256 ? facts.program_sha256 : "", input->symbols.sha256) !=
			0) {
		cli_error("%s: it is of another program than the trace before it; compare them "
			  "with --against, or give one --elf for all",
			path);
		return false;
	}
	return true;
}

static bool read_traces(struct profile_source *source, char **paths, int count)
{
	bool good = true;

	for (int i = 0; i < count && good && !cli_interrupted; i++) {
		if (i == 0)
			source->input.path = paths[0];
		good = i == 0 ? trace_input_open(&source->input) : open_next(source, paths[i]);
		good = good && read_trace(source, i > 0);
	}
	return good;
}

/* ---- Files of parts. ---- */

static void options_text(const struct profile_source *source, char text[EAR_PART_WORD_MAX])
{
	snprintf(text, EAR_PART_WORD_MAX, "%s%s%s", source->options.pcs ? "pcs" : "-",
		source->options.interrupts_inside ? " inside" : "",
		source->options.inlined ? " inline" : "");
}

/* What the parts were counted with is what the command line says, but for instructions. */
static bool take_options(struct profile_source *source, const char *path, const char *text)
{
	for (unsigned i = 0; i < 8; i++) {
		struct profile_source given = {0};
		char own[EAR_PART_WORD_MAX];
		given.options.pcs = i & 1;
		given.options.interrupts_inside = i & 2;
		given.options.inlined = i & 4;
		options_text(&given, own);
		if (strcmp(text, own) != 0)
			continue;
		if (given.options.interrupts_inside != source->options.interrupts_inside)
			cli_error("%s: it was counted %s --interrupts-inside", path,
				given.options.interrupts_inside ? "with" : "without");
		else if (given.options.inlined != source->options.inlined)
			cli_error("%s: it was counted %s --inline", path,
				given.options.inlined ? "with" : "without");
		else
			return true;
		return false;
	}
	cli_error("%s: it was counted with options of another version", path);
	return false;
}

static bool read_part(struct profile_source *source, struct part_files *files, const char *path)
{
	struct ear_profile *next;

	if (!part_files_open(files, path, "profile") ||
		!take_options(source, path, files->head.options))
		return false;
	source->options.pcs = strncmp(files->head.options, "pcs", 3) == 0;
	if (ear_profile_new(&next, NULL, &source->options)) {
		cli_error("out of memory");
		return false;
	}
	if (!ear_profile_read(next, &files->reader)) {
		part_files_fail(files, path);
		ear_profile_free(next);
		return false;
	}
	return add(source, next, false);
}

static bool read_parts(struct profile_source *source, char **paths, int count)
{
	struct part_files files = {0};
	bool good = true;

	part_files_begin(&source->input, paths[0]);
	for (int i = 0; i < count && good; i++) {
		good = read_part(source, &files, paths[i]);
		part_files_close(&files);
	}
	if (good)
		part_files_check_whole(&files);
	return part_files_find_names(&files, &source->input, source->program) && good;
}

/* Print what was counted, instead of finishing it. */
static bool print_part(struct profile_source *source)
{
	struct ear_part_writer writer;
	struct ear_part_head head;

	if (!part_file_head(&head, &source->parts, &source->input, "profile"))
		return false;
	options_text(source, head.options);
	ear_part_write_head(&writer, stdout, &head);
	int result = ear_profile_write(source->profile, &writer);
	if (result) {
		cli_error("%s", ear_error_text(result));
		return false;
	}
	ear_part_write_end(&writer);
	return true;
}

/* ---- Both. ---- */

bool profile_source_read(struct profile_source *source, char **paths, int count)
{
	const bool of_parts = part_file_is_one(paths[0]);

	if (source->within.count + source->without.count > 0 &&
		(of_parts || source->parts.part > 0)) {
		cli_error("--within and --exclude are for traces, not for parts");
		return false;
	}
	if ((source->has_by || source->task || source->has_methods) &&
		(of_parts || count > 1 || source->parts.part > 0 || source->parts.jobs > 1)) {
		cli_error("--by, --methods and --task read one trace, in one thread");
		return false;
	}
	if (source->parts.from && source->has_methods) {
		cli_error("--from: which methods run there is only known by reading from the "
			  "beginning");
		return false;
	}
	if (source->parts.part > 0 && (of_parts || count > 1)) {
		cli_error("--part: one trace, please");
		return false;
	}
	bool good = of_parts ? read_parts(source, paths, count) : read_traces(source, paths, count);

	if (source->parts.part > 0)
		return good && print_part(source);
	int result = source->profile ? ear_profile_finish(source->profile) : 0;
	if (result) {
		cli_error("%s", ear_error_text(result));
		ear_profile_free(source->profile);
		source->profile = NULL;
		return false;
	}
	return good;
}

void profile_source_close(struct profile_source *source)
{
	ear_profile_free(source->profile);
	source->profile = NULL;
	ear_by_free(source->by);
	ear_methods_free(source->methods);
	ear_tasks_free(source->tasks);
	source->by = NULL;
	source->methods = NULL;
	source->tasks = NULL;
	trace_input_close(&source->input);
}
