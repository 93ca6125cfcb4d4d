#ifndef EAR_FLOW_RING_H
#define EAR_FLOW_RING_H

#include <stddef.h>
#include <stdint.h>

#include "decoder/flow/flow_unit.h"
#include "decoder/text/text_input.h"

/* A buffer in memory that a trace unit wrote in a circle, dumped as it lies there: its oldest byte
 * is where the next one would have been written. docs/branch-trace.md, "Buffers in memory".
 */

/* What a unit's parameters say of it. */
struct ear_flow_ring_unit {
	uint32_t wrapped;     /* the oldest bytes were overwritten: it begins inside of a packet */
	uint32_t head_offset; /* of the byte to be written next */
	/* Or the registers trRamStart, trRamLimit and trRamWP, with its bit trRamWrap, of the trace
	 * control interface; ram_limit 0: they are not given. */
	uint64_t ram_start, ram_limit, ram_wp;
};

#define EAR_FLOW_RING_ROW(type, ring, name, most, is_wide) \
	{ \
		.key = #name, \
		.offset = offsetof(type, ring) + offsetof(struct ear_flow_ring_unit, name), \
		.max = (most), .wide = (is_wide) \
	}

/* Rows of a table of parameters: ring is the member of type. */
#define EAR_FLOW_RING_ROWS(type, ring) \
	EAR_FLOW_RING_ROW(type, ring, wrapped, 1, false), \
		EAR_FLOW_RING_ROW(type, ring, head_offset, UINT32_MAX, false), \
		EAR_FLOW_RING_ROW(type, ring, ram_start, 0, true), \
		EAR_FLOW_RING_ROW(type, ring, ram_limit, 0, true), \
		EAR_FLOW_RING_ROW(type, ring, ram_wp, 0, true)

/* Set wrapped and head_offset as the registers say, if they are given. Returns NULL, or a sentence:
 * they cannot be those of one buffer. */
const char *ear_flow_ring_complete(struct ear_flow_ring_unit *unit);

/* The bytes of a buffer, the oldest first. */
struct ear_flow_ring {
	uint8_t *bytes; /* NULL: the input is read as it comes */
	size_t size, at;
	size_t head;     /* where the first of them is in the buffer */
	size_t capacity; /* of the buffer */
	uint64_t offset; /* of the buffer in the input */
};

/* Make a ring of buffer[0 .. size-1], which is at offset of the input, so that the byte at head is
 * the first one. What ring held is freed. Returns 0 or EAR_E_NO_MEMORY. */
int ear_flow_ring_turn(struct ear_flow_ring *ring, const uint8_t *buffer, size_t size, size_t head,
	uint64_t offset);

/* Take all of an input of which nothing was taken, if the unit says that its bytes are not in their
 * order, or end before it does. ring is zero.
 *
 * Returns 0; EAR_E_BAD_FILE and a sentence in *fault; EAR_E_NO_MEMORY; or as ear_text_input_bytes.
 */
int ear_flow_ring_take(struct ear_flow_ring *ring, struct ear_text_input *input,
	const struct ear_flow_ring_unit *unit, const char **fault);

/* Where the next byte of the ring is in the input. */
uint64_t ear_flow_ring_offset(const struct ear_flow_ring *ring);

void ear_flow_ring_fini(struct ear_flow_ring *ring);

#endif
