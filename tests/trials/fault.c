/* A damaged stream is a list of pieces of true streams, and bits changed in the copy. */
#include "fault.h"

#include <stdlib.h>
#include <string.h>

#include "common/protocol/bytes.h"
#include "common/protocol/frame.h"

static const char *const names[FAULT_COUNT] = {
	[FAULT_NONE] = "none",
	[FAULT_CUT_START] = "cut-start",
	[FAULT_CUT_END] = "cut-end",
	[FAULT_CUT_BOTH] = "cut-both",
	[FAULT_CUT_FRAMES] = "cut-frames",
	[FAULT_ONLY_STOP] = "only-stop",
	[FAULT_DROP_FRAMES] = "drop-frames",
	[FAULT_DROP_WRAP] = "drop-65536",
	[FAULT_REPEAT_FRAME] = "repeat-frame",
	[FAULT_REPEAT_RANGE] = "repeat-range",
	[FAULT_SWAP_FRAMES] = "swap-frames",
	[FAULT_FLIP] = "flip",
	[FAULT_FLIPS] = "flips",
	[FAULT_NOISE] = "noise",
	[FAULT_DELETE] = "delete-bytes",
	[FAULT_JOIN] = "join",
	[FAULT_JOIN_CUT] = "join-cut",
	[FAULT_JOIN_FITTING] = "join-fitting",
	[FAULT_FORGE] = "forge",
};

const char *fault_name(enum fault fault)
{
	return names[fault];
}

static struct fault_piece *new_piece(struct damaged *damaged)
{
	if (damaged->piece_count == damaged->piece_capacity) {
		damaged->piece_capacity =
			damaged->piece_capacity ? 2 * damaged->piece_capacity : 16;
		damaged->pieces = realloc(
			damaged->pieces, damaged->piece_capacity * sizeof(*damaged->pieces));
		if (!damaged->pieces)
			abort();
	}
	return &damaged->pieces[damaged->piece_count++];
}

static void add(
	struct damaged *damaged, const struct run runs[2], int run, size_t from, size_t size)
{
	if (size == 0)
		return;
	*new_piece(damaged) = (struct fault_piece){damaged->bytes.size, size, run, from};
	byte_buffer_append(&damaged->bytes, runs[run].bytes.bytes + from, size);
}

static void add_rest(struct damaged *damaged, const struct run runs[2], int run, size_t from)
{
	add(damaged, runs, run, from, runs[run].bytes.size - from);
}

static void add_noise(struct damaged *damaged, struct random *random)
{
	size_t size = 1 + random_below(random, 300);

	*new_piece(damaged) = (struct fault_piece){damaged->bytes.size, size, -1, 0};
	for (size_t i = 0; i < size; i++) {
		uint8_t byte = (uint8_t)(random_next(random) >> 33);
		byte_buffer_append(&damaged->bytes, &byte, 1);
	}
}

/* Where frame number i begins; of the one after the last: the end. */
static size_t frame_at(const struct run *run, size_t i)
{
	return i < run->frame_count ? run->frames[i].offset : run->bytes.size;
}

static size_t any_frame(const struct run *run, struct random *random)
{
	return random_below(random, run->frame_count);
}

/* All of run 0 but the frames first .. first + count - 1. */
static void leave_out(struct damaged *damaged, const struct run runs[2], size_t first, size_t count)
{
	add(damaged, runs, 0, 0, frame_at(&runs[0], first));
	add_rest(damaged, runs, 0, frame_at(&runs[0], first + count));
}

static void drop_some(struct damaged *damaged, const struct run runs[2], struct random *random)
{
	const struct run *run = &runs[0];
	unsigned rarity = 2 + (unsigned)random_below(random, 40);

	for (size_t i = 0; i < run->frame_count; i++) {
		if (random_once_in(random, rarity))
			i += random_below(random, random_once_in(random, 4) ? 30 : 2);
		else
			add(damaged, runs, 0, run->frames[i].offset, run->frames[i].size);
	}
}

/* The frames first .. first + count - 1 come again, after some more. */
static void repeat(struct damaged *damaged, const struct run runs[2], struct random *random,
	size_t first, size_t count)
{
	const struct run *run = &runs[0];
	size_t again = first + count + (random_once_in(random, 2) ? 0 : random_below(random, 20));

	add(damaged, runs, 0, 0, frame_at(run, again));
	add(damaged, runs, 0, frame_at(run, first),
		frame_at(run, first + count) - frame_at(run, first));
	add_rest(damaged, runs, 0, frame_at(run, again));
}

