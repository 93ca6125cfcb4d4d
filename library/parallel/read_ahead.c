/* Records from a source that cannot be cut into chunks, read by one other thread through a ring of
 * batches.
 */
#include "library/parallel/read_ahead.h"

#include <earshot/error.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "decoder/record/record_batch.h"

#define BATCHES     32
#define RECORDS_MAX 128
#define COPIES_MAX  (256u << 10) /* bytes of copies, after which a batch is full */

/* A ring of batches, counted from the beginning: those from used on and below filled are the
 * caller's, all others the thread's.
 *
 * To put a thread to sleep and to wake it costs as much as hundreds of records. So the thread, when
 * the ring is full, sleeps until half of it is empty, and the caller, when it is empty, until there
 * are some batches; and nobody is woken before that.
 */
struct ear_read_ahead {
	struct ear_read_ahead_use use;
	pthread_t thread;

	pthread_mutex_t mutex;
	pthread_cond_t room, data;
	uint64_t used, filled;
	bool thread_sleeps, caller_sleeps;
	bool stop;  /* the caller wants no more */
	bool ended; /* nothing comes after filled; result and error_number say why */
	int result, error_number;

	struct ear_record_batch batches[BATCHES];
	struct ear_record_batch *filling; /* the thread's */

	struct ear_record_batch *current; /* the caller's; NULL: none */
	struct ear_record_cursor cursor;
	size_t report_at;
};

/* Returns the next batch to fill, empty, or NULL to stop. */
static struct ear_record_batch *wait_for_room(struct ear_read_ahead *ahead)
{
	struct ear_record_batch *batch = &ahead->batches[ahead->filled % BATCHES];

	pthread_mutex_lock(&ahead->mutex);
	if (ahead->filled - ahead->used == BATCHES) {
		ahead->thread_sleeps = true;
		while (!ahead->stop && ahead->filled - ahead->used > BATCHES / 2)
			pthread_cond_wait(&ahead->room, &ahead->mutex);
		ahead->thread_sleeps = false;
	}
	bool stop = ahead->stop;
	pthread_mutex_unlock(&ahead->mutex);
	if (stop)
		return NULL;
	ear_record_batch_clear(batch);
	return batch;
}

static void hand_over(struct ear_read_ahead *ahead, int result)
{
	pthread_mutex_lock(&ahead->mutex);
	ahead->filled++;
	ahead->ended = result <= 0;
	ahead->result = result;
	ahead->error_number = errno;
	if (ahead->caller_sleeps && (ahead->ended || ahead->filled - ahead->used >= BATCHES / 4))
		pthread_cond_signal(&ahead->data);
	pthread_mutex_unlock(&ahead->mutex);
}

/* Returns 1 if the batch is full, else what ended it. */
static int fill_batch(struct ear_read_ahead *ahead, struct ear_record_batch *batch)
{
	const struct ear_record *record;

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

static void *run(void *context)
{
	struct ear_read_ahead *ahead = context;
	struct ear_record_batch *batch;
	int result = 1;

	while (result > 0 && (batch = wait_for_room(ahead))) {
		result = fill_batch(ahead, batch);
		hand_over(ahead, result);
	}
	return NULL;
}

int ear_read_ahead_new(struct ear_read_ahead **ahead, const struct ear_read_ahead_use *use)
{
	struct ear_read_ahead *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->use = *use;
	pthread_mutex_init(&made->mutex, NULL);
	pthread_cond_init(&made->room, NULL);
	pthread_cond_init(&made->data, NULL);
	*ahead = made; /* next may report something at once */
	if (pthread_create(&made->thread, NULL, run, made) == 0)
		return 0;
	*ahead = NULL;
	pthread_cond_destroy(&made->room);
	pthread_cond_destroy(&made->data);
	pthread_mutex_destroy(&made->mutex);
	free(made);
	return EAR_E_NO_MEMORY;
}

void ear_read_ahead_free(struct ear_read_ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->mutex);
	ahead->stop = true;
	pthread_cond_signal(&ahead->room);
	pthread_mutex_unlock(&ahead->mutex);
	pthread_join(ahead->thread, NULL);
	for (size_t i = 0; i < BATCHES; i++)
		ear_record_batch_fini(&ahead->batches[i]);
	pthread_cond_destroy(&ahead->room);
	pthread_cond_destroy(&ahead->data);
	pthread_mutex_destroy(&ahead->mutex);
	free(ahead);
}

/* Give the current batch back and take the next one. Returns 1; or why there is none. */
static int next_batch(struct ear_read_ahead *ahead)
{
	int result = 1;

	pthread_mutex_lock(&ahead->mutex);
	if (ahead->current)
		ahead->used++;
	ahead->current = NULL;
	if (ahead->thread_sleeps && ahead->filled - ahead->used <= BATCHES / 2)
		pthread_cond_signal(&ahead->room);
	if (ahead->used == ahead->filled) {
		ahead->caller_sleeps = true;
		while (!ahead->ended && ahead->filled - ahead->used < BATCHES / 4)
			pthread_cond_wait(&ahead->data, &ahead->mutex);
		ahead->caller_sleeps = false;
	}
	if (ahead->used < ahead->filled) {
		ahead->current = &ahead->batches[ahead->used % BATCHES];
	} else {
		result = ahead->result;
		errno = ahead->error_number;
	}
	pthread_mutex_unlock(&ahead->mutex);
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
					       report->offset, report->cause, report->bad)
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
	const char *cause, bool bad)
{
	return ear_record_batch_add_report(ahead->filling, line_number, offset, cause, bad);
}
