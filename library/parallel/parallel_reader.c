/* A text in chunks, read by several threads, with the result of one thread.
 *
 * A chunk is read on the guess that the lines before it leave the reader as they did some chunks
 * ago (a snapshot). When all chunks before it are done, the guess is compared with what is true.
 * If it was wrong, or if a line was worth a report, the caller's thread reads the chunk again.
 * Headers and rounding modes change so rarely that nearly every guess is right.
 */
#include "library/parallel/parallel_reader.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/text/snapshot.h"
#include "library/parallel/thread_pool.h"

#define SLOTS_MAX 64
#define TRY_EVERY 16 /* chunks, where reading ahead fails again and again */

struct chunk {
	struct ear_text_block block;
	uint64_t expected_lines; /* with need_index */
	uint64_t line_count;     /* as they were read */
	struct ear_snapshot begin, end;
	void *product;
	uint64_t records;
	uint64_t offset;  /* if seekable */
	bool read;        /* block is filled */
	bool later;       /* not for a thread: the state before it must be known */
	bool index_given; /* a line gave an index */
	int result;       /* 0: it was read as a whole */
};

/* What a thread reads with. The caller's is number 0. */
struct worker {
	struct ear_parallel_reader *parallel;
	struct ear_text_input *input;
	struct ear_reader *reader;
	unsigned number;
	enum {
		LINES_END,    /* a line worth a report ends the chunk */
		LINES_REPORT, /* it is reported */
		LINES_SILENT, /* it is not reported */
	} lines;
};

struct ear_parallel_reader {
	struct ear_parallel_options options;
	struct ear_reader *origin;
	struct ear_thread_pool *pool;
	size_t slot_count;
	struct chunk chunks[SLOTS_MAX];
	struct worker *workers;

	struct ear_snapshot here; /* after the product given last */
	struct ear_snapshot before;
	bool cut_before; /* the first chunk is cut off */
	bool begun;      /* here is known */
	uint64_t line;   /* number of the next line, here */
	uint64_t line_shift;
	uint64_t in_flight; /* with need_index: lines of chunks that are not given out */
	struct chunk *given;
	uint64_t records;
	unsigned misses; /* chunks in a row that did not begin as expected */
	uint64_t again;
	bool seekable;        /* threads read the file themselves: */
	uint64_t next_offset; /* of the next chunk */
	bool input_ended;
	int input_result;
	bool over;
};

/* For readers of threads: what is worth a report is for the caller's thread. */
static int report(void *context, uint64_t line_number, uint64_t offset, const char *cause,
	enum ear_line_kind kind)
{
	struct worker *worker = context;
	const struct ear_reader_options *options = &worker->parallel->origin->options;

	if (worker->lines != LINES_REPORT)
		return worker->lines == LINES_SILENT ? 0 : EAR_E_MORE;
	return options->report ? options->report(options->context, line_number, offset, cause, kind)
			       : 0;
}

/* Words that were not understood are the caller's, too: as with reports, its thread reads the chunk
 * again, with the right line numbers. */
static int note_words(struct worker *worker)
{
	struct ear_reader *reader = worker->reader, *origin = worker->parallel->origin;

	if (reader->words == 0) /* other threads may be here, too */
		return 0;
	if (worker->lines != LINES_REPORT)
		return worker->lines == LINES_SILENT ? 0 : EAR_E_MORE;
	if (origin->words == 0) {
		origin->word_line = reader->word_line;
		memcpy(origin->word, reader->word, sizeof(origin->word));
	}
	origin->words += reader->words;
	return 0;
}

/* Read a chunk with a worker that is in the state before it. */
static int read_chunk(struct ear_parallel_reader *parallel, struct chunk *chunk,
	struct worker *worker, uint64_t limit)
{
	const struct ear_parallel_use *use = &parallel->options.use;
	const struct ear_record *record;
	uint64_t records = 0;
	int result = 0;

	worker->reader->index_given = false;
	worker->reader->words = 0;
	ear_text_input_give_block(worker->input, &chunk->block);
	if (use->enter)
		result = use->enter(use->context, chunk->product, worker->number);
	if (result)
		return result;
	while (records < limit && (result = ear_reader_next(worker->reader, &record)) > 0) {
		result = use->take(use->context, chunk->product, record);
		if (result)
			break;
		records++;
	}
	chunk->records = records;
	chunk->line_count = ear_text_input_next_line(worker->input) - chunk->block.line_number;
	chunk->index_given = worker->reader->index_given;
	const int noted = note_words(worker);
	result = result == 0 ? noted : result;
	if (result < 0) {
		ear_reader_drop_skipped(worker->reader);
		return result;
	}
	result = use->leave ? use->leave(use->context, chunk->product) : 0;
	if (result)
		return result;
	return worker->reader->cut->save(worker->reader, &chunk->end);
}