/* Is it the first frame of its hart? */
static bool is_first(const struct run *run, size_t frame)
{
	bool first = frame < run->frame_count;

	for (size_t i = 0; i < frame && first; i++)
		first = run->frames[i].hart != run->frames[frame].hart;
	return first;
}

static void swap(struct damaged *damaged, const struct run runs[2], size_t first)
{
	const struct run *run = &runs[0];
	size_t at[3] = {frame_at(run, first), frame_at(run, first + 1), frame_at(run, first + 2)};

	damaged->begun = is_first(run, first);
	add(damaged, runs, 0, 0, at[0]);
	add(damaged, runs, 0, at[1], at[2] - at[1]);
	add(damaged, runs, 0, at[0], at[1] - at[0]);
	add_rest(damaged, runs, 0, at[2]);
}

static void flip(struct damaged *damaged, struct random *random, unsigned count)
{
	for (; count > 0; count--)
		damaged->bytes.bytes[random_below(random, damaged->bytes.size)] ^=
			(uint8_t)(1u << random_below(random, 8));
}

static void make_noise(struct damaged *damaged, const struct run runs[2], struct random *random)
{
	const struct run *run = &runs[0];

	for (size_t i = 0; i < run->frame_count; i++) {
		if (random_once_in(random, 4))
			add_noise(damaged, random);
		add(damaged, runs, 0, run->frames[i].offset, run->frames[i].size);
	}
}

static unsigned sequence_of(const struct run *run, size_t frame)
{
	return ear_load_le16(run->bytes.bytes + run->frames[frame].offset + 4);
}

/* The first capture up to a frame, the second from where its number continues, if it does. */
static void join_fitting(struct damaged *damaged, const struct run runs[2], struct random *random)
{
	size_t cut = 1 + random_below(random, runs[0].frame_count);
	size_t next = any_frame(&runs[1], random);
	unsigned wanted = (sequence_of(&runs[0], cut - 1) + 1) & 0xFFFF;

	for (size_t i = 0; i < runs[1].frame_count; i++)
		if (sequence_of(&runs[1], i) == wanted)
			next = i;
	add(damaged, runs, 0, 0, frame_at(&runs[0], cut));
	add_rest(damaged, runs, 1, frame_at(&runs[1], next));
}

/* One byte of a frame's payload is another, and its CRC is right. */
static void forge(struct damaged *damaged, const struct run *run, struct random *random)
{
	const struct run_frame *frame = &run->frames[any_frame(run, random)];
	uint8_t *bytes = damaged->bytes.bytes + frame->offset;
	size_t payload = ear_load_le16(bytes + 6);
	uint8_t copy[EAR_FRAME_SIZE_MAX];

	memcpy(copy, bytes, frame->size);
	copy[EAR_FRAME_HEADER_SIZE + random_below(random, payload)] ^=
		(uint8_t)(1u << random_below(random, 8));
	ear_frame_finish(copy, payload, bytes[3], ear_load_le16(bytes + 4));
	memcpy(bytes, copy, frame->size);
}

static void cut(struct damaged *damaged, const struct run runs[2], size_t from, size_t to)
{
	if (to > from)
		add(damaged, runs, 0, from, to - from);
}

static void make(
	struct damaged *damaged, enum fault fault, const struct run runs[2], struct random *random)
{
	const struct run *run = &runs[0];
	size_t size = run->bytes.size,
	       places[2] = {random_below(random, size + 1), random_below(random, size + 1)};
	size_t low = places[0] < places[1] ? places[0] : places[1];
	size_t high = places[0] < places[1] ? places[1] : places[0];
	size_t frame = any_frame(run, random), other = any_frame(run, random);

