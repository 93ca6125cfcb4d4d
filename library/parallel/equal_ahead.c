/* Equal and equivalent lines of two plain files, found by several threads.
 *
 * The texts are cut into parts of the first one. Equal lines are at the same distance in both
 * files. Equivalent lines have other lengths: where a part begins in the second file is guessed by
 * the ratio of the sizes so far, and searched for near that. A part counts only if it begins where
 * the one before it ended, so a wrong guess costs time and nothing else.
 */
#include "library/parallel/equal_ahead.h"

#include <earshot/error.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "library/parallel/thread_pool.h"

#define SLOTS_MAX 64
#define WAIT_MAX  256 /* calls */

#define MARGIN     ((size_t)16 << 10) /* bytes before and after where a line of B should be */
#define BUDGET_MAX 512 /* lines of a part that no reader remembers, while decoding them helps */
#define FIRST_RUN  8   /* pairs in a row that make it certain where a part begins in B */
#define SAME_BEGIN 16  /* characters; lines with another beginning are not worth a closer look */

_Static_assert(SAME_BEGIN <= EAR_TEXT_SLACK, "they can be read at the end of a block too");

/* The lines that begin in a part of the two texts. Offsets are counted from where the readers are.
 */
struct part {
	uint64_t offset;
	/* Of equivalent lines: where in B the part should begin, how many bytes to look at, and
	 * where it begins and ends. */
	uint64_t guess, begin, end;
	size_t guess_size;
	struct ear_text_block blocks[2];
	struct ear_line_run run;
	bool same; /* all of it, and there is something */
	struct ear_line_pair pairs[EAR_LINE_PAIRS_MAX];
};

struct ear_equal_ahead {
	struct ear_reader *readers[2];
	const struct ear_line_compare *compare;
	struct ear_thread_pool *pool;
	size_t slot_count;
	struct part parts[SLOTS_MAX];

	/* Of the call. */
	uint64_t begin[2];
	bool equivalent; /* looking for equivalent lines, not for equal ones */
	bool settled;    /* decoding more lines does not help to find them */

	double ratio; /* bytes of B to one of A, where they were equivalent last; 0: not known */

	unsigned wait, wait_next; /* calls until the next try, after one that found nothing */
};

static void find_equal(struct ear_equal_ahead *ahead, struct part *part)
{
	struct ear_text_block *blocks = part->blocks;

	for (unsigned i = 0; i < 2; i++)
		if (ear_text_input_read_block(ahead->readers[i]->input, &blocks[i],
			    ahead->begin[i] + part->offset) <= 0)
			return;
	if (blocks[0].size == 0 || blocks[0].size != blocks[1].size || blocks[0].too_long ||
		blocks[0].offset - ahead->begin[0] != blocks[1].offset - ahead->begin[1])
		return;
	ahead->compare->find_equal(
		ahead->readers[0], &part->run, blocks[0].bytes, blocks[1].bytes, blocks[0].size);
	part->same = part->run.size == blocks[0].size;
}

static size_t find_pairs(const struct ear_equal_ahead *ahead, struct part *part,
	const struct ear_line_range *a, const struct ear_line_range *b, size_t max, size_t *budget)
{
	return ahead->compare->find_equivalent(
		ahead->readers[0], *a, ahead->readers[1], *b, part->pairs, max, budget);
}

/* The line of B, nearest to the guess, from which on the lines are equivalent to those of A. NULL:
 * none.
 */
static const char *find_first(const struct ear_equal_ahead *ahead, struct part *part,
	const struct ear_line_range *a, struct ear_line_range b, const char *guess)
{
	const char *best = NULL;
	size_t budget = SIZE_MAX;

	while (b.at < b.end && b.at < guess + (best ? (size_t)(guess - best) : MARGIN)) {
		if (memcmp(a->at, b.at, SAME_BEGIN) == 0 &&
			find_pairs(ahead, part, a, &b, FIRST_RUN, &budget) == FIRST_RUN)
			best = b.at;
		if (part->offset == 0 || (best && best >= guess))
			break;
		const char *newline = memchr(b.at, '\n', (size_t)(b.end - b.at));
		b.at = newline ? newline + 1 : b.end;
	}
	return best;
}

/* All lines of A and their equivalents. */
static bool pass_equivalent(const struct ear_equal_ahead *ahead, struct part *part,
	struct ear_line_range *a, struct ear_line_range *b)
{
	size_t budget = ahead->settled ? SIZE_MAX : BUDGET_MAX;

