/* Records in the order of their text, from several threads: a product of the parallel reader is a
 * batch of copies, and the batches are given out one after another.
 */
#include "library/parallel/ordered_reader.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "decoder/record/record_batch.h"
#include "library/parallel/parallel_reader.h"

struct ear_ordered_reader {
	struct ear_parallel_reader *parallel;
	struct ear_record_cursor cursor;
	int result; /* what to return after the batch; 1: there may be another */
};

static void *make_batch(void *context)
{
	(void)context;
	return calloc(1, sizeof(struct ear_record_batch));
}

static void free_batch(void *context, void *product)
{
	(void)context;
	ear_record_batch_fini(product);
	free(product);
}

static int begin_batch(void *context, void *product)
{
	(void)context;
	ear_record_batch_clear(product);
	return 0;
}

static int take_record(void *context, void *product, const struct ear_record *record)
{
	(void)context;
	return ear_record_batch_add_compact(product, record);
}

int ear_ordered_reader_new(struct ear_ordered_reader **ordered, struct ear_reader *reader,
	const struct ear_reader_format *format, unsigned jobs)
{
	const struct ear_parallel_options options = {
		.jobs = jobs,
		.limit = UINT64_MAX,
		.use = {.make = make_batch,
			.free = free_batch,
			.begin = begin_batch,
			.take = take_record},
	};
	struct ear_ordered_reader *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->result = 1;
	ear_record_cursor_begin(&made->cursor, NULL);
	int result = ear_parallel_reader_new(&made->parallel, reader, format, &options);
	if (result) {
		free(made);
		return result;
	}
	*ordered = made;
	return 0;
}

void ear_ordered_reader_free(struct ear_ordered_reader *ordered)
{
	if (!ordered)
		return;
	ear_parallel_reader_free(ordered->parallel);
	free(ordered);
}

int ear_ordered_reader_next(struct ear_ordered_reader *ordered, const struct ear_record **record)
{
	struct ear_record *next;

	while (!(next = ear_record_cursor_next(&ordered->cursor))) {
		void *product;
		if (ordered->result <= 0)
			return ordered->result;
		ordered->result = ear_parallel_reader_next(ordered->parallel, &product);
		ear_record_cursor_begin(&ordered->cursor, product);
	}
	ear_parallel_reader_correct(ordered->parallel, next);
	*record = next;
	return 1;
}
