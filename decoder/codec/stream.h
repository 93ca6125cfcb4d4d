#ifndef EAR_STREAM_H
#define EAR_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/frame.h"

/* Bytes to frames: finds frames, skips other bytes, detects missing frames. docs/protocol.md,
 * section 3.
 *
 * The caller keeps the bytes: it offers what it has, gets the number of bytes used, and offers the
 * rest again before the bytes that come next.
 */
struct ear_stream {
	uint64_t offset; /* of the next byte from the start of the stream */
	uint16_t next_sequence[EAR_STREAM_IDS];
	bool sequence_known[EAR_STREAM_IDS];
};

enum ear_stream_item_kind {
	EAR_STREAM_FRAME,   /* frame; missing_frames were lost right before it */
	EAR_STREAM_SKIPPED, /* skipped_bytes from offset on are in no frame; more may follow */
};

struct ear_stream_item {
	enum ear_stream_item_kind kind;
	uint64_t offset; /* of the first byte of the frame or of the skipped bytes */
	struct ear_frame frame;
	uint16_t missing_frames; /* modulo 65536 */
	uint64_t skipped_bytes;
	bool cut;             /* SKIPPED: the data end here, in a possible frame */
	bool unknown_version; /* SKIPPED: they include a valid frame of another protocol major */
};

/* Begin at stream offset 0. */
void ear_stream_init(struct ear_stream *stream);

/* The frame in item, the last one taken, came before or late: expect the same next one as without
 * it.
 */
void ear_stream_skip_frame(struct ear_stream *stream, const struct ear_stream_item *item);

/* Take the next item from bytes[0 .. size-1], which follow those used before.
 *
 * final: nothing comes after these bytes.
 * Returns the bytes used, 0 or more, and fills *item.
 * Returns EAR_E_MORE if there is no whole item: offer the bytes again with more after them. With
 *         final it means the end.
 */
int ear_stream_next(struct ear_stream *stream, struct ear_stream_item *item, const uint8_t *bytes,
	size_t size, bool final);

#endif
