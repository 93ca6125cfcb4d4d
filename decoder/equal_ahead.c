#include "decoder/equal_ahead.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "decoder/pool.h"
#include "decoder/whisper_equal.h"

#define SLOTS_MAX 64
#define WAIT_MAX  256 /* calls */

/* The lines that begin in a part of the two texts. */
struct part {
	uint64_t offset; /* behind where the readers stand */
	struct ear_text_block blocks[2];
	struct whisper_equal equal;
	bool same; /* all of it, and there is something */
};

struct ear_equal_ahead {
	struct ear_reader *readers[2];
	struct ear_pool *pool;
	size_t slot_count;
	struct part parts[SLOTS_MAX];

	/* Of the call. */
	uint64_t begin[2];
	size_t columns;

	unsigned wait, wait_next; /* calls until it is tried again, where it was of no use */
};

static void work(void *context, size_t slot, unsigned thread)
{
	struct ear_equal_ahead *ahead = context;
	struct part *part = &ahead->parts[slot];
	struct ear_text_block *blocks = part->blocks;

	(void)thread;
	part->same = false;
	for (unsigned i = 0; i < 2; i++)
		if (ear_text_input_read_block(ahead->readers[i]->input, &blocks[i],
			    ahead->begin[i] + part->offset) <= 0)
			return;
	if (blocks[0].size == 0 || blocks[0].size != blocks[1].size || blocks[0].too_long ||
		blocks[0].offset - ahead->begin[0] != blocks[1].offset - ahead->begin[1])
		return;
	whisper_equal_find(
		&part->equal, blocks[0].bytes, blocks[1].bytes, blocks[0].size, ahead->columns, 0);
	part->same = part->equal.size == blocks[0].size;
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
	if (ear_pool_new(&made->pool, jobs, made->slot_count, work, made) != 0) {
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
	ear_pool_free(ahead->pool);
	for (size_t i = 0; i < ahead->slot_count; i++) {
		ear_text_block_fini(&ahead->parts[i].blocks[0]);
		ear_text_block_fini(&ahead->parts[i].blocks[1]);
	}
	free(ahead);
}

/* Add what a part has. Returns false, and nothing has changed, if there are too many harts. */
static bool add_part(struct whisper_equal *sum, const struct whisper_equal *part)
{
	struct whisper_equal made = *sum;

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

/* The parts one after another as long as they are the same. What comes from the last of them does
 * not count: its lines are left for those who want to see what stands before a difference.
 */
static void compare_parts(struct ear_equal_ahead *ahead, struct whisper_equal *sum)
{
	struct whisper_equal last = {.size = 0};
	uint64_t next = 0;
	bool same = true;
	size_t slot;

	*sum = last;
	for (;;) {
		while (same && ear_pool_free_slot(ahead->pool, &slot)) {
			ahead->parts[slot].offset = next;
			next += EAR_TEXT_PIECE_SIZE;
			ear_pool_submit(ahead->pool);
		}
		if (!ear_pool_wait(ahead->pool, &slot))
			return;
		same = same && ahead->parts[slot].same && add_part(sum, &last);
		last = ahead->parts[slot].equal;
		ear_pool_release(ahead->pool);
	}
}

size_t ear_equal_ahead_skip(
	struct ear_equal_ahead *ahead, struct ear_equal_lines *harts, size_t keep)
{
	struct ear_reader *reader = ahead->readers[0], *other = ahead->readers[1];
	struct whisper_equal sum = {.size = 0};

	/* Of the last piece at least this many lines are left. */
	if (ahead->wait > 0 || keep > EAR_TEXT_PIECE_SIZE / 4096) {
		ahead->wait -= ahead->wait > 0;
		return 0;
	}
	ahead->columns = reader->columns_alike(reader, other);
	if (ahead->columns > 0) {
		ahead->begin[0] = reader->offset(reader);
		ahead->begin[1] = other->offset(other);
		compare_parts(ahead, &sum);
	}
	ahead->wait_next = sum.size > 0                  ? 1
			   : ahead->wait_next < WAIT_MAX ? 2 * ahead->wait_next + 1
							 : WAIT_MAX;
	ahead->wait = ahead->wait_next;
	if (sum.size == 0)
		return 0;
	reader->jump(reader, sum.size, sum.line_count, sum.harts, sum.hart_count);
	other->jump(other, sum.size, sum.line_count, sum.harts, sum.hart_count);
	memcpy(harts, sum.harts, sum.hart_count * sizeof(*harts));
	return sum.hart_count;
}
