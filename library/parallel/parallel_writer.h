#ifndef EAR_PARALLEL_WRITER_H
#define EAR_PARALLEL_WRITER_H

#include <earshot/record.h>

#include "decoder/formats/base/writer.h"

/* A text written by several threads, for records that come one after another, from a capture for
 * instance: they are copied into batches (record_batch.h), which the threads format, and the texts
 * go out in order. The text is the same as from one writer.
 *
 * Memory: 2 batches a thread and 2 more, of 4096 records and at most 512 KiB each, and their
 * texts.
 */
struct ear_parallel_writer;

/* jobs: threads that work, the caller's included: with 1 it formats by itself, when a batch is
 * full. options NULL: the default. output stays the caller's and is written to by its thread only.
 *
 * Returns 0 and *writer, to be freed; EAR_E_UNSUPPORTED if the format cannot be written in chunks
 * (writer_chunk.h): use ear_writer_push instead; EAR_E_NO_MEMORY.
 */
int ear_parallel_writer_new(struct ear_parallel_writer **writer,
	const struct ear_writer_format *format, const struct ear_writer_options *options,
	struct ear_text_output *output, unsigned jobs);

/* What was not flushed is lost. NULL is fine. */
void ear_parallel_writer_free(struct ear_parallel_writer *writer);

/* One record, of which nothing is needed afterwards. Returns 0; an error of ear_writer_push or of
 * the output, perhaps of records before; EAR_E_NO_MEMORY. */
int ear_parallel_writer_push(struct ear_parallel_writer *writer, const struct ear_record *record);

/* A run of records, likewise. */
int ear_parallel_writer_push_run(struct ear_parallel_writer *writer,
	const struct ear_compact_run *run, const struct ear_compact_record *compacts);

/* Format all records that were pushed and give the text to output, which is not flushed. Returns
 * as push. */
int ear_parallel_writer_flush(struct ear_parallel_writer *writer);

#endif
