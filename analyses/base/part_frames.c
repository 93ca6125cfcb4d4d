/* Frames over the cuts between parts. A frame that is active at a cut is the same one in both parts
 * if its hart and the record that entered it are; of several frames of one record, the order
 * decides.
 */
#include "analyses/base/part_frames.h"

#include <stdlib.h>

void ear_part_frames_fini(struct ear_part_frames *frames)
{
	free(frames->list);
	free(frames->active);
	*frames = (struct ear_part_frames){0};
}

static int compare(const void *a, const void *b)
{
	const struct ear_part_frame *left = a, *right = b;

	if (left->hart != right->hart)
		return left->hart < right->hart ? -1 : 1;
	if (left->position != right->position)
		return left->position < right->position ? -1 : 1;
	return (left->number > right->number) - (left->number < right->number);
}

uint32_t ear_part_frames_find(struct ear_part_frames *frames, uint16_t hart, uint64_t position)
{
	const struct ear_part_frame lowest = {.hart = hart, .position = position};
	size_t first = 0, end = frames->active_count;

	while (first < end) {
		const size_t middle = first + (end - first) / 2;
		if (compare(&frames->active[middle], &lowest) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	for (; first < frames->active_count; first++) {
		struct ear_part_frame *frame = &frames->active[first];
		const uint32_t mark = frame->mark;
		if (frame->hart != hart || frame->position != position)
			return 0;
		frame->mark = 0;
		if (mark)
			return mark;
	}
	return 0;
}

bool ear_part_frames_add(
	struct ear_part_frames *frames, uint16_t hart, uint64_t position, uint32_t mark)
{
	if (frames->count == frames->capacity) {
		const uint32_t capacity = frames->capacity ? 2 * frames->capacity : 1024;
		struct ear_part_frame *list = realloc(frames->list, capacity * sizeof(*list));
		if (!list)
			return false;
		frames->list = list;
		frames->capacity = capacity;
	}
	frames->list[frames->count] = (struct ear_part_frame){
		.position = position, .mark = mark, .number = frames->count + 1, .hart = hart};
	frames->count++;
	return true;
}

bool ear_part_frames_get(const struct ear_part_frames *frames, uint64_t number, uint32_t *mark)
{
	if (number > frames->count)
		return false;
	*mark = number ? frames->list[number - 1].mark : 0;
	return true;
}

uint32_t ear_part_frames_end(struct ear_part_frames *frames, uint64_t number)
{
	uint32_t mark = 0;

	if (ear_part_frames_get(frames, number, &mark) && mark)
		frames->list[number - 1].mark = 0;
	return mark;
}

/* Also a frame that the part did not report may be active. */
bool ear_part_frames_next(struct ear_part_frames *frames)
{
	const size_t most = frames->active_count + frames->count;
	struct ear_part_frame *active = realloc(frames->active, (most + 1) * sizeof(*active));
	size_t count = 0;

	if (!active)
		return false;
	for (size_t i = 0; i < most; i++) {
		const struct ear_part_frame frame =
			i < frames->active_count ? active[i]
						 : frames->list[i - frames->active_count];
		if (frame.mark)
			active[count++] = frame;
	}
	if (count > 1)
		qsort(active, count, sizeof(*active), compare);
	frames->active = active;
	frames->active_count = count;
	frames->count = 0;
	return true;
}
