/* Buffers that were written in a circle. A ring is held in memory: its oldest byte may be anywhere,
 * and such buffers are small. The registers of a RAM sink name its last word, whose width they do
 * not say. But buffers are powers of two as a rule, and a dump has the size of its buffer.
 */
#include "decoder/flow/flow_ring.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#define RING_MAX EAR_TEXT_LINE_MAX /* bytes */
#define WORD_MAX 64u               /* bytes of a word of a sink's memory */
#define WORD_MIN 4u

#define WRAP_BIT UINT64_C(1)

const char *ear_flow_ring_complete(struct ear_flow_ring_unit *unit)
{
	const uint64_t next = unit->ram_wp & ~UINT64_C(3);

	if (unit->ram_limit == 0)
		return NULL;
	if (next < unit->ram_start || next > unit->ram_limit)
		return "\"ram_wp\" is not from \"ram_start\" to \"ram_limit\"";
	if (unit->ram_limit - unit->ram_start > UINT32_MAX - WORD_MAX)
		return "\"ram_limit\": a buffer of 4 GiB or more";
	unit->wrapped = (uint32_t)(unit->ram_wp & WRAP_BIT);
	unit->head_offset = (uint32_t)(next - unit->ram_start);
	return NULL;
}

/* Bytes of the buffer of which a file of this size is a dump. */
static uint64_t capacity_of(const struct ear_flow_ring_unit *unit, uint64_t size)
{
	const uint64_t last = unit->ram_limit - unit->ram_start;
	uint64_t power = WORD_MIN;

	if (unit->ram_limit == 0 || (size >= last + WORD_MIN && size <= last + WORD_MAX))
		return size;
	while (power <= last)
		power *= 2;
	return power - last <= WORD_MAX ? power : last + WORD_MIN;
}

int ear_flow_ring_turn(struct ear_flow_ring *ring, const uint8_t *buffer, size_t size, size_t head,
	uint64_t offset)
{
	ear_flow_ring_fini(ring);
	ring->bytes = malloc(size + 1);
	if (!ring->bytes)
		return EAR_E_NO_MEMORY;
	ring->size = ring->capacity = size;
	ring->head = head;
	ring->offset = offset;
	memcpy(ring->bytes, buffer + head, size - head);
	memcpy(ring->bytes + size - head, buffer, head);
	return 0;
}

static const char *find_fault(const struct ear_flow_ring_unit *unit, uint64_t size)
{
	if (size >= RING_MAX)
		return "a buffer of 16 MiB or more: cut the file at its write pointer, and join "
		       "the parts in their order";
	if (unit->head_offset > size)
		return "the file ends before the write pointer of the buffer";
	if (unit->wrapped && capacity_of(unit, size) > size)
		return "the file is shorter than the buffer, which wrapped";
	return NULL;
}

int ear_flow_ring_take(struct ear_flow_ring *ring, struct ear_text_input *input,
	const struct ear_flow_ring_unit *unit, const char **fault)
{
	const size_t head = unit->head_offset;
	const uint64_t offset = ear_text_input_next_offset(input);
	const uint8_t *bytes;
	size_t size;

	if (head == 0 && unit->ram_limit == 0)
		return 0;
	int result = ear_text_input_bytes(input, RING_MAX, &bytes, &size);
	if (result <= 0)
		return result;
	*fault = find_fault(unit, size);
	if (*fault)
		return EAR_E_BAD_FILE;
	if (unit->wrapped)
		result = ear_flow_ring_turn(
			ring, bytes, (size_t)capacity_of(unit, size), head, offset);
	else
		result = ear_flow_ring_turn(ring, bytes, head, 0, offset);
	if (result == 0)
		ear_text_input_take(input, size);
	return result;
}

uint64_t ear_flow_ring_offset(const struct ear_flow_ring *ring)
{
	const size_t at = ring->head + ring->at;

	return ring->offset + (at < ring->capacity ? at : at - ring->capacity);
}

void ear_flow_ring_fini(struct ear_flow_ring *ring)
{
	free(ring->bytes);
	*ring = (struct ear_flow_ring){0};
}
