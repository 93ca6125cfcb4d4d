#ifndef EAR_ENCODER_H
#define EAR_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/frame.h"
#include "protocol/message.h"

/* The reference encoder: retire entries to frames, as docs/protocol.md tells and as the
 * capture unit must do byte for byte. Raw mode.
 *
 * It is plain data in the caller's storage, allocates nothing and needs no fini.
 */

/* Takes one whole frame. bytes is valid during the call only. */
typedef void ear_encoder_sink(void *context, const uint8_t *bytes, size_t size);

struct ear_encoder {
	struct ear_unit unit;
	ear_encoder_sink *sink;
	void *context;
	uint16_t sequence;       /* of the next frame */
	size_t payload_size;     /* bytes of the frame being filled; 0: nothing in it */
	bool frame_has_record;   /* since the frame was begun */
	bool frame_has_time;     /* since the frame was begun */
	bool sync_due;           /* UNIT and SYNC come before the next record */
	bool sync_fresh;         /* UNIT and SYNC stand already before the next record */
	uint64_t expected_order; /* of the next record */
	uint64_t last_ticks;     /* of the last time message */
	uint64_t record_count;   /* records encoded since init */
	uint8_t frame[EAR_FRAME_SIZE_MAX];
};

/* Begin a stream. unit->control decides the time mode, unit->hart the stream id. */
void ear_encoder_init(struct ear_encoder *encoder, const struct ear_unit *unit,
	ear_encoder_sink *sink, void *context);

/* Begin a capture: the next record comes after UNIT and a hard SYNC. The sequence goes on. */
void ear_encoder_start(struct ear_encoder *encoder);

/* Put UNIT, SYNC and TIME before the record with this order and time, if they are due. Push
 * does it by itself: this is for an EVENT that must stand between them and the record.
 */
void ear_encoder_prepare(struct ear_encoder *encoder, uint64_t order, uint64_t ticks);

/* Encode one entry that retired at ticks. entry->xlen must be the unit's. */
void ear_encoder_push(struct ear_encoder *encoder, const struct ear_retire *entry, uint64_t ticks);

/* Encode any other message: LOST (which makes a sync due), EVENT, REPLY, STOP, UNIT.
 * REPLY and STOP end the frame.
 */
void ear_encoder_put(struct ear_encoder *encoder, const struct ear_message *message);

/* End the frame now, if anything is in it. */
void ear_encoder_flush(struct ear_encoder *encoder);

#endif
