#include "cli/commands/coverage_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <earshot/error.h>

#include "cli/base/cli.h"

static const char *analysis_of(const struct coverage_source *source)
{
	return source->is_isa ? "coverage --isa" : "coverage";
}

/* ---- A trace. ---- */

static int begin_part(void *context, unsigned part, struct ear_moment *moment,
	const struct ear_progress *progress)
{
	struct coverage_source *source = context;

	(void)moment;
	(void)progress;
	if (!source->is_isa)
		return ear_coverage_new(&source->counted[part]);
	int result = ear_instructions_new(&source->decoders[part], source->march, NULL);
	if (result == 0)
		result = ear_isa_coverage_new(&source->counted_isa[part], source->decoders[part]);
	if (result)
		return result;
	ear_isa_coverage_open(source->counted_isa[part]);
	ear_isa_coverage_shows(
		source->counted_isa[part], source->shows_traps, source->shows_interrupts);
	return 0;
}

static int count_whole(struct coverage_source *source, unsigned part, const struct ear_batch *batch)
{
	return source->is_isa ? ear_isa_coverage_batch(source->counted_isa[part], batch)
			      : ear_coverage_batch(source->counted[part], batch);
}

/* ear_tasks_take: record by record where a batch is of several tasks. */
static int take_task(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t task)
{
	struct coverage_source *source = context;
	int result = 0;

	if (task == 0 || !ear_tasks_is(source->tasks, task, source->task)) {
		source->skipped = true;
		return 0;
	}
	/* What other tasks left in registers is not followed. */
	if (source->skipped && source->is_isa)
		ear_isa_coverage_pause(source->counted_isa[0]);
	source->skipped = false;
	source->task_ran = true;
	if (count == batch->count)
		return count_whole(source, 0, batch);
	for (size_t i = first; i < first + count && result == 0; i++) {
		const struct ear_batch one = {.size = sizeof(one),
			.count = 1,
			.position = batch->position + i,
			.number = batch->number + i,
			.record = ear_batch_record(batch, i)};
		result = count_whole(source, 0, &one);
	}
	return result;
}

static int count_batch(void *context, unsigned part, const struct ear_batch *batch)
{
	struct coverage_source *source = context;
	const bool instructions = batch->run || batch->record->kind == EAR_RECORD_INSTRUCTION;

	if (source->tasks && instructions)
		return ear_tasks_batch(source->tasks, batch, take_task, source);
	int result = source->tasks ? ear_tasks_batch(source->tasks, batch, NULL, NULL) : 0;
	return result ? result : count_whole(source, part, batch);
}

/* What follows tasks is there when the trace is open. */
static bool begin_tasks(struct coverage_source *source)
{
	if (!source->task)
		return true;
	source->skipped = false;
	if (ear_tasks_new(&source->tasks, source->input.trace, &source->task_options,
		    &source->input.progress) == 0)
		return true;
	trace_input_fail(&source->input);
	return false;
}

/* With --from: which task runs there. */
static bool start_tasks(struct coverage_source *source)
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

static void end_tasks(struct coverage_source *source)
{
	if (source->tasks)
		source->task_events += ear_tasks_events(source->tasks);
	ear_tasks_free(source->tasks);
	source->tasks = NULL;
}

static int join_part(struct coverage_source *source, unsigned part)
{
	if (source->is_isa)
		return source->counted_isa[part]
			       ? ear_isa_coverage_join(source->isa, source->counted_isa[part])
			       : 0;
	return source->counted[part] ? ear_coverage_join(source->coverage, source->counted[part])
				     : 0;
}

static void free_part(struct coverage_source *source, unsigned part)
{
	ear_coverage_free(source->counted[part]);
	ear_isa_coverage_free(source->counted_isa[part]);
	ear_instructions_free(source->decoders[part]);
	source->counted[part] = NULL;
	source->counted_isa[part] = NULL;
	source->decoders[part] = NULL;
}

/* What was counted of the trace, to what was counted of those before it. */
static bool join(struct coverage_source *source, unsigned planned)
{
	int result = 0;

	for (unsigned i = 0; i < planned; i++) {
		if (result == 0 && i < source->parts.count)
			result = join_part(source, i);
		/* A part that is to be printed stays. */
		if (source->parts.part == 0)
			free_part(source, i);
	}
	if (result)
		cli_error("%s", ear_error_text(result));
	return result == 0;
}

static bool read_trace(struct coverage_source *source)
{
	static const struct trace_parts_work work = {begin_part, count_batch, NULL};

	if (!begin_tasks(source) || !trace_parts_plan(&source->parts, &source->input) ||
		!start_tasks(source))
		return false;
	source->shows_traps = ear_trace_carries(source->input.trace, "trap cause") != 0;
	source->shows_interrupts = ear_trace_carries(source->input.trace, "interrupt") != 0;
	const unsigned planned = source->parts.count;
	bool good = trace_parts_read(&source->parts, &source->input, &work, source);
	end_tasks(source);
	return join(source, planned) && good;
}

/* ---- Traces. ---- */

static bool is_same_program(struct coverage_source *source, const char *path)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	const struct trace_input *input = &source->input;
	int result = ear_trace_facts(input->trace, &facts);
	const char *own = result == 0 && facts.program_sha256 ? facts.program_sha256 : "";
	const char *first = input->symbols.sha256;
	const bool both = own[0] && first[0];

	if (input->symbols.anyway || strcmp(own, first) == 0 || (input->symbols.elf && !both))
		return true;
	source->refused = true;
	if (both)
		cli_error("%s: it is of another program than the trace before it: its coverage "
			  "is another one, too",
			path);
	else
		cli_error("%s: whether it is of the same program as the trace before it is not "
			  "known; if it is, give that with --elf",
			path);
	return false;
}

