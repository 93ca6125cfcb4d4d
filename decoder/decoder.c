#include "decoder/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "decoder/reconstruct.h"

void ear_decoder_init(struct ear_decoder *decoder, ear_record_sink *sink, void *context)
{
	memset(decoder, 0, sizeof(*decoder));
	decoder->sink = sink;
	decoder->context = context;
	ear_stream_init(&decoder->stream);
}

void ear_decoder_fini(struct ear_decoder *decoder)
{
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++)
		free(decoder->harts[id]);
	memset(decoder->harts, 0, sizeof(decoder->harts));
}

static struct ear_reconstruct *find_hart(struct ear_decoder *decoder, uint8_t id)
{
	struct ear_reconstruct *hart = decoder->harts[id];

	if (hart)
		return hart;
	hart = malloc(sizeof(*hart));
	if (!hart)
		return NULL;
	ear_reconstruct_init(hart, id);
	decoder->harts[id] = hart;
	if (decoder->account.hart_count++ == 0 && decoder->early_bytes > 0)
		ear_reconstruct_damage(
			hart, EAR_GAP_DAMAGE, decoder->early_offset, decoder->early_bytes, 0);
	return hart;
}

/* Damage is not of one hart: whoever sent the bytes is unknown. Every hart that was seen
 * gets a pending gap; one that lost nothing tells so with a count of 0 when it goes on. What
 * was skipped before any hart was seen is told by the first one.
 */
static void damage_all(struct ear_decoder *decoder, enum ear_gap_reason reason, uint64_t offset,
	uint64_t skipped_bytes)
{
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++) {
		if (decoder->harts[id])
			ear_reconstruct_damage(
				decoder->harts[id], reason, offset, skipped_bytes, 0);
	}
}

static void account_instruction(
	struct ear_decoder_account *account, const struct ear_record *record)
{
	if (!account->first_record) {
		account->first_record = true;
		account->first_index = record->index;
		account->first_ticks = record->ticks;
	}
	account->last_index = record->index;
	account->last_ticks_known = record->flags & EAR_RECORD_HAS_TIME;
	account->last_ticks = record->ticks;
	account->records++;
}

static void account_other(struct ear_decoder_account *account, const struct ear_record *record)
{
	if (record->kind == EAR_RECORD_EVENT) {
		account->events++;
		return;
	}
	account->gaps++;
	if (!record->u.gap.count_known)
		account->unknown_gaps++;
	else if (record->u.gap.reason == EAR_GAP_UNIT_FIFO)
		account->unit_lost += record->u.gap.count;
	else
		account->missing += record->u.gap.count;
}

static int hand_over(struct ear_decoder *decoder, const struct ear_record *record)
{
	if (record->kind == EAR_RECORD_INSTRUCTION)
		account_instruction(&decoder->account, record);
	else
		account_other(&decoder->account, record);
	return decoder->sink(decoder->context, record);
}

static void account_message(struct ear_decoder *decoder, const struct ear_message *message)
{
	struct ear_decoder_account *account = &decoder->account;

	if (message->kind == EAR_MSG_UNIT) {
		account->unit_known = true;
		account->unit = message->u.unit;
	}
	if (message->kind == EAR_MSG_STOP) {
		account->stopped = true;
		account->stop_reason = message->u.stop.reason;
		account->stop_retired = message->u.stop.retired;
		account->stop_delivered = message->u.stop.delivered;
		account->stop_lost = message->u.stop.lost;
		account->stop_filtered = message->u.stop.filtered;
	}
}

/* Give a message to the reconstruction. It answers 2 when a gap must be told before the
 * message itself, and is then given the message once more. Returns what the sink returned.
 */
static int do_message(struct ear_decoder *decoder, struct ear_reconstruct *hart,
	const struct ear_message *message, uint64_t offset)
{
	struct ear_record record;
	bool entry = message->kind == EAR_MSG_RAW32 || message->kind == EAR_MSG_RAW64;
	int made, result = 0;

	do {
		made = entry ? ear_reconstruct_entry(hart, &record, &message->u.retire.entry,
				       message->u.retire.has_order, offset)
			     : ear_reconstruct_message(hart, &record, message, offset);
		if (made)
			result = hand_over(decoder, &record);
	} while (made == 2 && result == 0);
	if (!entry)
		account_message(decoder, message);
	return result;
}

