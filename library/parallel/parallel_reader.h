#ifndef EAR_PARALLEL_READER_H
#define EAR_PARALLEL_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/base/reader.h"
#include "decoder/text/text_input.h"

/* A text read by several threads. It is cut into chunks of whole lines, each thread reads one chunk
 * at a time, and the products of the chunks come out in their order.
 *
 *   file -> chunks -> thread: records -> product \
 *                 \-> thread: records -> product -> in order -> the caller
 *
 * A product is what the user makes of the records of a chunk: a formatted text, copies of the
 * records (record_batch.h), a count. It is made in the thread that reads, so that records
 * are not carried from one processor to another, which would take as long as reading them.
 *
 * The result is the same as with one thread, whatever the text. A chunk is read on the assumption
 * that the lines before it leave the state that was true some chunks ago (struct ear_snapshot). If
 * that turns out to be wrong, or if a line is worth a report, the caller's thread reads the chunk
 * again. So reports come in order, in the caller's thread, and are those of one thread.
 *
 * Memory: 2 chunks and products a thread and 2 more, and a reader a thread.
 */
struct ear_parallel_reader;

/* What is made of the records. enter, take and leave are called in any thread, but for one product
 * in one thread at a time; all others are called in the caller's thread. A chunk may be begun again
 * at any time: then what was taken does not count.
 */
struct ear_parallel_use {
	void *context; /* of all functions */

	/* A product for later use; it is used again and again. NULL if memory is short. */
	void *(*make)(void *context);
	void (*free)(void *context, void *product);

	/* The records of a chunk are to come. Returns 0 or an error. */
	int (*begin)(void *context, void *product);

	/* In the thread that reads the chunk, before its first record and after its last one.
	 * thread: 0 .. jobs-1, for what each thread has of its own. Return 0 or an error. NULL:
	 * there is nothing to do. */
	int (*enter)(void *context, void *product, unsigned thread);
	int (*leave)(void *context, void *product);

	/* A record, in the order of the file. Returns 0 or an error. An error of a thread is not
	 * yet one: the chunk is begun again in the caller's thread, which ends if it comes again.
	 */
	int (*take)(void *context, void *product, const struct ear_record *record);

	/* All chunks before this one are done: was it begun rightly? false: it is begun again.
	 * NULL: always. */
	bool (*accept)(void *context, void *product);
};

struct ear_parallel_options {
	unsigned jobs;   /* threads that work, the caller's included, >= 1 */
	bool need_index; /* take looks at the records' indexes; without, they may be shifted */
	uint64_t limit;  /* maximum of records to read; UINT64_MAX: all */
	struct ear_parallel_use use;
};

/* Can this reader's text be read in chunks? */
bool ear_parallel_reader_can(const struct ear_reader *reader);

/* Take over *reader, which has read no record yet and must not be used any more, with its input;
 * what the header says is filled in there at once. format: what made the reader.
 *
 * Returns 0 and *parallel, to be freed before the reader; EAR_E_UNSUPPORTED if it cannot be read
 * in chunks; EAR_E_NO_MEMORY.
 */
int ear_parallel_reader_new(struct ear_parallel_reader **parallel, struct ear_reader *reader,
	const struct ear_reader_format *format, const struct ear_parallel_options *options);
void ear_parallel_reader_free(struct ear_parallel_reader *parallel);

/* The next product, valid until the next call.
 *
 * Returns 1 and *product; 0 at the end of the file or at the limit; an error of ear_reader_next or
 * of take: *product is then what was made of the records before it, or NULL.
 */
int ear_parallel_reader_next(struct ear_parallel_reader *parallel, void **product);

/* The records of the product given last. */
uint64_t ear_parallel_reader_records(const struct ear_parallel_reader *parallel);

/* Give a copy of a record of that product, whose extra is a copy too, its index (unless need_index)
 * and its line number, which were not known to the thread. */
void ear_parallel_reader_correct(
	const struct ear_parallel_reader *parallel, struct ear_record *record);

#endif