/* Get the lines, if the thread is to do it. Returns 1; 0 for none; or an error. */
static int load(struct ear_parallel_reader *parallel, struct chunk *chunk)
{
	if (chunk->read)
		return 1;
	int result =
		ear_text_input_read_block(parallel->origin->input, &chunk->block, chunk->offset);
	chunk->read = result > 0;
	return result;
}

static void work(void *context, size_t slot, unsigned thread)
{
	struct ear_parallel_reader *parallel = context;
	struct chunk *chunk = &parallel->chunks[slot];
	struct worker *worker = &parallel->workers[thread];

	chunk->result = EAR_E_MORE;
	if (chunk->later || load(parallel, chunk) <= 0)
		return;
	worker->lines = LINES_END;
	chunk->result = worker->reader->cut->restore(worker->reader, &chunk->begin);
	if (chunk->result == 0)
		chunk->result = read_chunk(parallel, chunk, worker, UINT64_MAX);
}

bool ear_parallel_reader_can(const struct ear_reader *reader)
{
	return reader->cut != NULL;
}

void ear_parallel_reader_free(struct ear_parallel_reader *parallel)
{
	if (!parallel)
		return;

	const struct ear_parallel_use *use = &parallel->options.use;
	ear_thread_pool_free(parallel->pool);
	for (size_t i = 0; i < parallel->slot_count; i++) {
		struct chunk *chunk = &parallel->chunks[i];
		ear_text_block_fini(&chunk->block);
		ear_snapshot_fini(&chunk->begin);
		ear_snapshot_fini(&chunk->end);
		if (chunk->product)
			use->free(use->context, chunk->product);
	}
	for (unsigned i = 0; parallel->workers && i < parallel->options.jobs; i++) {
		ear_reader_free(parallel->workers[i].reader);
		ear_text_input_free(parallel->workers[i].input);
	}
	free(parallel->workers);
	ear_snapshot_fini(&parallel->here);
	ear_snapshot_fini(&parallel->before);
	free(parallel);
}

static uint64_t count_lines(const char *bytes, size_t size)
{
	uint64_t count = 0;

	/* In parts whose count fits a byte, which compilers make vectors of. */
	for (; size >= 240; size -= 240, bytes += 240) {
		uint8_t part = 0;
		for (unsigned i = 0; i < 240; i++)
			part = (uint8_t)(part + (bytes[i] == '\n'));
		count += part;
	}
	for (; size > 0; size--)
		count += *bytes++ == '\n';
	return count;
}

/* The state in which a chunk is expected to begin, before the chunks before it are read. With one
 * hart, each line is taken for a record.
 */
static int expect(struct ear_parallel_reader *parallel, struct chunk *chunk)
{
	int result = ear_snapshot_copy(&chunk->begin, &parallel->here);

	if (result == 0 && chunk->begin.hart_count == 1)
		chunk->begin.indexes[0] += parallel->in_flight;
	return result;
}

/* Cut the next chunk off. Returns 1; 0 at the end of the file; or an error. */
static int cut_chunk(struct ear_parallel_reader *parallel, struct chunk *chunk)
{
	struct ear_text_input *input = parallel->origin->input;

	if (parallel->cut_before) {
		parallel->cut_before = false;
		return 1;
	}
	chunk->read = false;
	chunk->offset = 0;
	if (parallel->seekable && !parallel->options.need_index) {
		chunk->offset = parallel->next_offset;
		parallel->next_offset += EAR_TEXT_CHUNK_SIZE;
		return 1;
	}
	int result = ear_text_input_take_block(input, &chunk->block);
	chunk->read = result > 0;
	return result;
}

static int make_reader(struct worker *worker, const struct ear_reader_format *format)
{
	struct ear_reader_options options = worker->parallel->origin->options;

	options.report = report;
	options.context = worker;
	ear_reader_free(worker->reader);
	worker->reader = format->make(worker->input, &options);
	return worker->reader ? 0 : EAR_E_NO_MEMORY;
}

static int make_worker(struct ear_parallel_reader *parallel, unsigned number,
	const struct ear_reader_format *format)
{
	struct worker *worker = &parallel->workers[number];

	worker->parallel = parallel;
	worker->number = number;
	int result = ear_text_input_new_empty(&worker->input);
	return result ? result : make_reader(worker, format);
}

