#ifndef EAR_FRAME_H
#define EAR_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "common/protocol/ear_protocol.h"

#define EAR_FRAME_SIZE_MIN (EAR_FRAME_HEADER_SIZE + EAR_FRAME_ALIGN + EAR_FRAME_CRC_SIZE)
#define EAR_FRAME_SIZE_MAX (EAR_FRAME_HEADER_SIZE + EAR_FRAME_PAYLOAD_MAX + EAR_FRAME_CRC_SIZE)

/* One frame in the caller's bytes. */
#define EAR_STREAM_IDS 256 /* values of a frame's stream id */

struct ear_frame {
	uint8_t stream_id;      /* hart */
	uint16_t sequence;      /* modulo 65536 */
	const uint8_t *payload; /* inside the bytes given to ear_frame_parse */
	size_t payload_size;    /* 4 .. EAR_FRAME_PAYLOAD_MAX */
};

/* Parse one frame from the front of bytes[0 .. size-1]. docs/protocol.md, section 2.
 *
 * Returns the bytes consumed, EAR_FRAME_SIZE_MIN .. EAR_FRAME_SIZE_MAX, and fills *frame,
 *         whose payload points into bytes.
 * Returns EAR_E_MORE if bytes may be the beginning of a frame.
 * Returns EAR_E_VERSION if a well-formed header carries another protocol major.
 * Returns EAR_E_BAD_FRAME if no frame begins here: drop one byte and try again.
 * *frame is untouched unless the result is positive.
 */
int ear_frame_parse(struct ear_frame *frame, const uint8_t *bytes, size_t size);

/* Find the first possible begin of a frame in bytes[0 .. size-1].
 *
 * Returns the offset of the first magic, or of its first byte at the end of bytes; size if there is
 * none.
 */
size_t ear_frame_find(const uint8_t *bytes, size_t size);

/* Finish a frame whose payload the caller has put at bytes[EAR_FRAME_HEADER_SIZE ..]: fill the
 * payload up with PAD, and write the header before it and the CRC after it.
 *
 * bytes holds EAR_FRAME_SIZE_MAX; payload_size is 1 .. EAR_FRAME_PAYLOAD_MAX.
 * Returns the size of the frame.
 */
size_t ear_frame_finish(uint8_t *bytes, size_t payload_size, uint8_t stream_id, uint16_t sequence);

#endif