	part->run = (struct ear_line_run){.hart_count = 0};
	while (a->at < a->end) {
		size_t count = find_pairs(ahead, part, a, b, EAR_LINE_PAIRS_MAX, &budget);
		for (size_t i = 0; i < count; i++)
			if (!ear_line_run_count(
				    &part->run, part->pairs[i].hart, 1, part->pairs[i].state))
				return false;
		if (count == 0)
			return false;
		a->at += part->pairs[count - 1].end[0];
		b->at += part->pairs[count - 1].end[1];
		part->run.line_count += count;
	}
	return true;
}

static void find_equivalent(struct ear_equal_ahead *ahead, struct part *part)
{
	struct ear_text_block *blocks = part->blocks;
	uint64_t margin = part->guess < MARGIN ? part->guess : MARGIN;
	uint64_t from = ahead->begin[1] + part->guess - margin;

	if (ear_text_input_read_block(
		    ahead->readers[0]->input, &blocks[0], ahead->begin[0] + part->offset) <= 0 ||
		ear_text_input_read_range(
			ahead->readers[1]->input, &blocks[1], from, part->guess_size) <= 0)
		return;
	if (blocks[0].size == 0 || blocks[0].too_long || blocks[0].cut || blocks[1].cut)
		return;
	struct ear_line_range a = {blocks[0].bytes, blocks[0].bytes + blocks[0].size};
	struct ear_line_range b = {blocks[1].bytes, blocks[1].bytes + blocks[1].size};

	const char *guess = b.at + (from + margin - blocks[1].offset);
	b.at = find_first(ahead, part, &a, b, guess);
	if (!b.at)
		return;
	part->begin = blocks[1].offset + (uint64_t)(b.at - blocks[1].bytes) - ahead->begin[1];
	part->same = pass_equivalent(ahead, part, &a, &b);
	part->end = blocks[1].offset + (uint64_t)(b.at - blocks[1].bytes) - ahead->begin[1];
	part->run.size = blocks[0].size;
}

static void work(void *context, size_t slot, unsigned thread)
{
	struct ear_equal_ahead *ahead = context;
	struct part *part = &ahead->parts[slot];

	(void)thread;
	part->same = false;
	if (ahead->equivalent)
		find_equivalent(ahead, part);
	else
		find_equal(ahead, part);
}

int ear_equal_ahead_new(struct ear_equal_ahead **ahead, struct ear_reader *reader,
	struct ear_reader *other, unsigned jobs)
{
	uint64_t offset;

	if (!reader->line_compare || reader->line_compare != other->line_compare ||
		!ear_text_input_seekable(reader->input, &offset) ||
		!ear_text_input_seekable(other->input, &offset))
		return EAR_E_UNSUPPORTED;

	struct ear_equal_ahead *made = calloc(1, sizeof(*made));
	if (!made)
		return EAR_E_NO_MEMORY;
	made->readers[0] = reader;
	made->readers[1] = other;
	made->compare = reader->line_compare;
	made->slot_count = 2 * (size_t)jobs + 2 < SLOTS_MAX ? 2 * (size_t)jobs + 2 : SLOTS_MAX;
	if (ear_thread_pool_new(&made->pool, jobs, made->slot_count, work, made) != 0) {
		free(made);
		return EAR_E_NO_MEMORY;
	}
	*ahead = made;
	return 0;
}

void ear_equal_ahead_free(struct ear_equal_ahead *ahead)
{
	if (!ahead)
		return;
	ear_thread_pool_free(ahead->pool);
	for (size_t i = 0; i < ahead->slot_count; i++) {
		ear_text_block_fini(&ahead->parts[i].blocks[0]);
		ear_text_block_fini(&ahead->parts[i].blocks[1]);
	}
	free(ahead);
}

/* Up to where lines were equivalent, in both texts. */
struct pair_end {
	uint64_t a, b;
};

/* Does the part begin where the last one ended? Then *end becomes its end. */
static bool continues(struct ear_equal_ahead *ahead, const struct part *part, struct pair_end *end)
{
	if (!part->same || !ahead->equivalent)
		return part->same;
	if (part->begin != end->b)
		return false;
	ahead->ratio = (double)(part->end - part->begin) / (double)part->run.size;
	end->a = part->blocks[0].offset + part->blocks[0].size - ahead->begin[0];
	end->b = part->end;
	return true;
}

