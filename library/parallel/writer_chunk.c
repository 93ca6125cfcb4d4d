/* Chunks of a text, written into memory by several writers of one format and put together in
 * order. A chunk is written on the guess that the writer's state is that after the chunk taken
 * last (a snapshot), and written again if it was not.
 */
#include "library/parallel/writer_chunk.h"

#include <earshot/error.h>
#include <stdlib.h>

/* What a format's writers need to know of the records before; NULL: more than fits a snapshot. */
static const struct ear_writer_cut *cut_of(const struct ear_writer_format *format)
{
	struct ear_text_output nowhere = {.fd = -1};
	struct ear_writer *writer = format->make ? format->make(&nowhere, NULL) : NULL;
	const struct ear_writer_cut *cut = writer ? writer->cut : NULL;

	ear_writer_free(writer);
	return cut;
}

bool ear_writer_team_can(const struct ear_writer_format *format, bool *shows_index)
{
	const struct ear_writer_cut *cut = cut_of(format);

	if (shows_index)
		*shows_index = cut && cut->shows_index;
	return cut;
}

bool ear_writer_team_parts(const struct ear_writer_format *format)
{
	const struct ear_writer_cut *cut = cut_of(format);

	return cut && !cut->follows;
}

int ear_writer_team_init(struct ear_writer_team *team, const struct ear_writer_format *format,
	const struct ear_writer_options *options, unsigned jobs)
{
	*team = (struct ear_writer_team){.format = format, .jobs = jobs, .nowhere = {.fd = -1}};
	if (options)
		team->options = *options;
	team->writers = calloc(jobs, sizeof(*team->writers));
	if (!team->writers)
		return EAR_E_NO_MEMORY;
	for (unsigned i = 0; i < jobs; i++) {
		team->writers[i] = format->make(&team->nowhere, &team->options);
		if (!team->writers[i])
			return EAR_E_NO_MEMORY;
		if (!team->writers[i]->cut)
			return EAR_E_UNSUPPORTED;
	}
	return team->writers[0]->cut->save(team->writers[0], &team->here);
}

void ear_writer_team_fini(struct ear_writer_team *team)
{
	for (unsigned i = 0; team->writers && i < team->jobs; i++)
		ear_writer_free(team->writers[i]);
	free(team->writers);
	ear_snapshot_fini(&team->here);
	*team = (struct ear_writer_team){0};
}

int ear_writer_chunk_init(struct ear_writer_chunk *chunk)
{
	*chunk = (struct ear_writer_chunk){0};
	return ear_text_output_init_memory(&chunk->text);
}

void ear_writer_chunk_fini(struct ear_writer_chunk *chunk)
{
	ear_text_output_fini(&chunk->text);
	ear_snapshot_fini(&chunk->begin);
	ear_snapshot_fini(&chunk->end);
}

int ear_writer_chunk_begin(const struct ear_writer_team *team, struct ear_writer_chunk *chunk)
{
	chunk->text.used = 0;
	chunk->text.error = 0;
	return ear_snapshot_copy(&chunk->begin, &team->here);
}

int ear_writer_chunk_enter(
	struct ear_writer_team *team, struct ear_writer_chunk *chunk, unsigned thread)
{
	chunk->writer = team->writers[thread];
	chunk->writer->output = &chunk->text;
	return chunk->writer->cut->restore(chunk->writer, &chunk->begin);
}

int ear_writer_chunk_leave(struct ear_writer_chunk *chunk)
{
	int result = chunk->writer->cut->save(chunk->writer, &chunk->end);

	chunk->writer = NULL;
	return result ? result : chunk->text.error;
}

bool ear_writer_chunk_valid(
	const struct ear_writer_team *team, const struct ear_writer_chunk *chunk)
{
	return ear_snapshot_equal(&chunk->begin, &team->here, false);
}

int ear_writer_team_take(struct ear_writer_team *team, const struct ear_writer_chunk *chunk,
	struct ear_text_output *output)
{
	ear_text_output_append(output, chunk->text.buffer, chunk->text.used);
	return output->error ? output->error : ear_snapshot_copy(&team->here, &chunk->end);
}