	switch (fault) {
	case FAULT_CUT_START: cut(damaged, runs, places[0], size); return;
	case FAULT_CUT_END: cut(damaged, runs, 0, places[0]); return;
	case FAULT_CUT_BOTH: cut(damaged, runs, low, high); return;
	case FAULT_CUT_FRAMES:
		low = frame < other ? frame : other, high = frame < other ? other : frame;
		if (random_once_in(random, 3))
			low = 0;
		else if (random_once_in(random, 2))
			high = run->frame_count;
		cut(damaged, runs, frame_at(run, low), frame_at(run, high));
		return;
	case FAULT_ONLY_STOP:
		add_rest(damaged, runs, 0, frame_at(run, run->frame_count - 1));
		return;
	case FAULT_DROP_FRAMES: drop_some(damaged, runs, random); return;
	case FAULT_DROP_WRAP:
		leave_out(damaged, runs, 1 + random_below(random, run->frame_count - 65536), 65536);
		return;
	case FAULT_REPEAT_FRAME: repeat(damaged, runs, random, frame, 1); return;
	case FAULT_REPEAT_RANGE:
		repeat(damaged, runs, random, frame, 1 + random_below(random, 30));
		return;
	case FAULT_SWAP_FRAMES: swap(damaged, runs, frame); return;
	case FAULT_NOISE: make_noise(damaged, runs, random); return;
	case FAULT_DELETE:
		high = low + random_below(random, 600);
		cut(damaged, runs, 0, low);
		add_rest(damaged, runs, 0, high < size ? high : size);
		return;
	case FAULT_JOIN:
		add_rest(damaged, runs, 0, 0);
		add_rest(damaged, runs, 1, 0);
		return;
	case FAULT_JOIN_CUT:
		cut(damaged, runs, 0, frame_at(run, frame));
		add_rest(damaged, runs, 1,
			random_once_in(random, 2)
				? 0
				: frame_at(&runs[1], any_frame(&runs[1], random)));
		return;
	case FAULT_JOIN_FITTING: join_fitting(damaged, runs, random); return;
	default: add_rest(damaged, runs, 0, 0); return;
	}
}

/* The first capture ends before one of its frames, the second begins with one: does the number of a
 * hart's frames continue?
 */
static bool numbers_fit(const struct damaged *damaged, const struct run runs[2])
{
	unsigned next[RUN_HARTS_MAX];
	bool known[RUN_HARTS_MAX] = {false}, fit = false;

	if (damaged->piece_count != 2 || damaged->pieces[0].run != 0 || damaged->pieces[1].run != 1)
		return false;
	const struct fault_piece *first = &damaged->pieces[0], *second = &damaged->pieces[1];
	for (size_t i = 0; frame_at(&runs[0], i) < first->size; i++) {
		next[runs[0].frames[i].hart] = (sequence_of(&runs[0], i) + 1) & 0xFFFF;
		known[runs[0].frames[i].hart] = true;
	}
	for (size_t i = 0; i < runs[1].frame_count; i++) {
		unsigned hart = runs[1].frames[i].hart;
		if (runs[1].frames[i].offset < second->from || !known[hart])
			continue;
		fit |= next[hart] == sequence_of(&runs[1], i);
		known[hart] = false;
	}
	return fit;
}

void fault_make(
	struct damaged *damaged, enum fault fault, const struct run runs[2], struct random *random)
{
	memset(damaged, 0, sizeof(*damaged));
	make(damaged, fault, runs, random);
	if (damaged->bytes.size > 0 && (fault == FAULT_FLIP || fault == FAULT_FLIPS))
		flip(damaged, random,
			fault == FAULT_FLIP ? 1 : 2 + (unsigned)random_below(random, 9));
	if (fault == FAULT_FORGE)
		forge(damaged, &runs[0], random);
	damaged->fitting = numbers_fit(damaged, runs);
	damaged->changed =
		damaged->bytes.size != runs[0].bytes.size ||
		memcmp(damaged->bytes.bytes, runs[0].bytes.bytes, damaged->bytes.size) != 0;
}

void fault_repeat(struct damaged *damaged, const struct run runs[2], size_t frame)
{
	const struct run *run = &runs[0];

	memset(damaged, 0, sizeof(*damaged));
	add(damaged, runs, 0, 0, frame_at(run, frame + 1));
	add_rest(damaged, runs, 0, frame_at(run, frame));
	damaged->changed = true;
}

void fault_free(struct damaged *damaged)
{
	byte_buffer_free(&damaged->bytes);
	free(damaged->pieces);
	memset(damaged, 0, sizeof(*damaged));
}

int fault_run_at(const struct damaged *damaged, uint64_t offset)
{
	for (size_t i = damaged->piece_count; i-- > 0;)
		if (damaged->pieces[i].at <= offset)
			return damaged->pieces[i].run;
	return -1;
}
