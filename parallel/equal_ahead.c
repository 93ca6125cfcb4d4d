#include "parallel/equal_ahead.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "formats/whisper/whisper_equal.h"
#include "formats/whisper/whisper_equivalent.h"
#include "parallel/thread_pool.h"

#define SLOTS_MAX 64
#define WAIT_MAX  256 /* calls */

#define MARGIN     (16u << 10) /* bytes before and behind where a line of B should be */
#define OTHERS_MAX 512 /* lines of a part that no reader has seen, while it helps to read them */
#define FIRST_RUN  8   /* pairs of lines that must be alike to believe that it is it */

/* The lines that begin in a part of the two texts. Offsets are counted from where the readers
 * stand. */
struct part {
	uint64_t offset;
	/* Alike: where in B it should be, how many bytes to look at, and where it was. */
	uint64_t guess, begin, end;
	size_t guess_size;
	struct ear_text_block blocks[2];
	struct ear_whisper_equal equal;
	bool same; /* all of it, and there is something */
	struct ear_whisper_pair pairs[EAR_WHISPER_PAIRS_MAX];
};

struct ear_equal_ahead {
	struct ear_reader *readers[2];
	struct ear_thread_pool *pool;
	size_t slot_count;
	struct part parts[SLOTS_MAX];

	/* Of the call. */
	uint64_t begin[2];
	size_t columns; /* 0: lines are alike, not equal */
	struct ear_whisper_text texts[2];

	double ratio; /* bytes of B to one of A, where they were alike last; 0: not known */

	unsigned wait, wait_next; /* calls until it is tried again, where it was of no use */
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
	ear_whisper_equal_find(
		&part->equal, blocks[0].bytes, blocks[1].bytes, blocks[0].size, ahead->columns, 0);
	part->same = part->equal.size == blocks[0].size;
}

/* The line of B, nearest to the guess, from which on the lines are alike with those of A. NULL:
 * none.
 */
static const char *find_first(struct part *part, const struct ear_whisper_text *a,
	struct ear_whisper_text b, const char *guess)
{
	const char *best = NULL;
	size_t others = SIZE_MAX;

	while (b.at < b.end && b.at < guess + (best ? guess - best : MARGIN)) {
		if (memcmp(a->at, b.at, 16) == 0 && ear_whisper_equivalent_find(part->pairs,
							    FIRST_RUN, a, &b, &others) == FIRST_RUN)
			best = b.at;
		if (part->offset == 0 || (best && best >= guess))
			break;
		const char *newline = memchr(b.at, '\n', (size_t)(b.end - b.at));
		b.at = newline ? newline + 1 : b.end;
	}
	return best;
}

/* All lines of A and those that go with them. */
static bool pass_alike(struct part *part, struct ear_whisper_text *a, struct ear_whisper_text *b)
{
	size_t others = a->taught || b->taught ? SIZE_MAX : OTHERS_MAX;

	part->equal = (struct ear_whisper_equal){.hart_count = 0};
	while (a->at < a->end) {
		size_t count = ear_whisper_equivalent_find(
			part->pairs, EAR_WHISPER_PAIRS_MAX, a, b, &others);
		for (size_t i = 0; i < count; i++)
			if (!ear_whisper_equal_count(&part->equal, part->pairs[i].hart))
				return false;
		if (count == 0)
			return false;
		a->at += part->pairs[count - 1].end[0];
		b->at += part->pairs[count - 1].end[1];
		part->equal.line_count += count;
	}
	return true;
}

static void find_alike(struct ear_equal_ahead *ahead, struct part *part)
{
	struct ear_text_block *blocks = part->blocks;
	struct ear_whisper_text a = ahead->texts[0], b = ahead->texts[1];
	uint64_t margin = part->guess < MARGIN ? part->guess : MARGIN;
	uint64_t from = ahead->begin[1] + part->guess - margin;

	if (ear_text_input_read_block(
		    ahead->readers[0]->input, &blocks[0], ahead->begin[0] + part->offset) <= 0 ||
		ear_text_input_read_range(
			ahead->readers[1]->input, &blocks[1], from, part->guess_size) <= 0)
		return;
	if (blocks[0].size == 0 || blocks[0].too_long || blocks[0].cut || blocks[1].cut)
		return;
	a.at = blocks[0].bytes;
	a.end = a.at + blocks[0].size;
	b.at = blocks[1].bytes;
	b.end = b.at + blocks[1].size;

	const char *guess = b.at + (from + margin - blocks[1].offset);
	b.at = find_first(part, &a, b, guess);
	if (!b.at)
		return;
	part->begin = blocks[1].offset + (uint64_t)(b.at - blocks[1].bytes) - ahead->begin[1];
	part->same = pass_alike(part, &a, &b);
	part->end = blocks[1].offset + (uint64_t)(b.at - blocks[1].bytes) - ahead->begin[1];
	part->equal.size = blocks[0].size;
}

static void work(void *context, size_t slot, unsigned thread)
{
	struct ear_equal_ahead *ahead = context;
	struct part *part = &ahead->parts[slot];

	(void)thread;
	part->same = false;
	if (ahead->columns > 0)
		find_equal(ahead, part);
	else
		find_alike(ahead, part);
}

int ear_equal_ahead_new(struct ear_equal_ahead **ahead, struct ear_reader *reader,
	struct ear_reader *other, unsigned jobs)
{
	uint64_t offset;

