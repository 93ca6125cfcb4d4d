/* Slices that have not ended form a list for each track, from its newest one down. Those that ended
 * stay if they are long enough. */
#include "analyses/timeline/slices.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#define SAMPLES 1001u /* durations whose median is the next least one */

enum {
	STATE_FREE,
	STATE_OPEN,
	STATE_EARLY, /* it was ended with what it was in; its own end has not come */
	STATE_KEPT,
};

int ear_slices_init(struct ear_slices *slices, uint64_t max, uint64_t least)
{
	*slices = (struct ear_slices){.max = max, .least = least, .used = 1, .capacity = 1024};
	slices->list = malloc(slices->capacity * sizeof(*slices->list));
	return slices->list ? 0 : EAR_E_NO_MEMORY;
}

void ear_slices_fini(struct ear_slices *slices)
{
	free(slices->list);
	free(slices->tops);
	free(slices->merged);
	free(slices->sorted);
	*slices = (struct ear_slices){0};
}

uint32_t ear_slices_add_track(struct ear_slices *slices)
{
	const size_t count = (size_t)slices->track_count + 1;
	uint32_t *tops = realloc(slices->tops, count * sizeof(*tops));

	if (tops)
		slices->tops = tops;
	uint64_t *merged = tops ? realloc(slices->merged, count * sizeof(*merged)) : NULL;
	if (!merged) {
		slices->failed = EAR_E_NO_MEMORY;
		return UINT32_MAX;
	}
	slices->merged = merged;
	tops[slices->track_count] = 0;
	merged[slices->track_count] = 0;
	return slices->track_count++;
}

const struct ear_slice *ear_slices_top(const struct ear_slices *slices, uint32_t track)
{
	return slices->tops[track] ? &slices->list[slices->tops[track]] : NULL;
}

uint64_t ear_slices_order(struct ear_slices *slices)
{
	return ++slices->order;
}

/* ---- Few enough. ---- */

static void release(struct ear_slices *slices, uint32_t mark)
{
	slices->list[mark].state = STATE_FREE;
	slices->list[mark].below = slices->free;
	slices->free = mark;
}

/* What was in a slice is counted in the one below it. */
static void merge(struct ear_slices *slices, struct ear_slice *slice, uint32_t below)
{
	const uint64_t count = slice->merged + 1;

	if (below)
		slices->list[below].merged += count;
	else
		slices->merged[slice->track] += count;
	slices->merged_count++;
}

static bool stays(const struct ear_slices *slices, uint32_t mark)
{
	const struct ear_slice *slice = &slices->list[mark];

	return slice->state != STATE_KEPT || slice->end - slice->begin >= slices->least;
}

/* The next slice below that stays. Those on the way remember it. */
static uint32_t find_below(struct ear_slices *slices, uint32_t mark)
{
	uint32_t found = slices->list[mark].below;

	while (found && !stays(slices, found))
		found = slices->list[found].below;
	while (mark && mark != found) {
		uint32_t next = slices->list[mark].below;
		slices->list[mark].below = found;
		mark = next;
	}
	return found;
}

