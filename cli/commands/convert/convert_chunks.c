/* A conversion by several threads: each reads, converts and formats a chunk of FILE at a time, and
 * the chunks are written in their order. What has to be said of a chunk is kept with it until then.
 */
#include "cli/commands/convert/convert_chunks.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "decoder/record/record_batch.h"
#include "library/parallel/writer_chunk.h"

/* What the records of a chunk of FILE became. */
struct converted {
	struct ear_writer_chunk text;
	uint64_t lost[EAR_FIELD_COUNT];   /* records that lost each field */
	uint64_t instructions, other_isa; /* as in convert_loss */
	uint64_t gaps;
	struct ear_record_batch comments; /* apart: for standard error */
	char refused[160];                /* strict: why a record was not taken */
};

static void *make_converted(void *context)
{
	struct converted *made = calloc(1, sizeof(*made));

	(void)context;
	if (made && ear_writer_chunk_init(&made->text) != 0) {
		free(made);
		return NULL;
	}
	return made;
}

static void free_converted(void *context, void *product)
{
	struct converted *converted = product;

	(void)context;
	ear_writer_chunk_fini(&converted->text);
	ear_record_batch_fini(&converted->comments);
	free(converted);
}

static int begin_chunk(void *context, void *product)
{
	struct convert *convert = context;
	struct converted *converted = product;

	memset(converted->lost, 0, sizeof(converted->lost));
	converted->instructions = converted->other_isa = converted->gaps = 0;
	ear_record_batch_clear(&converted->comments);
	convert->begun = converted;
	return ear_writer_chunk_begin(&convert->team, &converted->text);
}

static int enter_chunk(void *context, void *product, unsigned thread)
{
	struct convert *convert = context;
	struct converted *converted = product;

	return ear_writer_chunk_enter(&convert->team, &converted->text, thread);
}

static int leave_chunk(void *context, void *product)
{
	struct converted *converted = product;

	(void)context;
	return ear_writer_chunk_leave(&converted->text);
}

static int convert_record(void *context, void *product, const struct ear_record *record)
{
	const struct convert *convert = context;
	struct converted *converted = product;
	const uint64_t lost = convert_loss_find(convert->format, record);

	convert_loss_count(converted->lost, lost, 1);
	converted->instructions += record->kind == EAR_RECORD_INSTRUCTION;
	converted->gaps += record->kind == EAR_RECORD_GAP;
	converted->other_isa += convert_loss_is_other_isa(convert->format, record);
	if (lost && convert->input.strict) {
		convert_loss_describe(converted->refused, sizeof(converted->refused),
			convert->input.source, record, lost);
		return EAR_E_UNSUPPORTED;
	}
	if (convert->outputs.comments.apart &&
		ear_writer_lacks_without_comments(convert->format, record) &&
		!ear_record_batch_add(&converted->comments, record))
		return EAR_E_NO_MEMORY;
	return ear_writer_push(converted->text.writer, record);
}

static bool accept_chunk(void *context, void *product)
{
	const struct convert *convert = context;
	const struct converted *converted = product;

	return ear_writer_chunk_valid(&convert->team, &converted->text);
}

static void show_comments(struct convert *convert, struct converted *converted)
{
	for (size_t i = 0; i < converted->comments.count; i++)
		comments_show(&convert->outputs.comments, &converted->comments.records[i]);
	ear_record_batch_clear(&converted->comments);
}

/* Only a chunk that is read in this thread reports lines, and it was begun just before: so the
 * comments before the line are shown before the report, as with one thread. */
void convert_chunks_before_report(void *context)
{
	struct convert *convert = context;

	if (convert->begun)
		show_comments(convert, convert->begun);
}

bool convert_chunks_open(struct convert *convert, int *result)
{
	struct ear_parallel_options options = {
		.jobs = convert->jobs,
		.limit = convert->limit,
		.use = {convert, make_converted, free_converted, begin_chunk, enter_chunk,
			leave_chunk, convert_record, accept_chunk},
	};

	if (convert->jobs < 2 || convert->with_port || convert->limit == 0 ||
		!ear_writer_team_can(convert->format, &options.need_index))
		return false;
	*result = ear_source_read_chunks(convert->input.source, &convert->parallel, &options);
	return *result != EAR_E_UNSUPPORTED;
}

/* Write a finished chunk to the output. */
static void put_chunk(struct convert *convert, struct converted *converted)
{
	for (size_t i = 0; i < converted->comments.count; i++)
		ear_parallel_reader_correct(convert->parallel, &converted->comments.records[i]);
	show_comments(convert, converted);
	convert_loss_add(&convert->loss, converted->lost);
	convert->loss.instructions += converted->instructions;
	convert->loss.other_isa += converted->other_isa;
	convert->input.missing.gaps += converted->gaps;
	convert->input.record_count += ear_parallel_reader_records(convert->parallel);
	outputs_text(&convert->outputs, &convert->team, &converted->text);
}

int convert_chunks_run(struct convert *convert)
{
	struct outputs *outputs = &convert->outputs;
	void *product = NULL;
	int result = ear_writer_team_init(
		&convert->team, convert->format, &outputs->writer_options, convert->jobs);

	if (result == 0) {
		while (!cli_interrupted && !outputs->failed &&
			(result = ear_parallel_reader_next(convert->parallel, &product)) > 0) {
			put_chunk(convert, product);
			if (cli_progress_wanted())
				convert_show_progress(convert);
		}
	}
	if (result < 0 && product)
		put_chunk(convert, product);
	if (result == EAR_E_UNSUPPORTED && product)
		cli_error("%s: %s", convert->input.name, ((struct converted *)product)->refused);
	else if (result < 0)
		source_input_fail(&convert->input, result);
	return result < 0 ? EAR_EXIT_FAILED : EAR_EXIT_DONE;
}

void convert_chunks_end(struct convert *convert)
{
	ear_parallel_reader_free(convert->parallel);
	ear_writer_team_fini(&convert->team);
}