/* What a header says is known after the first record, which is read for this alone: it is dropped,
 * and an error will come again.
 */
static int read_header(struct ear_parallel_reader *parallel, const struct ear_reader_format *format)
{
	struct worker *worker = &parallel->workers[0];
	struct chunk *chunk = &parallel->chunks[0];
	const struct ear_record *record;

	chunk->block.line_number = 1;
	int result = cut_chunk(parallel, chunk);
	if (result > 0)
		result = load(parallel, chunk);
	if (result <= 0) /* other errors come again where the text ends */
		return result == EAR_E_NO_MEMORY ? result : 0;
	parallel->cut_before = true;
	worker->lines = LINES_SILENT;
	ear_text_input_give_block(worker->input, &chunk->block);
	if (ear_reader_next(worker->reader, &record) == EAR_E_NO_MEMORY)
		return EAR_E_NO_MEMORY;
	parallel->origin->has_walks |= worker->reader->has_walks;
	parallel->origin->no_hart |= worker->reader->no_hart;
	return make_reader(worker, format);
}

static int fill_in(struct ear_parallel_reader *parallel, const struct ear_reader_format *format)
{
	const struct ear_parallel_use *use = &parallel->options.use;
	unsigned jobs = parallel->options.jobs;
	int result = 0;

	parallel->slot_count = 2 * (size_t)jobs + 2;
	if (parallel->slot_count > SLOTS_MAX)
		parallel->slot_count = SLOTS_MAX;
	parallel->workers = calloc(jobs, sizeof(*parallel->workers));
	if (!parallel->workers)
		return EAR_E_NO_MEMORY;
	for (unsigned i = 0; i < jobs && result == 0; i++)
		result = make_worker(parallel, i, format);
	for (size_t i = 0; i < parallel->slot_count && result == 0; i++) {
		parallel->chunks[i].product = use->make(use->context);
		if (!parallel->chunks[i].product)
			result = EAR_E_NO_MEMORY;
	}
	if (result)
		return result;
	return ear_thread_pool_new(&parallel->pool, jobs, parallel->slot_count, work, parallel);
}

int ear_parallel_reader_new(struct ear_parallel_reader **parallel, struct ear_reader *reader,
	const struct ear_reader_format *format, const struct ear_parallel_options *options)
{
	if (!ear_parallel_reader_can(reader))
		return EAR_E_UNSUPPORTED;

	struct ear_parallel_reader *made = calloc(1, sizeof(*made));
	if (!made)
		return EAR_E_NO_MEMORY;
	made->options = *options;
	made->origin = reader;
	made->line = 1;
	made->seekable = ear_text_input_seekable(reader->input, &made->next_offset);
	int result = fill_in(made, format);
	if (result == 0)
		result = read_header(made, format);
	if (result) {
		ear_parallel_reader_free(made);
		return result;
	}
	*parallel = made;
	return 0;
}

/* The next chunk to the threads. Returns as cut_chunk. */
static int submit_chunk(struct ear_parallel_reader *parallel, size_t slot)
{
	const struct ear_parallel_use *use = &parallel->options.use;
	struct chunk *chunk = &parallel->chunks[slot];
	int result = cut_chunk(parallel, chunk);

	if (result <= 0)
		return result;
	chunk->block.line_number = parallel->line + parallel->in_flight;
	chunk->expected_lines = 0;
	if (parallel->options.need_index)
		chunk->expected_lines = count_lines(chunk->block.bytes, chunk->block.size);
	chunk->later = !parallel->begun || (parallel->misses >= parallel->slot_count &&
						   parallel->again % TRY_EVERY != 0);
	result = expect(parallel, chunk);
	if (result == 0)
		result = use->begin(use->context, chunk->product);
	if (result)
		return result;
	parallel->in_flight += chunk->expected_lines;
	ear_thread_pool_submit(parallel->pool);
	return 1;
}

/* As many chunks as there is room for. The first one is read alone: what it says is needed. */
static void submit_chunks(struct ear_parallel_reader *parallel)
{
	size_t slot;

	while (!parallel->input_ended && ear_thread_pool_free_slot(parallel->pool, &slot)) {
		int result = submit_chunk(parallel, slot);
		if (result <= 0) {
			parallel->input_ended = true;
			parallel->input_result = result;
		} else if (!parallel->begun) {
			return;
		}
	}
}

