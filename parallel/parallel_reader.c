#include "parallel/parallel_reader.h"

#include <stdlib.h>

#include "common/error.h"
#include "formats/text/snapshot.h"
#include "parallel/thread_pool.h"

#define SLOTS_MAX 64
#define TRY_EVERY 16 /* pieces, where reading ahead fails again and again */

struct piece {
	struct ear_text_block block;
	uint64_t expected_lines; /* with need_index */
	uint64_t line_count;     /* as they were read */
	struct ear_snapshot begin, end;
	void *product;
	uint64_t records;
	uint64_t offset; /* if seekable */
	bool read;       /* block is filled */
	bool later;      /* not for a thread: what stands before it must be known */
	bool index_told; /* a line told an index */
	int result;      /* 0: it was read as a whole */
};

/* What a thread reads with. The caller's is number 0. */
struct worker {
	struct ear_parallel_reader *parallel;
	struct ear_text_input *input;
	struct ear_reader *reader;
	unsigned number;
	enum {
		LINES_END,    /* a line that there is anything to tell about ends the piece */
		LINES_TOLD,   /* it is told */
		LINES_SILENT, /* it is not told */
	} lines;
};

struct ear_parallel_reader {
	struct ear_parallel_options options;
	struct ear_reader *origin;
	struct ear_thread_pool *pool;
	size_t slot_count;
	struct piece pieces[SLOTS_MAX];
	struct worker *workers;

	struct ear_snapshot here; /* behind the product given last */
	struct ear_snapshot before;
	bool cut_before; /* the first piece is cut off */
	bool begun;      /* here is known */
	uint64_t line;   /* number of the next line, here */
	uint64_t line_shift;
	uint64_t in_flight; /* with need_index: lines of pieces that are not given out */
	struct piece *given;
	uint64_t records;
	unsigned misses; /* pieces in a row that did not begin as expected */
	uint64_t again;
	bool seekable;        /* threads read the file themselves: */
	uint64_t next_offset; /* of the next piece */
	bool input_ended;
	int input_result;
	bool over;
};

/* For readers of threads: anything worth a word is for the caller's thread. */
static int report(void *context, uint64_t line_number, uint64_t offset, const char *cause, bool bad)
{
	struct worker *worker = context;
	const struct ear_reader_options *options = &worker->parallel->origin->options;

	if (worker->lines != LINES_TOLD)
		return worker->lines == LINES_SILENT ? 0 : EAR_E_MORE;
	return options->report ? options->report(options->context, line_number, offset, cause, bad)
			       : 0;
}

/* Read a piece with a worker that stands where it begins. */
static int read_piece(struct ear_parallel_reader *parallel, struct piece *piece,
	struct worker *worker, uint64_t limit)
{
	const struct ear_parallel_use *use = &parallel->options.use;
	const struct ear_record *record;
	uint64_t records = 0;
	int result = 0;

	worker->reader->index_told = false;
	ear_text_input_give_block(worker->input, &piece->block);
	if (use->enter)
		result = use->enter(use->context, piece->product, worker->number);
	if (result)
		return result;
	while (records < limit && (result = ear_reader_next(worker->reader, &record)) > 0) {
		result = use->take(use->context, piece->product, record);
		if (result)
			break;
		records++;
	}
	piece->records = records;
	piece->line_count = ear_text_input_next_line(worker->input) - piece->block.line_number;
	piece->index_told = worker->reader->index_told;
	if (result < 0)
		return result;
	result = use->leave ? use->leave(use->context, piece->product) : 0;
	if (result)
		return result;
	return worker->reader->cut->save(worker->reader, &piece->end);
}

/* Get the lines, if the thread is to do it. Returns 1; 0 for none; or an error. */
static int load(struct ear_parallel_reader *parallel, struct piece *piece)
{
	if (piece->read)
		return 1;
	int result =
		ear_text_input_read_block(parallel->origin->input, &piece->block, piece->offset);
	piece->read = result > 0;
	return result;
}

