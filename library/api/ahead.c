/* Reading ahead: a thread copies batches into blocks, of which there are a few, and the caller
 * takes them out again. A block is large enough that the two meet seldom, and all of them together
 * small enough for the processor's cache.
 */
#include <earshot/trace.h>

#include <pthread.h>
#include <stdlib.h>

#include <earshot/error.h>

#include "decoder/record/record_batch.h"

#define BLOCKS        4u
#define BLOCK_RECORDS 4096u
#define BLOCK_BYTES   ((size_t)1 << 20)

struct block {
	struct ear_record_batch records;
	int result; /* after them: 1: there is more; as ear_trace_next_batch */
};

struct ear_ahead {
	struct ear_trace *trace;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t change;

	/* Under the mutex. Block number i is blocks[i % BLOCKS]; made - taken of them are full, and
	 * one of these is the caller's. */
	uint64_t made, taken;
	bool stopped;
	struct block blocks[BLOCKS];

	/* The caller's. */
	struct block *block; /* NULL: none yet */
	size_t next_record, next_run;
	uint64_t position, number;
	struct ear_expanded_record expanded;
};

/* ---- The thread that reads. ---- */

static int copy(struct ear_record_batch *records, const struct ear_batch *batch)
{
	if (batch->run)
		return ear_record_batch_add_run(records, batch->run, batch->compacts);
	return ear_record_batch_add(records, batch->record) ? 0 : EAR_E_NO_MEMORY;
}

static void fill(struct ear_ahead *ahead, struct block *block)
{
	struct ear_batch batch = {.size = sizeof(batch)};
	int result = 1;

	ear_record_batch_clear(&block->records);
	while (result == 1 && ear_record_batch_count(&block->records) < BLOCK_RECORDS &&
		block->records.size < BLOCK_BYTES) {
		result = ear_trace_next_batch(ahead->trace, &batch);
		if (result == 1 && copy(&block->records, &batch) != 0)
			result = EAR_E_NO_MEMORY;
	}
	block->result = result;
}

static void *read_ahead(void *context)
{
	struct ear_ahead *ahead = context;
	int result = 1;

	pthread_mutex_lock(&ahead->mutex);
	while (result == 1 && !ahead->stopped) {
		struct block *block = &ahead->blocks[ahead->made % BLOCKS];
		if (ahead->made - ahead->taken == BLOCKS) {
			pthread_cond_wait(&ahead->change, &ahead->mutex);
			continue;
		}
		pthread_mutex_unlock(&ahead->mutex);
		fill(ahead, block);
		result = block->result;
		pthread_mutex_lock(&ahead->mutex);
		ahead->made++;
		pthread_cond_signal(&ahead->change);
	}
	pthread_mutex_unlock(&ahead->mutex);
	return NULL;
}

int ear_ahead_new(struct ear_ahead **ahead_out, struct ear_trace *trace)
{
	struct ear_ahead *ahead = calloc(1, sizeof(*ahead));

	if (!ahead)
		return EAR_E_NO_MEMORY;
	ahead->trace = trace;
	ahead->position = ear_trace_position(trace);
	ahead->number = ear_trace_number(trace);
	pthread_mutex_init(&ahead->mutex, NULL);
	pthread_cond_init(&ahead->change, NULL);
	if (pthread_create(&ahead->thread, NULL, read_ahead, ahead) != 0) {
		pthread_cond_destroy(&ahead->change);
		pthread_mutex_destroy(&ahead->mutex);
		free(ahead);
		return EAR_E_NO_MEMORY;
	}
	*ahead_out = ahead;
	return 0;
}

void ear_ahead_free(struct ear_ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->mutex);
	ahead->stopped = true;
	pthread_cond_signal(&ahead->change);
	pthread_mutex_unlock(&ahead->mutex);
	pthread_join(ahead->thread, NULL);
	pthread_cond_destroy(&ahead->change);
	pthread_mutex_destroy(&ahead->mutex);
	for (unsigned i = 0; i < BLOCKS; i++)
		ear_record_batch_fini(&ahead->blocks[i].records);
	free(ahead);
}

/* ---- The caller. ---- */

/* Give the block back that is used up, and wait for the next one. */
static void next_block(struct ear_ahead *ahead)
{
	pthread_mutex_lock(&ahead->mutex);
	if (ahead->block) {
		ahead->taken++;
		pthread_cond_signal(&ahead->change);
	}
	while (ahead->made == ahead->taken)
		pthread_cond_wait(&ahead->change, &ahead->mutex);
	ahead->block = &ahead->blocks[ahead->taken % BLOCKS];
	pthread_mutex_unlock(&ahead->mutex);
	ahead->next_record = ahead->next_run = 0;
}

static bool is_empty(const struct ear_ahead *ahead)
{
	return !ahead->block || (ahead->next_record == ahead->block->records.count &&
					ahead->next_run == ahead->block->records.run_count);
}

/* The next run or record of the block, which is not empty. */
static void take(struct ear_ahead *ahead, struct ear_batch *batch)
{
	const struct ear_record_batch *records = &ahead->block->records;
	const struct ear_record_batch_run *run =
		ahead->next_run < records->run_count ? &records->runs[ahead->next_run] : NULL;

	*batch = (struct ear_batch){.size = sizeof(*batch),
		.count = 1,
		.position = ahead->position,
		.number = ahead->number,
		.expanded = &ahead->expanded};
	if (run && run->position == ahead->next_record) {
		batch->run = &run->run;
		batch->compacts = &records->compacts[run->first];
		batch->count = run->run.count;
		ear_compact_run_begin(&ahead->expanded, &run->run);
		ahead->number += batch->count;
		ahead->next_run++;
	} else {
		batch->record = &records->records[ahead->next_record++];
		ahead->number += batch->record->kind == EAR_RECORD_INSTRUCTION;
	}
	ahead->position += batch->count;
}

int ear_ahead_next_batch(struct ear_ahead *ahead, struct ear_batch *batch)
{
	if (batch->size != sizeof(*batch))
		return EAR_E_BAD_ARGUMENT;
	while (is_empty(ahead)) {
		if (ahead->block && ahead->block->result != 1)
			return ahead->block->result;
		next_block(ahead);
	}
	take(ahead, batch);
	return 1;
}
