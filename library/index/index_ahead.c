/* Steps of a feed, made by another thread in batches. What goes to the other processor costs more
 * than anything else here, so most of it is summaries of runs; other runs stay runs.
 */
#include "library/index/index_ahead.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/record/record_batch.h"
#include "library/parallel/batch_queue.h"

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
	struct ear_batch_queue queue;
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
static int fill_batch(void *context, unsigned at)
{
	struct ear_index_ahead *ahead = context;
	struct batch *batch = &ahead->batches[at];
	struct ear_index_step step;

	drop_ends(batch);
	ear_record_batch_clear(&batch->records);
	batch->count = batch->summary_count = batch->used = 0;
	while (batch->count < STEPS && batch->records.size + batch->used < SIZE_FULL) {
		int result = ear_index_feed_next(ahead->feed, &step);
		if (result == 1)
			result = add_step(batch, &step) == 0 ? 1 : EAR_E_NO_MEMORY;
		if (result <= 0)
			return result;
	}
	return 1;
}

static void destroy(struct ear_index_ahead *ahead)
{
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
	if (short_of_memory ||
		ear_batch_queue_start(&made->queue, BATCHES, fill_batch, made) != 0) {
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
	ear_batch_queue_stop(&ahead->queue);
	for (size_t i = 0; i < BATCHES; i++) {
		drop_ends(&ahead->batches[i]);
		ear_record_batch_fini(&ahead->batches[i].records);
	}
	destroy(ahead);
}

/* Give the current batch back and take the next one. Returns 1; or why there is none. */
static int next_batch(struct ear_index_ahead *ahead)
{
	unsigned at;
	int result = ear_batch_queue_next(&ahead->queue, &at);

	ahead->current = result > 0 ? &ahead->batches[at] : NULL;
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
