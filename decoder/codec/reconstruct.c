/* The state of one hart's stream: its beginning and end, its frames, and what damage does to it.
 *
 * Everything else works on this state and is not used here: reconstruct_order.c (the meaning of an
 * index), reconstruct_entry.c and reconstruct_run.c (retire entries to records),
 * reconstruct_message.c (all other messages).
 */
#include "decoder/codec/reconstruct.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/codec/reconstruct_internal.h"

void ear_reconstruct_init(struct ear_reconstruct *reconstruct, uint16_t hart)
{
	memset(reconstruct, 0, sizeof(*reconstruct));
	reconstruct->hart = hart;
	ear_frame_memory_init(&reconstruct->frames);
}

void ear_reconstruct_drop_predictor(struct ear_reconstruct *reconstruct)
{
	if (reconstruct->predictor)
		ear_predictor_fini(reconstruct->predictor);
	free(reconstruct->predictor);
	reconstruct->predictor = NULL;
	reconstruct->following = false;
}

void ear_reconstruct_fini(struct ear_reconstruct *reconstruct)
{
	ear_reconstruct_drop_predictor(reconstruct);
	ear_frame_memory_fini(&reconstruct->frames);
}

void ear_reconstruct_begin_frame(
	struct ear_reconstruct *reconstruct, uint16_t sequence, uint32_t crc, size_t payload_size)
{
	reconstruct->frame = (struct ear_frame_mark){
		.number = ear_frame_memory_number(&reconstruct->frames, sequence),
		.order = reconstruct->expected_order,
		.crc = crc,
		.payload_size = (uint16_t)payload_size,
	};
	reconstruct->frame_fresh = true;
	reconstruct->frame_timed = false;
}

void ear_reconstruct_end_frame(struct ear_reconstruct *reconstruct)
{
	reconstruct->frame.indexed = !reconstruct->frame_fresh;
	ear_frame_memory_add(&reconstruct->frames, &reconstruct->frame);
}

void ear_reconstruct_damage(struct ear_reconstruct *reconstruct, enum ear_gap_reason reason,
	uint64_t offset, uint64_t skipped_bytes, uint64_t missing_frames)
{
	if (!reconstruct->gap_pending) {
		reconstruct->gap_pending = true;
		reconstruct->gap_offset = offset;
		reconstruct->gap = (struct ear_gap){.reason = reason};
	}
	if (reconstruct->gap.reason == EAR_GAP_REPEATED) /* in which nothing is missing */
		reconstruct->gap.reason = reason;
	reconstruct->gap.skipped_bytes += skipped_bytes;
	reconstruct->gap.missing_frames += missing_frames;
	if (reason == EAR_GAP_REPEATED)
		return;
	reconstruct->ticks_known = reconstruct->ticks_based = false;
	/* A CHECK that failed right before a SYNC does not make its UNIT invalid. */
	if (reason != EAR_GAP_DISAGREE)
		reconstruct->unit_fresh = false;
	/* Bytes between frames may have belonged to no frame of this hart: if one is lost, the
	 * sequence number of the next one shows it. */
	if (reason == EAR_GAP_DAMAGE || reason == EAR_GAP_HOST_RING || reason == EAR_GAP_CUT)
		return;
	reconstruct->following = false;
	reconstruct->unchecked = 0;
}

bool ear_reconstruct_lost(const struct ear_reconstruct *reconstruct)
{
	return reconstruct->gap_pending && reconstruct->gap.reason != EAR_GAP_REPEATED;
}

void ear_reconstruct_begin_record(const struct ear_reconstruct *reconstruct,
	struct ear_record *record, enum ear_record_kind kind, uint64_t offset)
{
	record->kind = (uint8_t)kind;
	record->hart = reconstruct->hart;
	record->index = reconstruct->expected_order;
	record->stream_offset = offset;
	record->ticks = reconstruct->ticks;
	record->flags = reconstruct->ticks_known ? EAR_RECORD_HAS_TIME : 0;
	record->extra = NULL;
	record->register_count = 0;
	record->memory_count = 0;
}