static void work(void *context, size_t slot, unsigned thread)
{
	struct ear_parallel_reader *parallel = context;
	struct piece *piece = &parallel->pieces[slot];
	struct worker *worker = &parallel->workers[thread];

	piece->result = EAR_E_MORE;
	if (piece->later || load(parallel, piece) <= 0)
		return;
	worker->lines = LINES_END;
	piece->result = worker->reader->cut->restore(worker->reader, &piece->begin);
	if (piece->result == 0)
		piece->result = read_piece(parallel, piece, worker, UINT64_MAX);
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
		struct piece *piece = &parallel->pieces[i];
		ear_text_block_fini(&piece->block);
		ear_snapshot_fini(&piece->begin);
		ear_snapshot_fini(&piece->end);
		if (piece->product)
			use->free(use->context, piece->product);
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

/* Where a piece will begin, as far as it can be said before those in front of it are read. Of one
 * hart, each line is taken for a record.
 */
static int expect(struct ear_parallel_reader *parallel, struct piece *piece)
{
	int result = ear_snapshot_copy(&piece->begin, &parallel->here);

	if (result == 0 && piece->begin.hart_count == 1)
		piece->begin.indexes[0] += parallel->in_flight;
	return result;
}

/* Cut the next piece off. Returns 1; 0 at the end of the file; or an error. */
static int cut_piece(struct ear_parallel_reader *parallel, struct piece *piece)
{
	struct ear_text_input *input = parallel->origin->input;

	if (parallel->cut_before) {
		parallel->cut_before = false;
		return 1;
	}
	piece->read = false;
	piece->offset = 0;
	if (parallel->seekable && !parallel->options.need_index) {
		piece->offset = parallel->next_offset;
		parallel->next_offset += EAR_TEXT_PIECE_SIZE;
		return 1;
	}
	int result = ear_text_input_take_block(input, &piece->block);
	piece->read = result > 0;
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

/* What a header tells is known behind the first record, which is read for this alone: nothing
 * comes of it, and an error comes again.
 */
static int read_header(struct ear_parallel_reader *parallel, const struct ear_reader_format *format)
{
	struct worker *worker = &parallel->workers[0];
	struct piece *piece = &parallel->pieces[0];
	const struct ear_record *record;

	piece->block.line_number = 1;
	int result = cut_piece(parallel, piece);
	if (result > 0)
		result = load(parallel, piece);
	if (result <= 0) /* other errors come again where the text ends */
		return result == EAR_E_NO_MEMORY ? result : 0;
	parallel->cut_before = true;
	worker->lines = LINES_SILENT;
	ear_text_input_give_block(worker->input, &piece->block);
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
		parallel->pieces[i].product = use->make(use->context);
		if (!parallel->pieces[i].product)
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

/* The next piece to the threads. Returns as cut_piece. */
static int submit_piece(struct ear_parallel_reader *parallel, size_t slot)
{
	const struct ear_parallel_use *use = &parallel->options.use;
	struct piece *piece = &parallel->pieces[slot];
	int result = cut_piece(parallel, piece);

	if (result <= 0)
		return result;
	piece->block.line_number = parallel->line;
	piece->expected_lines = 0;
	if (parallel->options.need_index)
		piece->expected_lines = count_lines(piece->block.bytes, piece->block.size);
	piece->later = !parallel->begun || (parallel->misses >= parallel->slot_count &&
						   parallel->again % TRY_EVERY != 0);
	result = expect(parallel, piece);
	if (result == 0)
		result = use->begin(use->context, piece->product);
	if (result)
		return result;
	parallel->in_flight += piece->expected_lines;
	ear_thread_pool_submit(parallel->pool);
	return 1;
}

/* As many pieces as there is room for. The first one is read alone: what it tells is needed. */
static void submit_pieces(struct ear_parallel_reader *parallel)
{
	size_t slot;

	while (!parallel->input_ended && ear_thread_pool_free_slot(parallel->pool, &slot)) {
		int result = submit_piece(parallel, slot);
		if (result <= 0) {
			parallel->input_ended = true;
			parallel->input_result = result;
		} else if (!parallel->begun) {
			return;
		}
	}
}

static bool right(struct ear_parallel_reader *parallel, const struct piece *piece)
{
	const struct ear_parallel_use *use = &parallel->options.use;

	if (piece->result != 0 || piece->block.too_long ||
		piece->records > parallel->options.limit - parallel->records)
		return false;
	if (!ear_snapshot_equal(&piece->begin, &parallel->here,
		    parallel->options.need_index || piece->index_told))
		return false;
	return !use->accept || use->accept(use->context, piece->product);
}

/* In the caller's thread, from where the one before it ended, as if there were no others. Returns
 * 1; 0 if there is nothing, for the file has ended; or an error.
 */
static int read_again(struct ear_parallel_reader *parallel, struct piece *piece)
{
	const struct ear_parallel_use *use = &parallel->options.use;
	struct worker *worker = &parallel->workers[0];
	int result = load(parallel, piece);

	piece->records = piece->line_count = 0;
	if (result <= 0)
		return result;
	parallel->again++;
	result = use->begin(use->context, piece->product);
	if (result == 0)
		result = ear_snapshot_copy(&piece->begin, &parallel->here);
	if (result == 0 && parallel->begun)
		result = worker->reader->cut->restore(worker->reader, &piece->begin);
	if (result)
		return result;
	worker->lines = LINES_TOLD;
	piece->block.line_number = parallel->line;
	result = read_piece(parallel, piece, worker, parallel->options.limit - parallel->records);
	if (result == 0 && piece->block.too_long)
		result = ear_text_input_blame(
			parallel->origin->input, piece->block.offset + piece->block.size);
	return result ? result : 1;
}

/* Stand behind the piece: each hart is as many records further as the piece has of it. A piece with
 * an error has no end. */
static int go_on(struct ear_parallel_reader *parallel, const struct piece *piece)
{
	struct ear_snapshot before = parallel->before;

	parallel->before = parallel->here;
	parallel->here = before;
	int result = ear_snapshot_copy(&parallel->here, &piece->end);
	for (size_t hart = 0; result == 0 && hart < parallel->here.hart_count; hart++)
		parallel->here.indexes[hart] += ear_snapshot_index(&parallel->before, hart) -
						ear_snapshot_index(&piece->begin, hart);
	parallel->begun = true;
	return result;
}

/* Returns 1; 0 if the file has ended before; or an error. */
static int finish_piece(struct ear_parallel_reader *parallel, struct piece *piece)
{
	int result = 1;

	if (right(parallel, piece)) {
		parallel->misses = 0;
	} else {
		parallel->misses += parallel->begun;
		result = read_again(parallel, piece);
	}
	parallel->line_shift = parallel->line - piece->block.line_number;
	parallel->line += piece->line_count;
	parallel->in_flight -= piece->expected_lines;
	parallel->records += piece->records;
	if (piece->offset > 0)
		ear_text_input_passed(parallel->origin->input, piece->offset);
	if (result < 0 && ear_snapshot_copy(&piece->end, &piece->begin) != 0)
		return EAR_E_NO_MEMORY;
	if (result != 0 && go_on(parallel, piece) != 0)
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
	submit_pieces(parallel);
	if (ear_thread_pool_wait(parallel->pool, &slot)) {
		parallel->given = &parallel->pieces[slot];
		result = finish_piece(parallel, parallel->given);
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

uint64_t ear_parallel_reader_shift(const struct ear_parallel_reader *parallel, unsigned hart)
{
	return ear_snapshot_index(&parallel->before, hart) -
	       ear_snapshot_index(&parallel->given->begin, hart);
}

uint64_t ear_parallel_reader_line_shift(const struct ear_parallel_reader *parallel)
{
	return parallel->line_shift;
}

void ear_parallel_reader_correct(
	const struct ear_parallel_reader *parallel, struct ear_record *record)
{
	struct ear_record_extra *extra = (struct ear_record_extra *)(uintptr_t)record->extra;

	record->index += ear_parallel_reader_shift(parallel, record->hart);
	if (extra && extra->line)
		extra->line += parallel->line_shift;
}

uint64_t ear_parallel_reader_again(const struct ear_parallel_reader *parallel)
{
	return parallel->again;
}