static int compare_durations(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* A duration that about half of the slices have. */
static uint64_t find_median(const struct ear_slices *slices)
{
	uint64_t samples[SAMPLES];
	size_t count = 0;
	const uint32_t step = slices->used / SAMPLES + 1;

	for (uint32_t mark = 1; mark < slices->used && count < SAMPLES; mark += step)
		if (slices->list[mark].state == STATE_KEPT)
			samples[count++] = slices->list[mark].end - slices->list[mark].begin;
	qsort(samples, count, sizeof(samples[0]), compare_durations);
	for (uint32_t mark = 1; mark < slices->used && count == 0; mark++)
		if (slices->list[mark].state == STATE_KEPT)
			samples[count++] = slices->list[mark].end - slices->list[mark].begin;
	return count > 0 ? samples[count / 2] : 0;
}

/* Slices that are too short now. All find what stays below them before the first one goes. */
static void raise_least(struct ear_slices *slices)
{
	const uint64_t median = find_median(slices);

	slices->least = (median > slices->least ? median : slices->least) + 1;
	for (uint32_t mark = 1; mark < slices->used; mark++) {
		if (slices->list[mark].state == STATE_FREE)
			continue;
		uint32_t below = find_below(slices, mark);
		if (!stays(slices, mark))
			merge(slices, &slices->list[mark], below);
	}
	for (uint32_t mark = 1; mark < slices->used; mark++)
		if (!stays(slices, mark)) {
			release(slices, mark);
			slices->kept--;
		}
}

/* ---- Slices come and go. ---- */

static uint32_t find_free(struct ear_slices *slices)
{
	const uint32_t mark = slices->free;

	if (mark) {
		slices->free = slices->list[mark].below;
		return mark;
	}
	if (slices->used == slices->capacity) {
		const uint32_t capacity =
			slices->capacity <= UINT32_MAX / 4 ? 2 * slices->capacity : 0;
		struct ear_slice *list =
			capacity ? realloc(slices->list, capacity * sizeof(*list)) : NULL;
		if (!list) {
			slices->failed = EAR_E_NO_MEMORY;
			return 0;
		}
		slices->list = list;
		slices->capacity = capacity;
	}
	return slices->used++;
}

uint32_t ear_slices_begin(
	struct ear_slices *slices, uint32_t track, const struct ear_slice_what *what, uint64_t time)
{
	const uint32_t mark = find_free(slices);

	if (!mark)
		return 0;
	struct ear_slice *slice = &slices->list[mark];
	const uint32_t below = slices->tops[track];
	*slice = (struct ear_slice){.begin = time,
		.begin_order = ++slices->order,
		.position = what->position,
		.name = what->name,
		.kind = what->kind,
		.hidden = what->hidden,
		.state = STATE_OPEN,
		.track = track,
		.below = below,
		.depth = below ? slices->list[below].depth + 1 : 1};
	slices->tops[track] = mark;
	return mark;
}

void ear_slices_move(struct ear_slices *slices, uint32_t track, uint64_t time)
{
	for (uint32_t mark = slices->tops[track]; mark; mark = slices->list[mark].below)
		slices->list[mark].begin = time;
}

void ear_slices_move_ended(struct ear_slices *slices, uint32_t mark, uint64_t time)
{
	struct ear_slice *slice = &slices->list[mark];

	if (slice->state == STATE_KEPT || slice->state == STATE_EARLY)
		slice->begin = slice->end = time;
}

/* It stays, or is merged. */
static void keep(struct ear_slices *slices, uint32_t mark)
{
	struct ear_slice *slice = &slices->list[mark];

	if (slice->hidden || slice->end - slice->begin < slices->least) {
		merge(slices, slice, slice->below);
		release(slices, mark);
		return;
	}
	slice->state = STATE_KEPT;
	slices->kept++;
	while (slices->kept > slices->max)
		raise_least(slices);
}

/* The newest of a track. */
static void end_top(struct ear_slices *slices, uint32_t track, uint64_t time, uint8_t how)
{
	struct ear_slice *slice = &slices->list[slices->tops[track]];

	slice->end = time > slice->begin ? time : slice->begin;
	slice->end_order = ++slices->order;
	slice->how = how;
	slices->tops[track] = slice->below;
}

void ear_slices_end(struct ear_slices *slices, uint32_t mark, uint64_t time, uint8_t how)
{
	if (!mark ||
		(slices->list[mark].state != STATE_OPEN && slices->list[mark].state != STATE_EARLY))
		return;
	const uint32_t track = slices->list[mark].track;
	if (slices->list[mark].state == STATE_OPEN) {
		while (slices->tops[track] != mark) {
			uint32_t top = slices->tops[track];
			end_top(slices, track, time, how);
			slices->list[top].state = STATE_EARLY;
			slices->crossed++;
		}
		end_top(slices, track, time, how);
	}
	keep(slices, mark);
}

void ear_slices_end_track(struct ear_slices *slices, uint32_t track, uint64_t time, uint8_t how)
{
	while (slices->tops[track]) {
		uint32_t mark = slices->tops[track];
		end_top(slices, track, time, how);
		keep(slices, mark);
	}
}

/* ---- In order. ---- */

static int compare_orders(const void *a, const void *b)
{
	const uint64_t x = ((const struct ear_slice_place *)a)->order,
		       y = ((const struct ear_slice_place *)b)->order;

	return x < y ? -1 : x > y;
}

int ear_slices_sort(struct ear_slices *slices)
{
	bool in_order = true; /* as of one hart they are */
	uint32_t count = 0;

	slices->sorted = malloc(slices->used * sizeof(*slices->sorted));
	if (!slices->sorted)
		return EAR_E_NO_MEMORY;
	for (uint32_t mark = 1; mark < slices->used; mark++) {
		struct ear_slice *slice = &slices->list[mark];
		if (slice->state == STATE_EARLY)
			slice->state = STATE_KEPT;
		if (slice->state != STATE_KEPT)
			continue;
		in_order = in_order &&
			   (count == 0 || slices->sorted[count - 1].order <= slice->begin_order);
		slices->sorted[count++] = (struct ear_slice_place){slice->begin_order, mark};
	}
	if (!in_order)
		qsort(slices->sorted, count, sizeof(*slices->sorted), compare_orders);
	slices->kept = count;
	return 0;
}

const struct ear_slice *ear_slices_at(const struct ear_slices *slices, uint32_t i)
{
	return &slices->list[slices->sorted[i].mark];
}
