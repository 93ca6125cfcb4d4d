/* Searching a text with several threads. Each of them takes a chunk of the file and keeps the
 * records that may be shown: what is around a match may be in the chunk before or after, so the
 * first and last records of a chunk are kept as well. One thread then shows them in order, as if
 * they had come one by one.
 */
#include "cli/commands/grep/grep_chunks.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "common/array.h"
#include "decoder/record/record_batch.h"
#include "library/parallel/parallel_reader.h"

/* How many records of the chunk come before one, and how many of them are instructions. */
struct chosen {
	uint64_t number, instructions;
};

/* Of a chunk of FILE that a thread reads: the records that may be shown, and where they are in
 * it. Those are the matches with what is to be shown around them, and the first and last records of
 * the chunk, for matches in its neighbours.
 */
struct found {
	struct ear_record_batch batch;
	struct chosen *chosen;
	size_t capacity;
	uint64_t number; /* of the next record */
	uint64_t matches;
	uint64_t instructions;
	struct ear_missing missing;
	uint64_t show_end;                   /* records below are shown */
	struct ear_record_copy *before;      /* ring of the last records that are not chosen */
	uint64_t *before_instructions;       /* before each of them */
	uint64_t before_begin, before_count; /* numbers */
};

static void *make_found(void *context)
{
	const struct grep *grep = context;
	struct found *found = calloc(1, sizeof(*found));

	if (!found || grep->before == 0)
		return found;
	found->before = calloc(grep->before, sizeof(*found->before));
	found->before_instructions = calloc(grep->before, sizeof(uint64_t));
	if (found->before && found->before_instructions)
		return found;
	free(found->before_instructions);
	free(found->before);
	free(found);
	return NULL;
}

static void free_found(void *context, void *product)
{
	const struct grep *grep = context;
	struct found *found = product;

	for (unsigned i = 0; found->before && i < grep->before; i++)
		ear_record_copy_fini(&found->before[i]);
	free(found->before);
	free(found->before_instructions);
	free(found->chosen);
	ear_record_batch_fini(&found->batch);
	free(found);
}

static int begin_found(void *context, void *product)
{
	const struct grep *grep = context;
	struct found *found = product;

	ear_record_batch_clear(&found->batch);
	found->number = found->matches = found->instructions = 0;
	found->missing = (struct ear_missing){.size = sizeof(found->missing)};
	found->before_begin = found->before_count = 0;
	found->show_end = grep->after;
	return 0;
}

static int choose(struct found *found, const struct ear_record *record, struct chosen chosen)
{
	if (!EAR_ARRAY_RESERVE(found->chosen, &found->capacity, found->batch.count + 1))
		return EAR_E_NO_MEMORY;
	found->chosen[found->batch.count] = chosen;
	return ear_record_batch_add(&found->batch, record) ? 0 : EAR_E_NO_MEMORY;
}

/* The records before a match or before the end of the chunk. */
static int choose_before(const struct grep *grep, struct found *found)
{
	int result = 0;

	for (uint64_t i = 0; i < found->before_count && result == 0; i++) {
		uint64_t number = found->before_begin + i, at = number % grep->before;
		result = choose(found, &found->before[at].record,
			(struct chosen){number, found->before_instructions[at]});
	}
	found->before_count = 0;
	return result;
}

static int keep_before(const struct grep *grep, struct found *found,
	const struct ear_record *record, uint64_t instructions)
{
	uint64_t at = found->number % grep->before;

	if (found->before_count == grep->before) {
		found->before_begin++;
		found->before_count--;
	}
	if (found->before_count == 0)
		found->before_begin = found->number;
	found->before_count++;
	found->before_instructions[at] = instructions;
	return ear_record_copy_set(&found->before[at], record);
}

static int search_record(void *context, void *product, const struct ear_record *record)
{
	const struct grep *grep = context;
	struct found *found = product;
	bool matches = ear_match_record(&grep->conditions.match, record), wanted;
	const struct chosen here = {found->number, found->instructions};
	int result = 0;

	found->matches += matches;
	found->instructions += record->kind == EAR_RECORD_INSTRUCTION;
	if (record->kind == EAR_RECORD_GAP)
		ear_missing_add(&found->missing, &record->u.gap, found->instructions);
	if (matches && found->show_end < found->number + 1 + grep->after)
		found->show_end = found->number + 1 + grep->after;
	wanted = found->number < found->show_end && !grep->count_only;
	if (matches && wanted)
		result = choose_before(grep, found);
	if (result == 0 && wanted)
		result = choose(found, record, here);
	else if (result == 0 && grep->before > 0)
		result = keep_before(grep, found, record, here.instructions);
	found->number++;
	return result;
}

static int end_found(void *context, void *product)
{
	return choose_before(context, product);
}

/* What a thread has found, as if the records had come one by one, behind so many instructions.
 * Returns as grep_take. */
static int take_found(struct grep *grep, struct ear_parallel_reader *parallel, struct found *found,
	uint64_t instructions)
{
	uint64_t next = 0;
	int result = 1;

	if (grep->count_only) {
		grep->matches += found->matches;
		return 1;
	}
	for (size_t i = 0; i < found->batch.count && result > 0; i++) {
		const struct chosen *chosen = &found->chosen[i];
		if (chosen->number != next)
			grep_pass_over(grep);
		next = chosen->number + 1;
		ear_parallel_reader_correct(parallel, &found->batch.records[i]);
		result = grep_take(
			grep, &found->batch.records[i], instructions + chosen->instructions);
	}
	if (next != found->number)
		grep_pass_over(grep);
	return result;
}

static void note_missing(struct grep *grep, const struct found *found)
{
	struct source_input *input = &grep->input;

	verdict_join(&input->missing, &found->missing, input->instruction_count);
	input->instruction_count += found->instructions;
}

int grep_chunks(struct grep *grep)
{
	const struct ear_parallel_options options = {
		.jobs = grep->jobs,
		.limit = UINT64_MAX,
		.use = {.context = grep,
			.make = make_found,
			.free = free_found,
			.begin = begin_found,
			.leave = end_found,
			.take = search_record},
	};
	struct ear_parallel_reader *parallel;
	void *product;
	int taken = 1;
	int result = ear_source_read_chunks(grep->input.source, &parallel, &options);

	if (result)
		return result;
	while (taken > 0 && !cli_interrupted && !grep->text.error &&
		(result = ear_parallel_reader_next(parallel, &product)) > 0) {
		grep->input.record_count += ear_parallel_reader_records(parallel);
		const uint64_t instructions = grep->input.instruction_count;
		note_missing(grep, product);
		taken = take_found(grep, parallel, product, instructions);
		if (cli_progress_wanted() && !isatty(STDOUT_FILENO))
			grep_show_progress(grep);
	}
	if (result < 0 && product) {
		const uint64_t instructions = grep->input.instruction_count;
		note_missing(grep, product);
		take_found(grep, parallel, product, instructions);
	}
	result = taken < 0 ? taken : result;
	if (result < 0)
		source_input_fail(&grep->input, result);
	ear_parallel_reader_free(parallel);
	return result;
}
