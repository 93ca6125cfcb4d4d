#ifndef EAR_ENCODER_H
#define EAR_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/difference.h"
#include "common/protocol/frame.h"
#include "common/protocol/message.h"
#include "decoder/predict/predictor.h"

/* The reference encoder: retire entries to frames, as docs/protocol.md says and as the capture unit
 * must do it byte for byte. Raw mode, and predict mode with the caller's predictor.
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
	bool first_due;          /* the next SYNC is the first one of the capture */
	bool times_by_caller;    /* set after init: only ear_encoder_time sends times */
	bool sync_fresh;         /* UNIT and SYNC of the next record are already sent */
	uint64_t expected_order; /* of the next record */
	uint64_t last_ticks;     /* of the last time message */
	uint64_t record_count;   /* records encoded since init */

	/* Predict mode. */
	struct ear_predictor *predictor; /* NULL in raw mode */
	uint32_t run;                    /* records as predicted that are in no message yet */
	unsigned group_count;            /* records after the run that wait for a group */
	struct ear_difference group[EAR_GROUP_MAX];
	uint32_t group_insns[EAR_GROUP_MAX];
	uint32_t unchecked;    /* records since the hard SYNC or the last CHECK */
	bool time_due;         /* a LOST was sent: the next record's time comes first */
	uint32_t flush_cycles; /* records that wait for longer are sent; 0: never */
	bool waits;            /* something does, */
	uint64_t waits_since;  /* since this clock */
	uint64_t now;          /* clock of the last ear_encoder_elapse */

	uint8_t frame[EAR_FRAME_SIZE_MAX];
};

/* Begin a stream, and its first capture. unit->control decides the time mode, unit->hart the
 * stream id; the bytes are those of a unit of unit->protocol_minor.
 */
void ear_encoder_init(struct ear_encoder *encoder, const struct ear_unit *unit,
	ear_encoder_sink *sink, void *context);

/* Predict mode: right after init. predictor was made for the same unit, stays the caller's, and
 * must live as long as the encoder. unit->mode and unit->geometry of init must agree.
 */
void ear_encoder_predict(struct ear_encoder *encoder, struct ear_predictor *predictor);

/* Begin a capture: the next record comes after UNIT and a hard SYNC with the flag FIRST. The
 * sequence continues.
 */
void ear_encoder_start(struct ear_encoder *encoder);

/* Put UNIT, SYNC and TIME before the record with this order and time, if they are due. Push
 * does this by itself: call it for an EVENT that must come between them and the record.
 */
void ear_encoder_prepare(struct ear_encoder *encoder, uint64_t order, uint64_t ticks);

/* Send the time of the next message. */
void ear_encoder_time(struct ear_encoder *encoder, uint64_t ticks);

/* Encode one entry that retired at ticks. entry->xlen must be the unit's. */
void ear_encoder_push(struct ear_encoder *encoder, const struct ear_retire *entry, uint64_t ticks);

/* Predict mode: the same for an entry with unknown fields (EAR_DIFFER_*), which take the prediction
 * of both sides.
 */
void ear_encoder_push_known(
	struct ear_encoder *encoder, struct ear_retire *entry, uint64_t ticks, uint32_t unknown);

/* The next record comes after UNIT and a hard SYNC. In predict mode COMMAND.SYNC of a unit. */
void ear_encoder_sync(struct ear_encoder *encoder);

/* Predict mode: send a CHECK if any record came since the last one. Call it before encoder->unit or
 * its predictor changes: a later CHECK would be that of the new one. Units before protocol 1.3 send
 * none.
 */
void ear_encoder_check(struct ear_encoder *encoder);

/* Encode any other message: LOST (in raw mode it makes a sync due), EVENT, REPLY, STOP, UNIT.
 * REPLY and STOP end the frame. An EVENT of the event port becomes a PORT if its order need not be
 * sent.
 */
void ear_encoder_put(struct ear_encoder *encoder, const struct ear_message *message);

/* Predict mode: send records that wait for longer than this many clocks, as register FLUSH_CYCLES
 * does; 0, as after init: never. Needs ear_encoder_elapse.
 */
void ear_encoder_flush_after(struct ear_encoder *encoder, uint32_t cycles);

/* Predict mode: the clock is now. Call this before each record or other message, and whenever time
 * has passed without one: records that have waited for too long are sent.
 * The clocks of a unit are those in which its encoder is not busy with a message (docs/predict.md,
 * section 8). Without ear_encoder_flush_after it does nothing.
 */
void ear_encoder_elapse(struct ear_encoder *encoder, uint64_t now);

/* End the frame now, if anything is in it. */
void ear_encoder_flush(struct ear_encoder *encoder);

#endif
