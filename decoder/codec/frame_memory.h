#ifndef EAR_FRAME_MEMORY_H
#define EAR_FRAME_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The last frames of one hart: enough of each to recognise a repeated frame, and one that comes
 * late, after frames that follow it.
 *
 * A sequence number alone does not suffice: it repeats after 65536 frames. Frames have a number
 * that continues, whose low 16 bits are the sequence number.
 */

#define EAR_FRAME_MEMORY_MAX (1u << 18) /* frames; 6 MiB */

struct ear_frame_mark {
	uint64_t number;
	uint64_t order; /* index of its first record, as far as known; never falls */
	uint32_t crc;   /* the CRC at the end of the frame */
	uint16_t payload_size;
	bool indexed; /* order is its own; else the expected order at its time */
};

struct ear_frame_memory {
	struct ear_frame_mark *marks; /* a ring of capacity entries, a power of two */
	size_t capacity, first, count;
	/* Older marks were left behind by an anchor (decoder_anchor.h). Questions whose answer they
	 * could change are answered without them, and noted. */
	bool cut;
	uint64_t cut_number, cut_order; /* of the oldest of those */
	bool asked;
};

void ear_frame_memory_init(struct ear_frame_memory *memory);
void ear_frame_memory_fini(struct ear_frame_memory *memory);

/* Forget all frames: the index restarts. */
void ear_frame_memory_clear(struct ear_frame_memory *memory);

/* There were frames, and nothing is known of them. */
void ear_frame_memory_forget(struct ear_frame_memory *memory);

/* Mark number i, below memory->count, from the oldest on. */
const struct ear_frame_mark *ear_frame_memory_mark(const struct ear_frame_memory *memory, size_t i);

/* The number of the next frame. */
uint64_t ear_frame_memory_number(const struct ear_frame_memory *memory, uint16_t sequence);

/* Add the newest frame. If there is no room, it evicts the oldest one. */
void ear_frame_memory_add(struct ear_frame_memory *memory, const struct ear_frame_mark *mark);

/* Did this frame come before, with the same sequence number and CRC? */
bool ear_frame_memory_has(struct ear_frame_memory *memory, uint16_t sequence, uint32_t crc);

/* Did a frame with this first index and the same payload come, with any sequence number? */
bool ear_frame_memory_has_payload(
	struct ear_frame_memory *memory, const struct ear_frame_mark *frame);

/* If a frame with this sequence number is a late one: does it fit between two frames where one is
 * missing, or right before the first? *order must fit, too; NULL: unknown.
 */
bool ear_frame_memory_is_late(
	struct ear_frame_memory *memory, uint16_t sequence, const uint64_t *order);

#endif