/* Another trace, of the same program. */
static bool open_next(struct coverage_source *source, const char *path)
{
	struct trace_input *input = &source->input;

	ear_trace_close(input->trace);
	input->trace = NULL;
	input->path = path;
	if (ear_trace_open(&input->trace, path, &input->options)) {
		input->trace = NULL;
		trace_input_fail(input);
		return false;
	}
	if (!source->is_isa)
		return is_same_program(source, path);
	ear_isa_coverage_pause(source->isa);
	return true;
}

static bool read_traces(struct coverage_source *source, char **paths, int count)
{
	bool good = true;

	for (int i = 0; i < count && good && !cli_interrupted; i++) {
		good = i == 0 ? trace_input_open(&source->input) : open_next(source, paths[i]);
		good = good && read_trace(source);
	}
	return good;
}

/* ---- Files of parts. ---- */

/* A long --march by a hash of it (FNV-1a). */
static void options_text(const struct coverage_source *source, char text[EAR_PART_WORD_MAX])
{
	const char *march = source->is_isa && source->march ? source->march : "-";
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (const char *at = march; *at; at++)
		hash = (hash ^ (uint8_t)*at) * UINT64_C(0x100000001b3);
	if (strlen(march) < EAR_PART_WORD_MAX && !strpbrk(march, "\r\n"))
		snprintf(text, EAR_PART_WORD_MAX, "%s", march);
	else
		snprintf(text, EAR_PART_WORD_MAX, "march-%016" PRIx64, hash);
}

static bool read_lines_part(struct coverage_source *source, struct part_files *files)
{
	struct ear_coverage *next;

	if (ear_coverage_new(&next))
		return ear_part_fail(&files->reader, "out of memory");
	bool good = ear_coverage_read(next, &files->reader);
	if (good && ear_coverage_join(source->coverage, next))
		good = ear_part_fail(&files->reader, "out of memory");
	ear_coverage_free(next);
	return good;
}

static bool read_isa_part(struct coverage_source *source, struct part_files *files)
{
	struct ear_isa_coverage *next;

	if (ear_isa_coverage_new(&next, source->instructions))
		return ear_part_fail(&files->reader, "out of memory");
	bool good = ear_isa_coverage_read(next, &files->reader);
	if (good && ear_isa_coverage_join(source->isa, next))
		good = ear_part_fail(&files->reader, "out of memory, or there are too many harts");
	ear_isa_coverage_free(next);
	return good;
}

static bool read_part(struct coverage_source *source, struct part_files *files, const char *path)
{
	char options[EAR_PART_WORD_MAX];

	if (!part_files_open(files, path, analysis_of(source)))
		return false;
	options_text(source, options);
	if (source->is_isa && strcmp(options, files->head.options) != 0) {
		cli_error("%s: it was counted with another --march", path);
		return false;
	}
	bool good = source->is_isa ? read_isa_part(source, files) : read_lines_part(source, files);
	if (!good)
		part_files_fail(files, path);
	return good;
}

static bool read_parts(struct coverage_source *source, char **paths, int count)
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

bool coverage_source_print_part(struct coverage_source *source)
{
	struct ear_part_writer writer;
	struct ear_part_head head;

	if (!part_file_head(&head, &source->parts, &source->input, analysis_of(source)))
		return false;
	options_text(source, head.options);
	ear_part_write_head(&writer, stdout, &head);
	if (source->is_isa)
		ear_isa_coverage_write(source->counted_isa[0], &writer);
	else
		ear_coverage_write(source->counted[0], &writer);
	ear_part_write_end(&writer);
	return true;
}

/* ---- Both. ---- */

/* Returns false after printing why not. */
static bool begin(struct coverage_source *source)
{
	char error[EAR_INSTRUCTIONS_ERROR_MAX] = "";
	int result = 0;

	if (source->is_isa) {
		result = ear_instructions_new(&source->instructions, source->march, error);
		if (result) {
			cli_error("--march: %s", error[0] ? error : ear_error_text(result));
			return false;
		}
		result = ear_isa_coverage_new(&source->isa, source->instructions);
	} else {
		result = ear_coverage_new(&source->coverage);
	}
	if (result)
		cli_error("%s", ear_error_text(result));
	return result == 0;
}

bool coverage_source_read(struct coverage_source *source, char **paths, int count)
{
	const struct trace_parts *parts = &source->parts;
	const bool of_parts = part_file_is_one(paths[0]);

	source->input.path = paths[0];
	if (parts->part > 0 && (of_parts || count > 1)) {
		cli_error("--part: one trace, please");
		return false;
	}
	if (source->task && (of_parts || parts->part > 0 || parts->jobs > 1)) {
		cli_error("--task reads traces, in one thread");
		return false;
	}
	if (!begin(source))
		return false;
	bool good = of_parts ? read_parts(source, paths, count) : read_traces(source, paths, count);
	if (good && source->task && !source->task_ran && !cli_interrupted) {
		if (source->task_events == 0)
			cli_error("%s: no event says which task runs", paths[0]);
		else
			cli_error("%s: no task is '%s'", paths[0], source->task);
		return false;
	}
	return good;
}

void coverage_source_close(struct coverage_source *source)
{
	for (unsigned i = 0; i < TRACE_PARTS_MAX; i++)
		free_part(source, i);
	ear_isa_coverage_free(source->isa);
	ear_instructions_free(source->instructions);
	ear_coverage_free(source->coverage);
	ear_tasks_free(source->tasks);
	source->tasks = NULL;
	trace_input_close(&source->input);
}
