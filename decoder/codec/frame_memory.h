#ifndef EAR_FRAME_MEMORY_H
#define EAR_FRAME_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The frames of one hart that came last: enough of each to know it again when it comes twice, and
 * to see that a frame comes after those that follow it.
 *
 * A sequence number alone does not do: it repeats after 65536 frames. Frames are kept with a number
 * that goes on, whose low 16 bits are the sequence number.
 */

#define EAR_FRAME_MEMORY_MAX (1u << 18) /* frames; 6 MiB */

struct ear_frame_mark {
	uint64_t number;
	uint64_t order; /* index of its first record, as far as known; never falls */
	uint32_t crc;   /* of the whole frame, as it stands behind the payload */
	uint16_t payload_size;
	bool indexed; /* order is its own; else that of the next record as it was expected */
};

struct ear_frame_memory {
	struct ear_frame_mark *marks; /* a ring of capacity places, a power of two */
	size_t capacity, first, count;
};

void ear_frame_memory_init(struct ear_frame_memory *memory);
void ear_frame_memory_fini(struct ear_frame_memory *memory);

/* Forget all frames: the index begins anew. */
void ear_frame_memory_clear(struct ear_frame_memory *memory);

/* The number of a frame that comes next. */
uint64_t ear_frame_memory_number(const struct ear_frame_memory *memory, uint16_t sequence);

/* Add the newest frame. The oldest is forgotten when there is no room. */
void ear_frame_memory_add(struct ear_frame_memory *memory, const struct ear_frame_mark *mark);

/* Was this very frame there, bit for bit (as far as a CRC tells)? */
bool ear_frame_memory_has(const struct ear_frame_memory *memory, uint16_t sequence, uint32_t crc);

/* Was a frame there with this first index and the same payload, whatever its sequence number? */
bool ear_frame_memory_has_payload(
	const struct ear_frame_memory *memory, const struct ear_frame_mark *frame);

/* Does a frame with this sequence number, if it is an old one, belong between two that came, where
 * one is missing, or right before the first? With order only if that fits too; NULL: it is not
 * known.
 */
bool ear_frame_memory_is_late(
	const struct ear_frame_memory *memory, uint16_t sequence, const uint64_t *order);

#endif
