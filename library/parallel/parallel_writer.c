/* A text from records that come one by one, formatted by several threads: batches of copies go to
 * the threads, and their texts go out in order (writer_chunk.h).
 */
#include "library/parallel/parallel_writer.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "decoder/record/absent_fields.h"
#include "decoder/record/record_batch.h"
#include "library/parallel/thread_pool.h"
#include "library/parallel/writer_chunk.h"

#define SLOTS_MAX   64
#define RECORDS_MAX 4096
#define COPIES_MAX  (512u << 10) /* bytes */

struct slot {
	struct ear_record_batch batch;
	struct ear_writer_chunk chunk;
	int result;
};

struct ear_parallel_writer {
	struct ear_writer_team team;
	struct ear_text_output *output;
	struct ear_thread_pool *pool;
	size_t slot_count;
	struct slot slots[SLOTS_MAX];
	struct slot *filling; /* NULL: none */
};

static int push_all(struct ear_writer *writer, const struct ear_record_batch *batch)
{
	struct ear_record_cursor cursor;
	struct ear_absent_fields absent;
	const struct ear_record *record;
	int result = 0;

	ear_record_cursor_begin(&cursor, batch);
	while (result == 0 && (record = ear_record_cursor_next(&cursor))) {
		absent.fields = cursor.absent;
		result = ear_writer_push(writer, ear_absent_fields_remove(&absent, record));
	}
	return result;
}

static void work(void *context, size_t number, unsigned thread)
{
	struct ear_parallel_writer *writer = context;
	struct slot *slot = &writer->slots[number];
	struct ear_writer_chunk *chunk = &slot->chunk;

	slot->result = ear_writer_chunk_enter(&writer->team, chunk, thread);
	if (slot->result == 0)
		slot->result = push_all(chunk->writer, &slot->batch);
	if (slot->result == 0)
		slot->result = ear_writer_chunk_leave(chunk);
}

int ear_parallel_writer_new(struct ear_parallel_writer **writer,
	const struct ear_writer_format *format, const struct ear_writer_options *options,
	struct ear_text_output *output, unsigned jobs)
{
	struct ear_parallel_writer *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->output = output;
	made->slot_count = 2 * (size_t)jobs + 2 < SLOTS_MAX ? 2 * (size_t)jobs + 2 : SLOTS_MAX;
	int result = ear_writer_team_init(&made->team, format, options, jobs);
	for (size_t i = 0; i < made->slot_count && result == 0; i++)
		result = ear_writer_chunk_init(&made->slots[i].chunk);
	if (result == 0)
		result = ear_thread_pool_new(&made->pool, jobs, made->slot_count, work, made);
	if (result) {
		ear_parallel_writer_free(made);
		return result;
	}
	*writer = made;
	return 0;
}

void ear_parallel_writer_free(struct ear_parallel_writer *writer)
{
	if (!writer)
		return;
	ear_thread_pool_free(writer->pool);
	for (size_t i = 0; i < writer->slot_count; i++) {
		ear_record_batch_fini(&writer->slots[i].batch);
		ear_writer_chunk_fini(&writer->slots[i].chunk);
	}
	ear_writer_team_fini(&writer->team);
	free(writer);
}

/* Put out the oldest batch, again if it was begun where the one before did not end. Returns 1; 0 if
 * there is none; or an error. */
static int take_oldest(struct ear_parallel_writer *writer)
{
	size_t number;

	if (!ear_thread_pool_wait(writer->pool, &number))
		return 0;
	struct slot *slot = &writer->slots[number];
	int result = slot->result;
	if (!ear_writer_chunk_valid(&writer->team, &slot->chunk)) {
		result = ear_writer_chunk_begin(&writer->team, &slot->chunk);
		if (result == 0) {
			work(writer, number, 0);
			result = slot->result;
		}
	}
	if (result == 0)
		result = ear_writer_team_take(&writer->team, &slot->chunk, writer->output);
	ear_thread_pool_release(writer->pool);
	return result ? result : 1;
}

static int submit(struct ear_parallel_writer *writer)
{
	struct slot *slot = writer->filling;

	writer->filling = NULL;
	int result = ear_writer_chunk_begin(&writer->team, &slot->chunk);
	if (result == 0)
		ear_thread_pool_submit(writer->pool);
	return result;
}

/* The batch to be filled. Returns 0 and *batch, or an error. */
static int find_batch(struct ear_parallel_writer *writer, struct ear_record_batch **batch)
{
	size_t number;

	if (!writer->filling) {
		while (!ear_thread_pool_free_slot(writer->pool, &number)) {
			int result = take_oldest(writer);
			if (result < 0)
				return result;
		}
		writer->filling = &writer->slots[number];
		ear_record_batch_clear(&writer->filling->batch);
	}
	*batch = &writer->filling->batch;
	return 0;
}

static int submit_full(struct ear_parallel_writer *writer)
{
	const struct ear_record_batch *batch = &writer->filling->batch;
	bool full = ear_record_batch_count(batch) >= RECORDS_MAX || batch->size >= COPIES_MAX;

	return full ? submit(writer) : 0;
}

int ear_parallel_writer_push(struct ear_parallel_writer *writer, const struct ear_record *record)
{
	struct ear_record_batch *batch;
	int result = find_batch(writer, &batch);

	if (result)
		return result;
	if (!ear_record_batch_add(batch, record))
		return EAR_E_NO_MEMORY;
	return submit_full(writer);
}

int ear_parallel_writer_push_run(struct ear_parallel_writer *writer,
	const struct ear_compact_run *run, const struct ear_compact_record *compacts)
{
	struct ear_record_batch *batch;
	int result = find_batch(writer, &batch);

	if (result == 0)
		result = ear_record_batch_add_run(batch, run, compacts);
	return result ? result : submit_full(writer);
}

int ear_parallel_writer_flush(struct ear_parallel_writer *writer)
{
	int result = writer->filling ? submit(writer) : 0;

	while (result == 0) {
		result = take_oldest(writer);
		if (result == 0)
			return 0;
		result = result < 0 ? result : 0;
	}
	return result;
}
