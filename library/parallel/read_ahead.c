/* Records from a source that cannot be cut into chunks, read by one other thread into batches. */
#include "library/parallel/read_ahead.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "decoder/record/record_batch.h"
#include "library/parallel/batch_queue.h"

#define BATCHES     32
#define RECORDS_MAX 128
#define COPIES_MAX  (256u << 10) /* bytes of copies, after which a batch is full */

struct ear_read_ahead {
	struct ear_read_ahead_use use;
	struct ear_batch_queue queue;
	struct ear_record_batch batches[BATCHES];
	struct ear_record_batch *filling; /* the thread's */

	struct ear_record_batch *current; /* the caller's; NULL: none */
	struct ear_record_cursor cursor;
	size_t report_at;
};

/* Returns 1 if the batch is full, else what ended it. */
static int fill_batch(void *context, unsigned at)
{
	struct ear_read_ahead *ahead = context;
	struct ear_record_batch *batch = &ahead->batches[at];
	const struct ear_record *record;

	ear_record_batch_clear(batch);
	ahead->filling = batch;
	while (ear_record_batch_count(batch) < RECORDS_MAX && batch->size < COPIES_MAX) {
		int result = ahead->use.next(ahead->use.context, &record);
		if (result <= 0)
			return result;
		if (ear_record_batch_add_compact(batch, record) != 0)
			return EAR_E_NO_MEMORY;
	}
	return 1;
}

int ear_read_ahead_new(struct ear_read_ahead **ahead, const struct ear_read_ahead_use *use)
{
	struct ear_read_ahead *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->use = *use;
	*ahead = made; /* next may report something at once */
	int result = ear_batch_queue_start(&made->queue, BATCHES, fill_batch, made);
	if (result) {
		*ahead = NULL;
		free(made);
	}
	return result;
}

void ear_read_ahead_free(struct ear_read_ahead *ahead)
{
	if (!ahead)
		return;
	ear_batch_queue_stop(&ahead->queue);
	for (size_t i = 0; i < BATCHES; i++)
		ear_record_batch_fini(&ahead->batches[i]);
	free(ahead);
}

/* Give the current batch back and take the next one. Returns 1; or why there is none. */
static int next_batch(struct ear_read_ahead *ahead)
{
	unsigned at;
	int result = ear_batch_queue_next(&ahead->queue, &at);

	ahead->current = result > 0 ? &ahead->batches[at] : NULL;
	ahead->report_at = 0;
	ear_record_cursor_begin(&ahead->cursor, ahead->current);
	return result;
}

/* Reports before the next record of the batch, or at its end. */
static int report_lines(struct ear_read_ahead *ahead)
{
	const struct ear_record_batch *batch = ahead->current;

	while (ahead->report_at < batch->report_count &&
		batch->reports[ahead->report_at].position <= ahead->cursor.at) {
		const struct ear_record_batch_report *report = &batch->reports[ahead->report_at++];
		int result = ahead->use.report
				     ? ahead->use.report(ahead->use.context, report->line_number,
					       report->offset, report->cause,
					       (enum ear_line_kind)report->kind)
				     : 0;
		if (result < 0)
			return result;
	}
	return 0;
}

int ear_read_ahead_next(struct ear_read_ahead *ahead, const struct ear_record **record)
{
	for (;;) {
		int result = ahead->current ? report_lines(ahead) : 0;
		if (result < 0)
			return result;
		*record = ahead->current ? ear_record_cursor_next(&ahead->cursor) : NULL;
		if (*record)
			return 1;
		result = next_batch(ahead);
		if (result <= 0)
			return result;
	}
}

int ear_read_ahead_report(struct ear_read_ahead *ahead, uint64_t line_number, uint64_t offset,
	const char *cause, enum ear_line_kind kind)
{
	return ear_record_batch_add_report(ahead->filling, line_number, offset, cause, kind);
}
