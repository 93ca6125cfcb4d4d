/* Reading ahead: a thread copies batches into blocks, of which there are a few, and the caller
 * takes them out again. A block is large enough that the two meet seldom, and all of them together
 * small enough for the processor's cache.
 */
#include <earshot/trace.h>

#include <stdlib.h>

#include <earshot/error.h>

#include "decoder/record/record_batch.h"
#include "library/parallel/batch_queue.h"

#define BLOCKS        4u
#define BLOCK_RECORDS 4096u
#define BLOCK_BYTES   ((size_t)1 << 20)

struct ear_ahead {
	struct ear_trace *trace;
	struct ear_batch_queue queue;
	struct ear_record_batch blocks[BLOCKS];

	/* The caller's. */
	const struct ear_record_batch *block; /* NULL: none yet */
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

static int fill(void *context, unsigned at)
{
	struct ear_ahead *ahead = context;
	struct ear_record_batch *block = &ahead->blocks[at];
	struct ear_batch batch = {.size = sizeof(batch)};
	int result = 1;

	ear_record_batch_clear(block);
	while (result == 1 && ear_record_batch_count(block) < BLOCK_RECORDS &&
		block->size < BLOCK_BYTES) {
		result = ear_trace_next_batch(ahead->trace, &batch);
		if (result == 1 && copy(block, &batch) != 0)
			result = EAR_E_NO_MEMORY;
	}
	return result;
}

int ear_ahead_new(struct ear_ahead **ahead_out, struct ear_trace *trace)
{
	struct ear_ahead *ahead = calloc(1, sizeof(*ahead));

	if (!ahead)
		return EAR_E_NO_MEMORY;
	ahead->trace = trace;
	ahead->position = ear_trace_position(trace);
	ahead->number = ear_trace_number(trace);
	int result = ear_batch_queue_start(&ahead->queue, BLOCKS, fill, ahead);
	if (result)
		free(ahead);
	else
		*ahead_out = ahead;
	return result;
}

void ear_ahead_free(struct ear_ahead *ahead)
{
	if (!ahead)
		return;
	ear_batch_queue_stop(&ahead->queue);
	for (unsigned i = 0; i < BLOCKS; i++)
		ear_record_batch_fini(&ahead->blocks[i]);
	free(ahead);
}

/* ---- The caller. ---- */

/* Give the block back that is used up, and wait for the next one. Returns 1; or why there is none.
 */
static int next_block(struct ear_ahead *ahead)
{
	unsigned at;
	int result = ear_batch_queue_next(&ahead->queue, &at);

	ahead->block = result == 1 ? &ahead->blocks[at] : NULL;
	ahead->next_record = ahead->next_run = 0;
	return result;
}

static bool is_empty(const struct ear_ahead *ahead)
{
	return !ahead->block || (ahead->next_record == ahead->block->count &&
					ahead->next_run == ahead->block->run_count);
}

/* The next run or record of the block, which is not empty. */
static void take(struct ear_ahead *ahead, struct ear_batch *batch)
{
	const struct ear_record_batch *records = ahead->block;
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
		int result = next_block(ahead);
		if (result != 1)
			return result;
	}
	take(ahead, batch);
	return 1;
}
