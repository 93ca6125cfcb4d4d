#include "cli/commands/profile/profile_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <earshot/address.h>
#include <earshot/error.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/commands/profile/profile_counter.h"
#include "cli/input/part_file.h"

/* ---- A trace. ---- */

static int begin_part(void *context, unsigned part, struct ear_moment *moment,
	const struct ear_progress *progress)
{
	struct profile_source *source = context;
	struct profile_counter *counter = &source->counters[part];

	int result = profile_counter_new(
		counter, &source->what, source->input.names, source->parts.follower);
	if (result)
		profile_counter_free(counter);
	return result == 0 && moment && counter->profile
		       ? ear_profile_start(counter->profile, moment, progress)
		       : result;
}

static int take_before(void *context, const struct ear_batch *batch)
{
	struct profile_source *source = context;

	return profile_counter_before(&source->counters[0], batch);
}

static int count_batch(void *context, unsigned part, const struct ear_batch *batch)
{
	struct profile_source *source = context;

	return profile_counter_batch(&source->counters[part], batch);
}

/* What comes next to what there is. apart: it is not what follows it. */
static bool add(struct profile_source *source, struct profile_counter *next, bool apart)
{
	struct profile_counter *sum = &source->sum;

	if (apart && sum->profile)
		ear_profile_pause(sum->profile);
	int result = profile_counter_join(sum, next);
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
	source->what.options.within = source->within.entries;
	source->what.options.within_count = source->within.count;
	source->what.options.without = source->without.entries;
	source->what.options.without_count = source->without.count;
	return true;
}

/* ---- Traces. ---- */

/* Was anything counted? */
static bool has_begun(const struct profile_counter *counter)
{
	return counter->profile || counter->by || counter->methods;
}

/* The parts before a place that could not be read are the profile of what came before it. */
static bool read_trace(struct profile_source *source, bool apart)
{
	static const struct ear_part_work work = {
		.begin = begin_part, .before = take_before, .batch = count_batch};
	struct trace_parts *parts = &source->parts;

	source->what.options.no_traps = ear_trace_carries(source->input.trace, "trap cause") == 0;
	source->what.options.no_interrupts =
		ear_trace_carries(source->input.trace, "interrupt") == 0;
	source->what.options.lock = parts->plan.jobs > 1 ? &source->lock : NULL;
	source->what.options.two_threads = parts->plan.jobs > 1;
	parts->tasks = profile_counter_follows(&source->what) ? &source->what.tasks.options : NULL;
	parts->in_order = parts->in_order || parts->tasks;
	if (!find_filters(source) || !trace_parts_plan(parts, &source->input))
		return false;
	const unsigned planned = parts->plan.count;
	bool good = trace_parts_read(parts, &source->input, &work, source);
	for (unsigned i = 0; i < planned; i++) {
		struct profile_counter *counter = &source->counters[i];
		if (has_begun(counter) && i < parts->plan.count) {
			int result = profile_counter_end(counter);
			if (result)
				cli_error("%s", ear_error_text(result));
			good = add(source, counter, apart && i == 0) && result == 0 && good;
		}
		profile_counter_free(counter);
	}
	trace_parts_end_tasks(parts);
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

static void options_text(const struct profile_source *source, const struct ear_profile_options *how,
	char text[EAR_PART_WORD_MAX])
{
	snprintf(text, EAR_PART_WORD_MAX, "%s%s%s", how->pcs ? "pcs" : "-",
		how->interrupts_inside ? " inside" : "", how->inlined ? " inline" : "");
	if (profile_counter_follows(&source->what))
		ear_task_filter_describe(&source->what.tasks, text);
}

/* What the parts were counted with is what the command line says, but for instructions. */
static bool check_options(const struct profile_source *source, const char *path, const char *text)
{
	for (unsigned i = 0; i < 8; i++) {
		const struct ear_profile_options given = {
			.pcs = i & 1, .interrupts_inside = i & 2, .inlined = i & 4};
		char own[EAR_PART_WORD_MAX];
		options_text(source, &given, own);
		if (strcmp(text, own) != 0)
			continue;
		if (given.interrupts_inside != source->what.options.interrupts_inside)
			cli_error("%s: it was counted %s --interrupts-inside", path,
				given.interrupts_inside ? "with" : "without");
		else if (given.inlined != source->what.options.inlined)
			cli_error("%s: it was counted %s --inline", path,
				given.inlined ? "with" : "without");
		else
			return true;
		return false;
	}
	cli_error("%s: it was counted with another --task or --event-port", path);
	return false;
}

static bool read_part(struct profile_source *source, struct part_files *files, const char *path)
{
	char analysis[EAR_PART_WORD_MAX];
	struct profile_counter next;

	profile_counter_analysis(&source->what, analysis);
	if (!part_files_open(files, path, analysis))
		return false;
	source->what.options.pcs = strncmp(files->head.options, "pcs", 3) == 0;
	if (!check_options(source, path, files->head.options))
		return false;
	if (profile_counter_new(&next, &source->what, NULL, NULL)) {
		cli_error("out of memory");
		profile_counter_free(&next);
		return false;
	}
	if (!profile_counter_read(&next, &files->reader)) {
		part_files_fail(files, path);
		profile_counter_free(&next);
		return false;
	}
	return add(source, &next, false);
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
	char analysis[EAR_PART_WORD_MAX];

	profile_counter_analysis(&source->what, analysis);
	if (!part_file_head(&head, &source->parts, &source->input, analysis))
		return false;
	options_text(source, &source->what.options, head.options);
	ear_part_write_head(&writer, stdout, &head);
	int result = profile_counter_write(&source->sum, &writer);
	if (result) {
		cli_error("%s", ear_error_text(result));
		return false;
	}
	ear_part_write_end(&writer);
	return true;
}

/* ---- Both. ---- */

/* What does not go together: it is printed. */
static bool check(const struct profile_source *source, bool of_parts, int count)
{
	const bool rows =
		source->what.has_by || source->what.has_methods || source->what.tasks.task;

	if (source->within.count + source->without.count > 0 &&
		(of_parts || source->parts.part > 0))
		cli_error("--within and --exclude are for traces, not for parts");
	else if (rows && !of_parts && count > 1)
		cli_error("--by, --methods and --task read one trace");
	else if (source->parts.part > 0 && (of_parts || count > 1))
		cli_error("--part: one trace, please");
	else
		return true;
	return false;
}

bool profile_source_read(struct profile_source *source, char **paths, int count)
{
	const bool of_parts = part_file_is_one(paths[0]);

	if (!check(source, of_parts, count))
		return false;
	bool good = of_parts ? read_parts(source, paths, count) : read_traces(source, paths, count);

	if (source->parts.part > 0)
		return good && print_part(source);
	int result = source->sum.profile ? ear_profile_finish(source->sum.profile) : 0;
	if (result) {
		cli_error("%s", ear_error_text(result));
		profile_counter_free(&source->sum);
		return false;
	}
	return good;
}

void profile_source_close(struct profile_source *source)
{
	profile_counter_free(&source->sum);
	trace_parts_end_tasks(&source->parts);
	trace_input_close(&source->input);
}