/* All messages of one frame. Returns what the sink returned. */
static int do_frame(struct ear_decoder *decoder, struct ear_reconstruct *hart,
	const struct ear_frame *frame, uint64_t offset)
{
	struct ear_message message;
	size_t position = 0;
	int result = 0;

	while (position < frame->payload_size && result == 0) {
		uint64_t at = offset + EAR_FRAME_HEADER_SIZE + position;
		int used = ear_message_parse(
			&message, frame->payload + position, frame->payload_size - position);
		if (used < 0) {
			decoder->account.bad_messages++;
			ear_reconstruct_damage(
				hart, EAR_GAP_BAD_MESSAGE, at, frame->payload_size - position, 0);
			return 0;
		}
		result = do_message(decoder, hart, &message, at);
		position += (size_t)used;
	}
	return result;
}

static int begin_frame(struct ear_decoder *decoder, struct ear_reconstruct **hart,
	const struct ear_stream_item *item)
{
	*hart = find_hart(decoder, item->frame.stream_id);
	if (!*hart)
		return EAR_E_NO_MEMORY;

	if (decoder->loss_pending)
		ear_reconstruct_damage(*hart, decoder->loss_reason, item->offset, 0, 0);
	decoder->loss_pending = false;
	if (item->missing_frames)
		ear_reconstruct_damage(
			*hart, EAR_GAP_MISSING_FRAME, item->offset, 0, item->missing_frames);
	decoder->account.missing_frames += item->missing_frames;
	decoder->account.frames++;
	return 0;
}

static void do_skipped(struct ear_decoder *decoder, const struct ear_stream_item *item)
{
	decoder->account.skipped_bytes += item->skipped_bytes;
	decoder->account.cut |= item->cut;
	decoder->account.unknown_version |= item->unknown_version;
	if (decoder->account.hart_count == 0) {
		if (decoder->early_bytes == 0)
			decoder->early_offset = item->offset;
		decoder->early_bytes += item->skipped_bytes;
	}
	damage_all(decoder, item->cut ? EAR_GAP_CUT : EAR_GAP_DAMAGE, item->offset,
		item->skipped_bytes);
}

/* Nothing more comes: gaps that are still pending are told with an unknown count. */
static int finish(struct ear_decoder *decoder)
{
	struct ear_record record;
	int result = 0;

	if (decoder->loss_pending)
		damage_all(decoder, decoder->loss_reason, decoder->stream.offset, 0);
	decoder->loss_pending = false;
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++) {
		if (!decoder->harts[id] || !ear_reconstruct_end(decoder->harts[id], &record))
			continue;
		int answer = hand_over(decoder, &record);
		result = answer ? answer : result;
	}
	return result;
}

int ear_decoder_push(
	struct ear_decoder *decoder, size_t *used, const uint8_t *bytes, size_t size, bool final)
{
	struct ear_stream_item item;

	*used = 0;
	for (;;) {
		int taken = ear_stream_next(
			&decoder->stream, &item, bytes + *used, size - *used, final);
		if (taken < 0)
			break;
		*used += (size_t)taken;
		decoder->account.bytes += (uint64_t)taken;
		if (item.kind == EAR_STREAM_SKIPPED) {
			do_skipped(decoder, &item);
			continue;
		}

		struct ear_reconstruct *hart;
		int result = begin_frame(decoder, &hart, &item);
		if (result == 0)
			result = do_frame(decoder, hart, &item.frame, item.offset);
		if (result)
			return result;
	}
	return final ? finish(decoder) : 0;
}

void ear_decoder_host_loss(struct ear_decoder *decoder, uint64_t size)
{
	decoder->account.host_lost_bytes += size;
	decoder->loss_pending = true;
	decoder->loss_reason = size ? EAR_GAP_HOST_RING : EAR_GAP_DAMAGE;
}
