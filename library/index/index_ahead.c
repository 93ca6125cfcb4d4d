/* Steps of a feed through a ring of batches.
 *
 * As in library/parallel/read_ahead.c: the thread sleeps when the ring is full until half of it is
 * empty, the caller when it is empty until some batches are there, since to wake a thread costs as
 * much as many records. What goes to the other processor costs more than anything else here, so
 * most of it is summaries of runs; other runs stay runs.
 */
#include "library/index/index_ahead.h"

#include <earshot/error.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/record/record_batch.h"

#define BATCHES   64
#define STEPS     256
#define SIZE_FULL (128u << 10) /* bytes of records, after which a batch is full */
#define BYTES     (SIZE_FULL + sizeof(struct ear_run_summary_room)) /* of summaries */

enum kind { NOTHING, SUMMARY, RUN, RECORD };

struct step {
	enum kind kind;
	struct ear_index_step step; /* without the records */
};

struct batch {
	struct step steps[STEPS];
	struct ear_index_node_end ends[STEPS];
	size_t count, end_count;
	struct ear_record_batch records; /* in the order of the steps */

	/* Summaries, likewise, and what they point to. */
	struct ear_run_summary summaries[STEPS];
	size_t summary_count;
	char *bytes; /* BYTES */
	size_t used;
};

struct ear_index_ahead {
	struct ear_index_feed *feed;
	pthread_t thread;

	pthread_mutex_t mutex;
	pthread_cond_t room, data;
	uint64_t used, filled; /* batches; those between are the caller's */
	bool thread_sleeps, caller_sleeps, stop;
	bool ended; /* nothing comes after filled; result and error_number say why */
	int result, error_number;

	struct batch batches[BATCHES];

	struct batch *current; /* the caller's; NULL: none */
	size_t at, summary, run, record;
};

/* Ends that nobody took. */
static void drop_ends(struct batch *batch)
{
	for (size_t i = 0; i < batch->end_count; i++)
		ear_index_node_end_fini(&batch->ends[i]);
	batch->end_count = 0;
}

/* Returns the next batch to fill, empty, or NULL to stop. */
static struct batch *wait_for_room(struct ear_index_ahead *ahead)
{
	struct batch *batch = &ahead->batches[ahead->filled % BATCHES];

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
	drop_ends(batch);
	ear_record_batch_clear(&batch->records);
	batch->count = batch->summary_count = batch->used = 0;
	return batch;
}

static void hand_over(struct ear_index_ahead *ahead, int result)
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

/* There is room for it: each begins before SIZE_FULL. */
static const void *copy(struct batch *batch, const void *bytes, size_t size)
{
	void *copied = memcpy(batch->bytes + batch->used, bytes, size);

	batch->used += size;
	return copied;
}

static void add_summary(struct batch *batch, const struct ear_run_summary *summary)
{
	struct ear_run_summary *added = &batch->summaries[batch->summary_count++];

	*added = *summary;
	added->code = copy(batch, summary->code, summary->code_count * sizeof(*summary->code));
	added->values =
		copy(batch, summary->values, summary->value_count * sizeof(*summary->values));
	added->accesses =
		copy(batch, summary->accesses, summary->access_count * sizeof(*summary->accesses));
	added->marks = copy(batch, summary->marks, summary->mark_count * sizeof(*summary->marks));
}

static int add_step(struct batch *batch, const struct ear_index_step *step)
{
	const struct ear_source_run *run = &step->run;
	struct step *added = &batch->steps[batch->count++];

	added->kind = step->summary ? SUMMARY : run->run ? RUN : run->record ? RECORD : NOTHING;
	added->step = *step;
	if (step->end) {
		added->step.end = &batch->ends[batch->end_count++];
		*added->step.end = *step->end;
		*step->end = (struct ear_index_node_end){.position = 0};
	}
	if (step->summary)
		add_summary(batch, step->summary);
	else if (run->run)
		return ear_record_batch_add_run(&batch->records, run->run, run->compacts);
	if (run->record && !ear_record_batch_add(&batch->records, run->record))
		return EAR_E_NO_MEMORY;
	return 0;
}

/* Returns 1 if the batch is full, else what ended it. */
static int fill_batch(struct ear_index_ahead *ahead, struct batch *batch)
{
	struct ear_index_step step;

	while (batch->count < STEPS && batch->records.size + batch->used < SIZE_FULL) {
		int result = ear_index_feed_next(ahead->feed, &step);
		if (result == 1)
			result = add_step(batch, &step) == 0 ? 1 : EAR_E_NO_MEMORY;
		if (result <= 0)
			return result;
	}
	return 1;
}

static void *run(void *context)
{
	struct ear_index_ahead *ahead = context;
	struct batch *batch;
	int result = 1;

	while (result > 0 && (batch = wait_for_room(ahead))) {
		result = fill_batch(ahead, batch);
		hand_over(ahead, result);
	}
	return NULL;
}

static void destroy(struct ear_index_ahead *ahead)
{
	pthread_cond_destroy(&ahead->room);
	pthread_cond_destroy(&ahead->data);
	pthread_mutex_destroy(&ahead->mutex);
	for (size_t i = 0; i < BATCHES; i++)
		free(ahead->batches[i].bytes);
	free(ahead);
}

int ear_index_ahead_new(struct ear_index_ahead **ahead, struct ear_index_feed *feed)
{
	struct ear_index_ahead *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->feed = feed;
	feed->summarize = !feed->text; /* of a text, the reader has most to do already */
	bool short_of_memory = false;
	for (size_t i = 0; i < BATCHES; i++) {
		made->batches[i].bytes = malloc(BYTES);
		short_of_memory |= !made->batches[i].bytes;
	}
	pthread_mutex_init(&made->mutex, NULL);
	pthread_cond_init(&made->room, NULL);
	pthread_cond_init(&made->data, NULL);
	if (short_of_memory || pthread_create(&made->thread, NULL, run, made) != 0) {
		destroy(made);
		return EAR_E_NO_MEMORY;
	}
	*ahead = made;
	return 0;
}

void ear_index_ahead_free(struct ear_index_ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->mutex);
	ahead->stop = true;
	pthread_cond_signal(&ahead->room);
	pthread_mutex_unlock(&ahead->mutex);
	pthread_join(ahead->thread, NULL);
	for (size_t i = 0; i < BATCHES; i++) {
		drop_ends(&ahead->batches[i]);
		ear_record_batch_fini(&ahead->batches[i].records);
	}
	destroy(ahead);
}

/* Give the current batch back and take the next one. Returns 1; or why there is none. */
static int next_batch(struct ear_index_ahead *ahead)
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
	ahead->at = ahead->summary = ahead->run = ahead->record = 0;
	return result;
}

int ear_index_ahead_next(struct ear_index_ahead *ahead, struct ear_index_step *step)
{
	while (!ahead->current || ahead->at == ahead->current->count) {
		int result = next_batch(ahead);
		if (result <= 0)
			return result;
	}
	const struct ear_record_batch *records = &ahead->current->records;
	const struct step *next = &ahead->current->steps[ahead->at++];

	*step = next->step;
	step->run = (struct ear_source_run){.run = NULL};
	step->summary = NULL;
	if (next->kind == SUMMARY) {
		step->summary = &ahead->current->summaries[ahead->summary++];
	} else if (next->kind == RUN) {
		const struct ear_record_batch_run *taken = &records->runs[ahead->run++];
		step->run.run = &taken->run;
		step->run.compacts = records->compacts + taken->first;
	} else if (next->kind == RECORD) {
		step->run.record = &records->records[ahead->record++];
	}
	return 1;
}