/* What the part that begins at this offset is to look at. */
static void fill_in(const struct ear_equal_ahead *ahead, struct part *part, uint64_t offset,
	const struct pair_end *end)
{
	part->offset = offset;
	if (!ahead->equivalent)
		return;
	part->guess = end->b + (uint64_t)((double)(offset - end->a) * ahead->ratio);
	part->guess_size = (size_t)((double)EAR_TEXT_CHUNK_SIZE * ahead->ratio) + 2 * MARGIN;
	if (offset == 0)
		part->guess = 0;
}

/* Does the part that is left have enough lines of each hart that is passed? */
static bool leaves(const struct ear_line_run *sum, const struct ear_line_run *last, size_t keep)
{
	for (size_t i = 0; i < sum->hart_count; i++) {
		size_t k = 0;
		while (k < last->hart_count && last->harts[k].hart != sum->harts[i].hart)
			k++;
		if (keep > 0 && (k == last->hart_count || last->harts[k].count < keep))
			return false;
	}
	return true;
}

/* The parts one after another as long as they are the same. What comes from the last of them does
 * not count: its lines, at least keep of each hart, are left for those who want to see what comes
 * before a difference. Returns the size of what counts in B; in A it is that of *counted.
 */
static uint64_t compare_parts(
	struct ear_equal_ahead *ahead, struct ear_line_run *counted, size_t keep)
{
	struct ear_line_run sum = {.size = 0}, last = sum;
	struct pair_end end = {0, 0};
	uint64_t next = 0, size = 0;
	bool same = true;
	size_t slot;

	*counted = sum;
	for (;;) {
		while (same && ear_thread_pool_free_slot(ahead->pool, &slot)) {
			fill_in(ahead, &ahead->parts[slot], next, &end);
			next += EAR_TEXT_CHUNK_SIZE;
			ear_thread_pool_submit(ahead->pool);
		}
		if (!ear_thread_pool_wait(ahead->pool, &slot))
			return size;
		struct part *part = &ahead->parts[slot];
		same = same && continues(ahead, part, &end) && ear_line_run_append(&sum, &last);
		last = part->run;
		if (same && leaves(&sum, &last, keep)) {
			*counted = sum;
			size = ahead->equivalent ? part->begin : sum.size;
		}
		ear_thread_pool_release(ahead->pool);
	}
}

static void begin(struct ear_equal_ahead *ahead, bool equivalent)
{
	ahead->equivalent = equivalent;
	for (unsigned i = 0; i < 2; i++)
		ahead->begin[i] = ahead->compare->offset(ahead->readers[i]);
	if (ahead->ratio == 0)
		ahead->ratio =
			ahead->begin[0] > 0 ? (double)ahead->begin[1] / (double)ahead->begin[0] : 1;
}

/* Can equal lines be looked for from where the readers are? */
static bool begin_equal(struct ear_equal_ahead *ahead)
{
	begin(ahead, false);
	return ahead->compare->same_state(ahead->readers[0], ahead->readers[1]);
}

static bool begin_equivalent(struct ear_equal_ahead *ahead)
{
	ahead->settled = false;
	for (unsigned i = 0; i < 2; i++) {
		enum ear_line_memory memory = ahead->compare->memory(ahead->readers[i]);
		if (memory == EAR_LINE_MEMORY_NONE)
			return false;
		ahead->settled |= memory == EAR_LINE_MEMORY_SETTLED;
	}
	begin(ahead, true);
	return true;
}

size_t ear_equal_ahead_skip(
	struct ear_equal_ahead *ahead, struct ear_equal_lines *harts, size_t keep)
{
	struct ear_line_run sum = {.size = 0};

	/* Of the last chunk at least this many lines are left. */
	if (ahead->wait > 0 || keep > EAR_TEXT_CHUNK_SIZE / 4096) {
		ahead->wait -= ahead->wait > 0;
		return 0;
	}
	uint64_t size_b = begin_equal(ahead) ? compare_parts(ahead, &sum, keep) : 0;
	if (size_b == 0 && begin_equivalent(ahead))
		size_b = compare_parts(ahead, &sum, keep);
	ahead->wait_next = sum.size > 0                  ? 1
			   : ahead->wait_next < WAIT_MAX ? 2 * ahead->wait_next + 1
							 : WAIT_MAX;
	ahead->wait = ahead->wait_next;
	if (sum.size == 0)
		return 0;
	ahead->compare->jump(ahead->readers[0], &sum, sum.size);
	ahead->compare->jump(ahead->readers[1], &sum, size_b);
	memcpy(harts, sum.harts, sum.hart_count * sizeof(*harts));
	return sum.hart_count;
}
