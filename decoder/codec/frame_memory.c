/* A ring of marks, sorted by number and by order at once, because both rise from frame to frame. So
 * bisection finds a mark, and only frames that do not continue the sequence are searched for.
 */
#include "decoder/codec/frame_memory.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/protocol/bytes.h"
#include "common/protocol/frame.h"

#define SEQUENCES     65536u
#define GENERATIONS   (EAR_FRAME_MEMORY_MAX / SEQUENCES + 1)
#define FIRST_NUMBER  ((uint64_t)1 << 32) /* a multiple of SEQUENCES, with room below */
#define CAPACITY_INIT 64u

void ear_frame_memory_init(struct ear_frame_memory *memory)
{
	memset(memory, 0, sizeof(*memory));
}

void ear_frame_memory_fini(struct ear_frame_memory *memory)
{
	free(memory->marks);
	ear_frame_memory_init(memory);
}

void ear_frame_memory_clear(struct ear_frame_memory *memory)
{
	memory->first = memory->count = 0;
	memory->cut = false;
}

/* Mark number i, from the oldest on. */
static struct ear_frame_mark *mark_at(const struct ear_frame_memory *memory, size_t i)
{
	return &memory->marks[(memory->first + i) & (memory->capacity - 1)];
}

const struct ear_frame_mark *ear_frame_memory_mark(const struct ear_frame_memory *memory, size_t i)
{
	return mark_at(memory, i);
}

void ear_frame_memory_forget(struct ear_frame_memory *memory)
{
	ear_frame_memory_clear(memory);
	memory->cut = true;
	memory->cut_number = memory->cut_order = 0;
}

uint64_t ear_frame_memory_number(const struct ear_frame_memory *memory, uint16_t sequence)
{
	if (memory->count == 0)
		return FIRST_NUMBER + sequence;
	uint64_t next = mark_at(memory, memory->count - 1)->number + 1;
	return next + (uint16_t)(sequence - next);
}

/* The ring does not wrap before it has its full size, so the marks are in order. */
static bool grow(struct ear_frame_memory *memory)
{
	size_t capacity = memory->capacity ? 4 * memory->capacity : CAPACITY_INIT;
	struct ear_frame_mark *marks;

	if (memory->capacity == EAR_FRAME_MEMORY_MAX)
		return false;
	if (capacity > EAR_FRAME_MEMORY_MAX)
		capacity = EAR_FRAME_MEMORY_MAX;
	marks = realloc(memory->marks, capacity * sizeof(*marks));
	if (!marks)
		return false;
	memory->marks = marks;
	memory->capacity = capacity;
	return true;
}

/* If memory is short the oldest marks are evicted earlier; nothing else changes. */
void ear_frame_memory_add(struct ear_frame_memory *memory, const struct ear_frame_mark *mark)
{
	if (memory->count == memory->capacity && (memory->first != 0 || !grow(memory))) {
		if (memory->count == 0)
			return;
		memory->first = (memory->first + 1) & (memory->capacity - 1);
		memory->count--;
	}
	*mark_at(memory, memory->count) = *mark;
	memory->count++;
}

/* The number of marks with a smaller number, or order. */
static size_t count_below(const struct ear_frame_memory *memory, uint64_t value, bool by_order)
{
	size_t low = 0, high = memory->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct ear_frame_mark *mark = mark_at(memory, middle);
		if ((by_order ? mark->order : mark->number) < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The newest number with this sequence number that an earlier frame can have. */
static uint64_t newest_number(const struct ear_frame_memory *memory, uint16_t sequence)
{
	uint64_t last = mark_at(memory, memory->count - 1)->number;

	return last - (uint16_t)(last - sequence);
}

/* The mark with this number is asked for, which may be one that was left behind. */
static void ask(struct ear_frame_memory *memory, uint64_t number)
{
	memory->asked |=
		memory->cut && number >= memory->cut_number && number < mark_at(memory, 0)->number;
}

bool ear_frame_memory_has(struct ear_frame_memory *memory, uint16_t sequence, uint32_t crc)
{
	memory->asked |= memory->cut && memory->count == 0;
	if (memory->count == 0)
		return false;
	uint64_t number = newest_number(memory, sequence);
	for (unsigned i = 0; i < GENERATIONS; i++, number -= SEQUENCES) {
		size_t at = count_below(memory, number, false);
		ask(memory, number);
		if (at < memory->count && mark_at(memory, at)->number == number &&
			mark_at(memory, at)->crc == crc)
			return true;
	}
	return false;
}

/* Two frames whose headers differ in the sequence number, and have the same payload, have CRCs that
 * differ by the CRC of the difference: it is linear.
 */
static bool same_payload(const struct ear_frame_mark *a, const struct ear_frame_mark *b)
{
	static const uint8_t none[EAR_FRAME_SIZE_MAX];
	uint8_t difference[EAR_FRAME_SIZE_MAX] = {0};
	uInt size = (uInt)(EAR_FRAME_HEADER_SIZE + a->payload_size);

	if (a->payload_size != b->payload_size)
		return false;
	ear_store_le16(difference + 4, (uint16_t)(a->number ^ b->number));
	return (a->crc ^ b->crc) == (uint32_t)(crc32(0, difference, size) ^ crc32(0, none, size));
}

bool ear_frame_memory_has_payload(
	struct ear_frame_memory *memory, const struct ear_frame_mark *frame)
{
	size_t at = count_below(memory, frame->order, true);

	for (; at < memory->count && mark_at(memory, at)->order == frame->order; at++)
		if (same_payload(mark_at(memory, at), frame))
			return true;
	memory->asked |= memory->cut && memory->cut_order <= frame->order &&
			 (memory->count == 0 || frame->order <= mark_at(memory, 0)->order);
	return false;
}

bool ear_frame_memory_is_late(
	struct ear_frame_memory *memory, uint16_t sequence, const uint64_t *order)
{
	memory->asked |= memory->cut && memory->count == 0;
	if (memory->count == 0)
		return false;
	uint64_t number = newest_number(memory, sequence);
	ask(memory, number);
	ask(memory, number + 1); /* right before the first */
	size_t after = count_below(memory, number, false);
	const struct ear_frame_mark *mark = mark_at(memory, after < memory->count ? after : 0);
	if (after == memory->count || mark->number == number ||
		(after == 0 && mark->number != number + 1))
		return false;
	return !order || ((*order <= mark->order || !mark->indexed) &&
				 (after == 0 || mark_at(memory, after - 1)->order <= *order));
}
