#ifndef EAR_REPLY_SCANNER_H
#define EAR_REPLY_SCANNER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/protocol/frame.h"
#include "common/protocol/message.h"

/* Look through the stream for the two messages that the driver itself needs, REPLY and STOP, and
 * change nothing. Everything else in a frame is skipped, so this costs little more than the CRC.
 *
 * A frame ends after a REPLY or a STOP (docs/protocol.md, section 2), so a frame that holds one
 * has it at its end, before the PAD messages.
 */
#define EAR_STRAY_SAMPLE_SIZE 64

/* What came instead of an answer, for a message about its absence. */
struct ear_stray {
	uint64_t frames;                       /* whole good frames */
	uint64_t bytes;                        /* outside of frames */
	uint8_t sample[EAR_STRAY_SAMPLE_SIZE]; /* the first of these bytes */
	size_t sample_size;
};

struct ear_reply_scanner {
	struct ear_stray stray;
	uint8_t carry[EAR_FRAME_SIZE_MAX]; /* beginning of a frame whose end has not come yet */
	size_t carry_size;
	uint64_t foreign_frames; /* whole frames of another protocol major */
	uint8_t foreign_major;   /* of the last of them */
	uint8_t stream;          /* of the message that was found last */
	struct {
		uint8_t xlen, flen; /* of its unit; 0: not known. Needed to parse record messages */
		bool seen;          /* a whole good frame of it */
	} streams[EAR_STREAM_IDS];
};

void ear_reply_scanner_init(struct ear_reply_scanner *scanner);

/* The units are known before their first UNIT message: XLEN 32 or 64, FLEN 0, 32 or 64. Without
 * this call they come from the first UNIT that begins a frame.
 */
void ear_reply_scanner_shape(struct ear_reply_scanner *scanner, uint8_t xlen, uint8_t flen);

/* Count stray from 0 again: a new question is asked. */
void ear_reply_scanner_clear_stray(struct ear_reply_scanner *scanner);

/* Nothing was seen of any unit: a capture begins, and who takes part in it will speak. */
void ear_reply_scanner_clear_seen(struct ear_reply_scanner *scanner);

/* Forget a frame that has begun: bytes are missing after its beginning. */
void ear_reply_scanner_interrupt(struct ear_reply_scanner *scanner);

/* Look through bytes[0 .. size-1], which follow those of the last call.
 *
 * Returns 1 with a REPLY or STOP in *message: look again from bytes + *used, the end of its frame.
 *         After damage the end can also be in bytes of an earlier call; then *used is 0.
 * Returns 0 if there is none; *used is size.
 */
int ear_reply_scanner_next(struct ear_reply_scanner *scanner, size_t *used,
	struct ear_message *message, const uint8_t *bytes, size_t size);

#endif
