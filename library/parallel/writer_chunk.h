#ifndef EAR_WRITER_CHUNK_H
#define EAR_WRITER_CHUNK_H

#include <stdbool.h>

#include "decoder/formats/base/writer.h"

/* A text that several threads write: each formats the records of a chunk into memory, and the
 * chunks are put together in their order. The text is the same as from one writer: a chunk counts
 * only if its writer began in the state in which the chunk before it ended (struct ear_snapshot);
 * otherwise it is written again.
 *
 *     caller:          begin                      right? then take, else begin anew
 *     any thread:             enter, push..., leave
 */
struct ear_writer_team {
	const struct ear_writer_format *format;
	struct ear_writer_options options;
	struct ear_writer **writers; /* one a thread */
	unsigned jobs;
	struct ear_text_output nowhere; /* of writers without a chunk */
	struct ear_snapshot here;       /* after the chunk taken last */
};

struct ear_writer_chunk {
	struct ear_text_output text; /* text.used bytes at text.buffer */
	struct ear_snapshot begin, end;
	struct ear_writer *writer; /* in between enter and leave */
};

/* Can a format be written so? shows_index, if not NULL: do the instructions' indexes show? */
bool ear_writer_team_can(const struct ear_writer_format *format, bool *shows_index);

/* And in parts that know nothing of each other: lines depend on no other line but a header. */
bool ear_writer_team_parts(const struct ear_writer_format *format);

/* jobs: threads, numbered from 0. options NULL: the default.
 * Returns 0; EAR_E_UNSUPPORTED if the format cannot be written in chunks; EAR_E_NO_MEMORY. fini is
 * right after all.
 */
int ear_writer_team_init(struct ear_writer_team *team, const struct ear_writer_format *format,
	const struct ear_writer_options *options, unsigned jobs);
void ear_writer_team_fini(struct ear_writer_team *team);

/* Returns 0 or EAR_E_NO_MEMORY. A chunk is used again and again. */
int ear_writer_chunk_init(struct ear_writer_chunk *chunk);
void ear_writer_chunk_fini(struct ear_writer_chunk *chunk);

/* The chunk will be written, beginning in the state after the chunk taken last. Returns 0 or
 * EAR_E_NO_MEMORY. */
int ear_writer_chunk_begin(const struct ear_writer_team *team, struct ear_writer_chunk *chunk);

/* In the thread that writes it: ear_writer_push(chunk->writer, ...) is right in between.
 * Return 0 or EAR_E_NO_MEMORY. */
int ear_writer_chunk_enter(
	struct ear_writer_team *team, struct ear_writer_chunk *chunk, unsigned thread);
int ear_writer_chunk_leave(struct ear_writer_chunk *chunk);

/* Did it begin in the state after the chunk taken last? */
bool ear_writer_chunk_valid(
	const struct ear_writer_team *team, const struct ear_writer_chunk *chunk);

/* It is the next one: its text goes to output. Returns 0, the error of output, or
 * EAR_E_NO_MEMORY. */
int ear_writer_team_take(struct ear_writer_team *team, const struct ear_writer_chunk *chunk,
	struct ear_text_output *output);

#endif
