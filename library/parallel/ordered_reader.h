#ifndef EAR_ORDERED_READER_H
#define EAR_ORDERED_READER_H

#include "decoder/formats/base/reader.h"

/* The records of a text in their order, read by several threads (parallel_reader.h) and copied on
 * their way. The copies cost about half as much as to read a Whisper CSV: where something can be
 * made of the records in the threads themselves, that is faster.
 */
struct ear_ordered_reader;

/* As ear_parallel_reader_new. jobs: threads that read, the caller's included. */
int ear_ordered_reader_new(struct ear_ordered_reader **ordered, struct ear_reader *reader,
	const struct ear_reader_format *format, unsigned jobs);
void ear_ordered_reader_free(struct ear_ordered_reader *ordered);

/* The next record, valid until the next call. Returns as ear_reader_next. */
int ear_ordered_reader_next(struct ear_ordered_reader *ordered, const struct ear_record **record);

#endif