	if (!reader->skip_equal || reader->skip_equal != other->skip_equal ||
		!ear_text_input_seekable(reader->input, &offset) ||
		!ear_text_input_seekable(other->input, &offset))
		return EAR_E_UNSUPPORTED;

	struct ear_equal_ahead *made = calloc(1, sizeof(*made));
	if (!made)
		return EAR_E_NO_MEMORY;
	made->readers[0] = reader;
	made->readers[1] = other;
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

/* Add what a part has. Returns false, and nothing has changed, if there are too many harts. */
static bool add_part(struct ear_whisper_equal *sum, const struct ear_whisper_equal *part)
{
	struct ear_whisper_equal made = *sum;

	for (size_t i = 0; i < part->hart_count; i++) {
		size_t k = 0;
		while (k < made.hart_count && made.harts[k].hart != part->harts[i].hart)
			k++;
		if (k == EAR_EQUAL_HARTS_MAX)
			return false;
		if (k == made.hart_count)
			made.harts[made.hart_count++] =
				(struct ear_equal_lines){.hart = part->harts[i].hart};
		made.harts[k].count += part->harts[i].count;
	}
	made.line_count += part->line_count;
	made.size += part->size;
	*sum = made;
	return true;
}

/* Where lines were alike up to here, in both texts. */
struct alike_end {
	uint64_t a, b;
};

/* Does the part go on where the last one ended? Then it ends there. */
static bool goes_on(struct ear_equal_ahead *ahead, const struct part *part, struct alike_end *end)
{
	if (!part->same || ahead->columns > 0)
		return part->same;
	if (part->begin != end->b)
		return false;
	ahead->ratio = (double)(part->end - part->begin) / (double)part->equal.size;
	end->a = part->blocks[0].offset + part->blocks[0].size - ahead->begin[0];
	end->b = part->end;
	return true;
}

/* What the part that begins at this offset is to look at. */
static void fill_in(const struct ear_equal_ahead *ahead, struct part *part, uint64_t offset,
	const struct alike_end *end)
{
	part->offset = offset;
	if (ahead->columns > 0)
		return;
	part->guess = end->b + (uint64_t)((double)(offset - end->a) * ahead->ratio);
	part->guess_size = (size_t)((double)EAR_TEXT_CHUNK_SIZE * ahead->ratio) + 2 * MARGIN;
	if (offset == 0)
		part->guess = 0;
}

/* Do enough lines of each hart that is passed stand in the part that is left? */
static bool leaves(
	const struct ear_whisper_equal *sum, const struct ear_whisper_equal *last, size_t keep)
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
 * not count: its lines, at least keep of each hart, are left for those who want to see what stands
 * before a difference. Returns the size of what counts in B; in A it is that of *counted.
 */
static uint64_t compare_parts(
	struct ear_equal_ahead *ahead, struct ear_whisper_equal *counted, size_t keep)
{
	struct ear_whisper_equal sum = {.size = 0}, last = sum;
	struct alike_end end = {0, 0};
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
		same = same && goes_on(ahead, part, &end) && add_part(&sum, &last);
		last = part->equal;
		if (same && leaves(&sum, &last, keep)) {
			*counted = sum;
			size = ahead->columns > 0 ? sum.size : part->begin;
		}
		ear_thread_pool_release(ahead->pool);
	}
}

static void begin_at(struct ear_equal_ahead *ahead)
{
	for (unsigned i = 0; i < 2; i++)
		ahead->begin[i] = ahead->readers[i]->offset(ahead->readers[i]);
	if (ahead->ratio == 0)
		ahead->ratio =
			ahead->begin[0] > 0 ? (double)ahead->begin[1] / (double)ahead->begin[0] : 1;
}

/* Is there anything to compare from where the readers stand? */
static bool begin(struct ear_equal_ahead *ahead)
{
	const struct ear_reader *reader = ahead->readers[0], *other = ahead->readers[1];

	ahead->columns = reader->columns_alike(reader, other);
	begin_at(ahead);
	return ahead->columns > 0;
}

static bool begin_alike(struct ear_equal_ahead *ahead)
{
	ahead->columns = 0;
	for (unsigned i = 0; i < 2; i++)
		if (!ahead->readers[i]->alike_text(ahead->readers[i], &ahead->texts[i]))
			return false;
	begin_at(ahead);
	return true;
}

size_t ear_equal_ahead_skip(
	struct ear_equal_ahead *ahead, struct ear_equal_lines *harts, size_t keep)
{
	struct ear_reader *reader = ahead->readers[0], *other = ahead->readers[1];
	struct ear_whisper_equal sum = {.size = 0};

	/* Of the last chunk at least this many lines are left. */
	if (ahead->wait > 0 || keep > EAR_TEXT_CHUNK_SIZE / 4096) {
		ahead->wait -= ahead->wait > 0;
		return 0;
	}
	uint64_t size_b = begin(ahead) ? compare_parts(ahead, &sum, keep) : 0;
	if (size_b == 0 && begin_alike(ahead))
		size_b = compare_parts(ahead, &sum, keep);
	ahead->wait_next = sum.size > 0                  ? 1
			   : ahead->wait_next < WAIT_MAX ? 2 * ahead->wait_next + 1
							 : WAIT_MAX;
	ahead->wait = ahead->wait_next;
	if (sum.size == 0)
		return 0;
	reader->jump(reader, sum.size, sum.line_count, sum.harts, sum.hart_count);
	other->jump(other, size_b, sum.line_count, sum.harts, sum.hart_count);
	memcpy(harts, sum.harts, sum.hart_count * sizeof(*harts));
	return sum.hart_count;
}
