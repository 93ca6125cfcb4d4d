#include "cli/commands/coverage/coverage_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/moment.h>

#include "cli/base/cli.h"

static const char *analysis_of(const struct coverage_source *source)
{
	return source->is_isa ? "coverage --isa" : "coverage";
}

/* ---- A trace. ---- */

static int begin_part(void *context, unsigned number, struct ear_moment *moment,
	const struct ear_progress *progress)
{
	struct coverage_source *source = context;
	struct coverage_part *part = &source->of_parts[number];

	(void)moment;
	(void)progress;
	source->tasks.tasks = source->parts.follower;
	part->skipped = false;
	if (!source->is_isa)
		return ear_coverage_new(&part->lines);
	int result = ear_instructions_new(&part->decoder, source->march, NULL);
	if (result == 0)
		result = ear_isa_coverage_new(&part->isa, part->decoder);
	if (result)
		return result;
	ear_isa_coverage_open(part->isa);
	ear_isa_coverage_shows(part->isa, source->shows_traps, source->shows_interrupts);
	return 0;
}

static bool is_instruction(const struct ear_batch *batch)
{
	return batch->run || batch->record->kind == EAR_RECORD_INSTRUCTION;
}

/* task_batches_taker: of what is before the part. */
static int skip_task(void *context, const struct ear_batch *batch, uint32_t task, bool wanted)
{
	struct coverage_part *part = context;

	(void)task;
	if (is_instruction(batch))
		part->skipped = !wanted;
	return 0;
}

static int take_before(void *context, const struct ear_batch *batch)
{
	struct coverage_source *source = context;
	const bool ran = source->tasks.ran;

	int result =
		batch ? task_batches_take(&source->tasks, batch, skip_task, &source->of_parts[0])
		      : 0;
	source->tasks.ran = ran;
	return result;
}

/* task_batches_taker. What other tasks left in registers is not followed. */
static int take_task(void *context, const struct ear_batch *batch, uint32_t task, bool wanted)
{
	struct coverage_part *part = context;

	(void)task;
	if (is_instruction(batch)) {
		const bool skipped = part->skipped;
		part->skipped = !wanted;
		if (!wanted)
			return 0;
		if (skipped && part->isa)
			ear_isa_coverage_pause(part->isa);
	}
	return part->isa ? ear_isa_coverage_batch(part->isa, batch)
			 : ear_coverage_batch(part->lines, batch);
}

static int count_batch(void *context, unsigned number, const struct ear_batch *batch)
{
	struct coverage_source *source = context;
	struct coverage_part *part = &source->of_parts[number];

	return task_batches_take(&source->tasks, batch, take_task, part);
}

static int join_part(struct coverage_source *source, const struct coverage_part *part)
{
	if (part->isa)
		return ear_isa_coverage_join(source->isa, part->isa);
	return part->lines ? ear_coverage_join(source->coverage, part->lines) : 0;
}

static void free_part(struct coverage_part *part)
{
	ear_coverage_free(part->lines);
	ear_isa_coverage_free(part->isa);
	ear_instructions_free(part->decoder);
	*part = (struct coverage_part){.lines = NULL};
}

/* What was counted of the trace, to what was counted of those before it. */
static bool join(struct coverage_source *source, unsigned planned)
{
	int result = 0;

	for (unsigned i = 0; i < planned; i++) {
		struct coverage_part *part = &source->of_parts[i];
		if (result == 0 && i < source->parts.count)
			result = join_part(source, part);
		/* A part that is to be printed stays. */
		if (source->parts.part == 0)
			free_part(part);
	}
	if (result)
		cli_error("%s", ear_error_text(result));
	return result == 0;
}

static bool read_trace(struct coverage_source *source)
{
	static const struct trace_parts_work work = {begin_part, count_batch, NULL};
	struct trace_parts *parts = &source->parts;

	parts->tasks = source->tasks.task ? &source->tasks.options : NULL;
	parts->before = take_before;
	if (!trace_parts_plan(parts, &source->input))
		return false;
	source->shows_traps = ear_trace_carries(source->input.trace, "trap cause") != 0;
	source->shows_interrupts = ear_trace_carries(source->input.trace, "interrupt") != 0;
	const unsigned planned = parts->count;
	bool good = trace_parts_read(parts, &source->input, &work, source);
	if (source->tasks.tasks)
		source->tasks.events += ear_tasks_events(source->tasks.tasks);
	source->tasks.tasks = NULL;
	trace_parts_end_tasks(parts);
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
	/* Names of tasks may be in it. */
	if (source->tasks.task && input->names &&
		ear_trace_set_program(input->trace, input->names)) {
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

/* --march, a long one by a hash of it (FNV-1a), and --task. */
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
	if (source->tasks.task)
		task_batches_describe(&source->tasks, text);
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
	if (strcmp(options, files->head.options) != 0) {
		cli_error("%s: it was counted with another %s--task or --event-port", path,
			source->is_isa ? "--march, " : "");
		return false;
	}
	bool good = task_batches_read(&source->tasks, &files->reader);
	good = good &&
	       (source->is_isa ? read_isa_part(source, files) : read_lines_part(source, files));
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
	task_batches_write(&source->tasks, &writer);
	if (source->is_isa)
		ear_isa_coverage_write(source->of_parts[0].isa, &writer);
	else
		ear_coverage_write(source->of_parts[0].lines, &writer);
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
	if (!begin(source))
		return false;
	bool good = of_parts ? read_parts(source, paths, count) : read_traces(source, paths, count);
	if (good && parts->part == 0 && !cli_interrupted)
		good = task_batches_check(&source->tasks, paths[0]);
	return good;
}

void coverage_source_close(struct coverage_source *source)
{
	for (unsigned i = 0; i < TRACE_PARTS_MAX; i++)
		free_part(&source->of_parts[i]);
	ear_isa_coverage_free(source->isa);
	ear_instructions_free(source->instructions);
	ear_coverage_free(source->coverage);
	trace_parts_end_tasks(&source->parts);
	trace_input_close(&source->input);
}