static bool is_valid(struct ear_parallel_reader *parallel, const struct chunk *chunk)
{
	const struct ear_parallel_use *use = &parallel->options.use;

	if (chunk->result != 0 || chunk->block.too_long ||
		chunk->records > parallel->options.limit - parallel->records)
		return false;
	if (parallel->options.need_index && chunk->block.line_number != parallel->line)
		return false;
	if (!ear_snapshot_equal(&chunk->begin, &parallel->here,
		    parallel->options.need_index || chunk->index_given))
		return false;
	return !use->accept || use->accept(use->context, chunk->product);
}

/* In the caller's thread, from where the one before it ended, as if there were no others. Returns
 * 1; 0 if there is nothing, for the file has ended; or an error.
 */
static int read_again(struct ear_parallel_reader *parallel, struct chunk *chunk)
{
	const struct ear_parallel_use *use = &parallel->options.use;
	struct worker *worker = &parallel->workers[0];
	int result = load(parallel, chunk);

	chunk->records = chunk->line_count = 0;
	if (result <= 0)
		return result;
	parallel->again++;
	result = use->begin(use->context, chunk->product);
	if (result == 0)
		result = ear_snapshot_copy(&chunk->begin, &parallel->here);
	if (result == 0 && parallel->begun)
		result = worker->reader->cut->restore(worker->reader, &chunk->begin);
	if (result)
		return result;
	worker->lines = LINES_REPORT;
	chunk->block.line_number = parallel->line;
	result = read_chunk(parallel, chunk, worker, parallel->options.limit - parallel->records);
	if (result == 0 && chunk->block.too_long)
		result = ear_text_input_long_line(
			parallel->origin->input, chunk->block.offset + chunk->block.size);
	return result ? result : 1;
}

/* Take the state after the chunk: each hart is as many records further as the chunk has of it. A
 * chunk with an error has no end. */
static int advance(struct ear_parallel_reader *parallel, const struct chunk *chunk)
{
	struct ear_snapshot before = parallel->before;

	parallel->before = parallel->here;
	parallel->here = before;
	int result = ear_snapshot_copy(&parallel->here, &chunk->end);
	for (size_t hart = 0; result == 0 && hart < parallel->here.hart_count; hart++)
		parallel->here.indexes[hart] += ear_snapshot_index(&parallel->before, hart) -
						ear_snapshot_index(&chunk->begin, hart);
	parallel->begun = true;
	return result;
}

/* Returns 1; 0 if the file has ended before; or an error. */
static int finish_chunk(struct ear_parallel_reader *parallel, struct chunk *chunk)
{
	int result = 1;

	if (is_valid(parallel, chunk)) {
		parallel->misses = 0;
	} else {
		parallel->misses += parallel->begun;
		result = read_again(parallel, chunk);
	}
	parallel->line_shift = parallel->line - chunk->block.line_number;
	parallel->line += chunk->line_count;
	parallel->in_flight -= chunk->expected_lines;
	parallel->records += chunk->records;
	if (chunk->offset > 0)
		ear_text_input_passed(parallel->origin->input, chunk->offset);
	if (result < 0 && ear_snapshot_copy(&chunk->end, &chunk->begin) != 0)
		return EAR_E_NO_MEMORY;
	if (result != 0 && advance(parallel, chunk) != 0)
		return EAR_E_NO_MEMORY;
	return result;
}

int ear_parallel_reader_next(struct ear_parallel_reader *parallel, void **product)
{
	size_t slot;
	int result;

	*product = NULL;
	if (parallel->given)
		ear_thread_pool_release(parallel->pool);
	parallel->given = NULL;
	if (parallel->over || parallel->records >= parallel->options.limit)
		return 0;
	submit_chunks(parallel);
	if (ear_thread_pool_wait(parallel->pool, &slot)) {
		parallel->given = &parallel->chunks[slot];
		result = finish_chunk(parallel, parallel->given);
		*product = parallel->given->product;
	} else {
		result = parallel->input_result;
	}
	parallel->over = result <= 0;
	return result;
}

uint64_t ear_parallel_reader_records(const struct ear_parallel_reader *parallel)
{
	return parallel->given->records;
}

void ear_parallel_reader_correct(
	const struct ear_parallel_reader *parallel, struct ear_record *record)
{
	struct ear_record_extra *extra = (struct ear_record_extra *)(uintptr_t)record->extra;

	record->index += ear_snapshot_index(&parallel->before, record->hart) -
			 ear_snapshot_index(&parallel->given->begin, record->hart);
	if (extra && extra->line)
		extra->line += parallel->line_shift;
}
