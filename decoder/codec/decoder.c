/* Bytes to records: frame by frame, message by message, one reconstruction for each hart.
 *
 * It is a pull interface: ear_decoder_next makes one record and returns, so its position (in the
 * stream, the frame, the message, a run) is kept in the decoder. It decides what only the whole
 * frame shows: whether the frame is a repeated or a late one, and which harts a damage concerns.
 */
#include "decoder/codec/decoder.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/bytes.h"
#include "decoder/codec/decoder_internal.h"
#include "decoder/codec/reconstruct.h"

void ear_decoder_init(struct ear_decoder *decoder, ear_record_sink *sink, void *context)
{
	memset(decoder, 0, sizeof(*decoder));
	decoder->sink = sink;
	decoder->context = context;
	ear_stream_init(&decoder->stream);
}

void ear_decoder_fini(struct ear_decoder *decoder)
{
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++) {
		if (decoder->harts[id])
			ear_reconstruct_fini(decoder->harts[id]);
		free(decoder->harts[id]);
	}
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
	hart->with_reads = decoder->with_reads;
	decoder->harts[id] = hart;
	if (decoder->statistics.hart_count++ == 0 && decoder->early_bytes > 0)
		ear_reconstruct_damage(hart, decoder->early_reason, decoder->early_offset,
			decoder->early_bytes, 0);
	return hart;
}

/* The sender of damaged bytes is unknown, so every hart that was seen gets a pending gap; one that
 * lost nothing reports a gap with a count of 0 when it continues. Bytes skipped before any hart was
 * seen go to the first one.
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

static void count_instruction(
	struct ear_decoder_statistics *statistics, const struct ear_record *record)
{
	if (!statistics->first_record) {
		statistics->first_record = true;
		statistics->first_index = record->index;
		statistics->first_ticks = record->ticks;
	}
	statistics->last_index = record->index;
	statistics->last_ticks_known = record->flags & EAR_RECORD_HAS_TIME;
	statistics->last_ticks = record->ticks;
	statistics->records++;
}

static void count_other(struct ear_decoder_statistics *statistics, const struct ear_record *record)
{
	if (record->kind == EAR_RECORD_EVENT) {
		statistics->events++;
		statistics->mismatches += record->u.event.source == EAR_EVENT_MISMATCH;
		return;
	}
	statistics->gaps++;
	if (record->u.gap.reason == EAR_GAP_DISAGREE)
		statistics->disagreements++;
	if (!record->u.gap.count_known)
		statistics->unknown_gaps++;
	else if (record->u.gap.reason == EAR_GAP_UNIT_FIFO)
		statistics->unit_lost += record->u.gap.count;
	else
		statistics->missing += record->u.gap.count;
}

static void count_record(struct ear_decoder_statistics *statistics, const struct ear_record *record)
{
	if (record->kind == EAR_RECORD_INSTRUCTION)
		count_instruction(statistics, record);
	else
		count_other(statistics, record);
}

/* STOP resolves what the gaps left unknown. */
static void count_stop(struct ear_decoder *decoder, const struct ear_message *message)
{
	struct ear_decoder_statistics *statistics = &decoder->statistics;
	const struct ear_capture_end *end = &decoder->hart->capture_end;

	statistics->stopped = true;
	statistics->stop_reason = message->u.stop.reason;
	statistics->stop_retired += message->u.stop.retired;
	statistics->stop_delivered += message->u.stop.delivered;
	statistics->stop_lost += message->u.stop.lost;
	statistics->stop_filtered += message->u.stop.filtered;
	statistics->ended++;
	statistics->busy_ends += message->u.stop.reason == EAR_STOP_ENDED_BUSY;
	statistics->unbalanced += !end->adds_up;
	statistics->missing += (uint64_t)end->missing_more;
	statistics->unknown_gaps -= end->unknown_gaps;
}

static void count_message(struct ear_decoder *decoder, const struct ear_message *message)
{
	struct ear_decoder_statistics *statistics = &decoder->statistics;

	if (message->kind == EAR_MSG_UNIT) {
		statistics->unit_known = true;
		statistics->unit = message->u.unit;
		if (decoder->hart->predict && !decoder->hart->predictor)
			statistics->geometry_unsupported = true;
	}
	if (message->kind == EAR_MSG_EVENT && message->u.event.source == EAR_EVENT_HELD_LO)
		statistics->held_clocks += message->u.event.value;
	if (message->kind == EAR_MSG_EVENT && message->u.event.source == EAR_EVENT_HELD_HI)
		statistics->held_clocks += (uint64_t)message->u.event.value << 32;
	if (message->kind == EAR_MSG_STOP)
		count_stop(decoder, message);
}

/* Of the message at decoder->position. */
static uint64_t message_offset(const struct ear_decoder *decoder)
{
	return decoder->frame_offset + EAR_FRAME_HEADER_SIZE + decoder->position;
}

/* The rest of the frame cannot be read. Before the first UNIT that is no error: record messages
 * have no meaning without it.
 */
static void give_up_frame(struct ear_decoder *decoder)
{
	bool early = decoder->message_is_difference && !decoder->hart->unit_seen;

	decoder->statistics.bad_messages += !early;
	ear_reconstruct_damage(decoder->hart, early ? EAR_GAP_NO_SYNC : EAR_GAP_BAD_MESSAGE,
		message_offset(decoder), decoder->payload_size - decoder->position, 0);
	decoder->message_pending = false;
	decoder->position = decoder->payload_size;
}

static bool is_whole_record(const struct ear_decoder *decoder)
{
	uint8_t kind = decoder->message.kind;

	return !decoder->message_is_difference && (kind == EAR_MSG_RAW32 || kind == EAR_MSG_RAW64);
}

int ear_decoder_parse_message(struct ear_decoder *decoder, const uint8_t *payload)
{
	const uint8_t *bytes = payload + decoder->position;
	size_t rest = decoder->payload_size - decoder->position;
	const struct ear_predictor *predictor = decoder->hart->predictor;
	int size;

	decoder->message_is_difference = ear_message_is_difference(bytes[0]);
	if (!decoder->message_is_difference)
		size = ear_message_parse(&decoder->message, bytes, rest);
	else if (predictor)
		size = ear_record_message_parse(
			&decoder->difference, bytes, rest, predictor->xlen, predictor->flen);
	else
		size = EAR_E_BAD_MESSAGE;
	/* A unit that predicts sends no whole records, so this frame is not of the known unit. */
	if (size > 0 && is_whole_record(decoder) && decoder->hart->unit_seen &&
		decoder->hart->predict)
		size = EAR_E_BAD_MESSAGE;
	if (size < 0)
		return size;
	decoder->message_size = (size_t)size;
	decoder->message_pending = true;
	return 0;
}

/* Parse the next message of the frame. After a message that cannot be read the rest of the frame is
 * discarded. Returns false at the end of the frame.
 */
static bool next_message(struct ear_decoder *decoder, const uint8_t *payload)
{
	if (decoder->position == decoder->payload_size)
		return false;
	if (ear_decoder_parse_message(decoder, payload) < 0) {
		give_up_frame(decoder);
		return false;
	}
	return true;
}

static void finish_message(struct ear_decoder *decoder)
{
	decoder->message_pending = false;
	decoder->position += decoder->message_size;
}

/* What has passed since the last time message, if that is what comes next, belongs to the next
 * record of a run that has begun.
 */
static void take_time(struct ear_decoder *decoder, const uint8_t *payload)
{
	const uint8_t *bytes = payload + decoder->position;
	size_t rest = decoder->payload_size - decoder->position;

	if (rest == 0 || bytes[0] < EAR_MSG_TIME_DELTA1 || bytes[0] > EAR_MSG_TIME_DELTA4)
		return;
	int size = ear_message_parse(&decoder->message, bytes, rest);
	if (size > 0 && ear_reconstruct_run_time(decoder->hart, &decoder->run, &decoder->message))
		decoder->position += (size_t)size;
}

/* After the last record of a message: is the next one a record message, too? Then it is parsed. One
 * that cannot be read is left to next_message.
 */
static bool next_record_message(struct ear_decoder *decoder, const uint8_t *payload)
{
	finish_message(decoder);
	if (decoder->run.count > 0)
		take_time(decoder, payload);
	return decoder->position < decoder->payload_size &&
	       ear_message_is_difference(payload[decoder->position]) &&
	       ear_decoder_parse_message(decoder, payload) == 0;
}

/* The ordinary records that follow, of this message and of those after it. */
static bool next_run(struct ear_decoder *decoder, const uint8_t *payload)
{
	struct ear_record_message *message = &decoder->difference;

	decoder->run_next = decoder->run.count = 0;
	/* The entry that waited was its last one. */
	if (message->run + message->count == 0 && !decoder->hart->entry_waits &&
		!next_record_message(decoder, payload))
		return false;
	if (!ear_reconstruct_begin_run(decoder->hart, &decoder->run, message_offset(decoder)))
		return false;
	do {
		ear_reconstruct_add_run(decoder->hart, &decoder->run, decoder->compacts,
			decoder->operands, message, message_offset(decoder));
	} while (message->run + message->count == 0 && !decoder->hart->entry_waits &&
		 next_record_message(decoder, payload));
	if (decoder->run.count == 0)
		return false;
	decoder->operands_known =
		decoder->with_reads && decoder->hart->predictor->geometry.operands;
	ear_compact_run_begin(&decoder->expanded, &decoder->run);
	return true;
}

/* The next record of a record message of predict mode. As next_in_frame. */
static int next_predicted(struct ear_decoder *decoder, const uint8_t *payload)
{
	if (!decoder->one_by_one && next_run(decoder, payload))
		return 1;
	if (!decoder->message_pending)
		return 0;

	int made = ear_reconstruct_difference(decoder->hart, &decoder->record, &decoder->difference,
		message_offset(decoder), decoder->message_size);

	if (made == 0)
		finish_message(decoder);
	else if (made < 0)
		give_up_frame(decoder);
	return made > 0;
}

/* The frame came twice, or late, and is not used. */
static void skip_frame(struct ear_decoder *decoder, struct ear_reconstruct *hart,
	const struct ear_stream_item *item, size_t size)
{
	ear_stream_skip_frame(&decoder->stream, item);
	ear_reconstruct_damage(hart, EAR_GAP_REPEATED, item->offset, size, 0);
	decoder->statistics.repeated_frames++;
}

/* An index in the current frame shows that the frame came before. */
static void discard_repeated_frame(struct ear_decoder *decoder)
{
	struct ear_reconstruct *hart = decoder->hart;

	skip_frame(decoder, hart, &decoder->item, decoder->frame_size);
	hart->ticks_known = decoder->ticks.known;
	hart->ticks_based = decoder->ticks.based;
	hart->ticks = decoder->ticks.value;
	decoder->message_pending = false;
	decoder->position = decoder->payload_size;
	decoder->repeated = true;
}

/* The next record of any other message. As next_in_frame. */
static int next_reported(struct ear_decoder *decoder, uint64_t offset)
{
	const struct ear_message *message = &decoder->message;
	bool entry = is_whole_record(decoder);
	int made =
		entry ? ear_reconstruct_entry(decoder->hart, &decoder->record,
				&message->u.retire.entry, message->u.retire.has_order, offset)
		      : ear_reconstruct_message(decoder->hart, &decoder->record, message, offset);

	if (made < 0)
		return made;
	if (decoder->hart->frames.asked)
		return EAR_E_UNSUPPORTED;
	if (made == EAR_RECONSTRUCT_REPEATED) {
		discard_repeated_frame(decoder);
		return 0;
	}
	if (made != 2) {
		finish_message(decoder);
		if (!entry)
			count_message(decoder, message);
	}
	return made > 0;
}

/* The next record of the frame into decoder->record. If a gap must be reported before the message,
 * the reconstruction returns 2, and the message stays pending. Returns 1, 0 at the end of the
 * frame, or EAR_E_NO_MEMORY.
 */
static int next_in_frame(struct ear_decoder *decoder, const uint8_t *payload)
{
	while (decoder->message_pending || next_message(decoder, payload)) {
		int made = decoder->message_is_difference
				   ? next_predicted(decoder, payload)
				   : next_reported(decoder, message_offset(decoder));
		if (made)
			return made;
	}
	return 0;
}

/* The first index of a frame, if it is in a SYNC, a LOST or a whole record. */
struct glimpse {
	bool known; /* order is valid */
	uint64_t order;
	bool first;  /* it is the first frame of a capture, by its flags */
	bool begins; /* a capture may begin here with its start */
};

static struct glimpse glimpse(const struct ear_reconstruct *hart, const struct ear_frame *frame)
{
	struct glimpse seen = {.known = false};
	uint8_t minor = hart->unit_minor;
	size_t position = 0;

	while (position < frame->payload_size) {
		const uint8_t *bytes = frame->payload + position;
		struct ear_message message;
		if (ear_message_is_difference(bytes[0]))
			break;
		int size = ear_message_parse(&message, bytes, frame->payload_size - position);
		if (size < 0)
			break;
		position += (size_t)size;
		switch (message.kind) {
		case EAR_MSG_UNIT: minor = message.u.unit.protocol_minor; break;
		case EAR_MSG_STOP:
			/* of a capture without records */
			seen.begins = message.u.stop.delivered + message.u.stop.lost == 0;
			return seen;
		case EAR_MSG_LOST:
			return (struct glimpse){.known = true, .order = message.u.lost.first};
		case EAR_MSG_SYNC:
			seen.known = true;
			seen.order = message.u.sync.order;
			seen.begins = message.u.sync.flags & EAR_SYNC_FIRST ||
				      minor < EAR_SYNC_FIRST_SINCE_MINOR;
			seen.first = message.u.sync.flags & EAR_SYNC_FIRST ||
				     (seen.begins && seen.order == 0);
			return seen;
		case EAR_MSG_RAW32:
		case EAR_MSG_RAW64:
			seen.known = message.u.retire.has_order;
			seen.order = message.u.retire.entry.order;
			return seen;
		default: break;
		}
	}
	return seen;
}

/* Is a frame whose sequence number is not the next one an old one? In raw mode its index must
 * agree. After a loss the first frame of a capture is a new one, even if it is equal bit by bit: a
 * device that went away and came back runs the same program from the same start.
 */
static bool came_before(struct ear_reconstruct *hart, bool lost, const struct ear_frame *frame,
	const struct glimpse *seen, uint32_t crc)
{
	if (seen->first && lost)
		return false;
	if (ear_frame_memory_has(&hart->frames, frame->sequence, crc))
		return true;
	if (!seen->known && !hart->predict)
		return false;
	return ear_frame_memory_is_late(
		&hart->frames, frame->sequence, seen->known ? &seen->order : NULL);
}

static void account_missing_frames(struct ear_decoder *decoder, struct ear_reconstruct *hart,
	const struct ear_stream_item *item, const struct glimpse *seen)
{
	/* Between two captures no loss counts: they may come from two files. */
	if (item->missing_frames == 0 || (!hart->capture.open && seen->begins))
		return;
	ear_reconstruct_damage(hart, EAR_GAP_MISSING_FRAME, item->offset, 0, item->missing_frames);
	decoder->statistics.missing_frames += item->missing_frames;
}

/* Returns 1, 0 if the frame is skipped, EAR_E_NO_MEMORY or EAR_E_UNSUPPORTED. */
static int begin_frame(
	struct ear_decoder *decoder, const struct ear_stream_item *item, size_t frame_size)
{
	struct ear_reconstruct *hart = find_hart(decoder, item->frame.stream_id);
	uint32_t crc = ear_load_le32(item->frame.payload + item->frame.payload_size);
	struct glimpse seen = {.known = false};

	if (!hart)
		return EAR_E_NO_MEMORY;
	decoder->statistics.frames++;
	if (item->missing_frames) {
		seen = glimpse(hart, &item->frame);
		bool lost = decoder->loss_pending || ear_reconstruct_lost(hart);
		bool came = came_before(hart, lost, &item->frame, &seen, crc);
		if (hart->frames.asked)
			return EAR_E_UNSUPPORTED;
		if (came) {
			/* One that is late and no copy may be of another capture: what comes after
			 * it, too, though its number fits. */
			if (!ear_frame_memory_has(&hart->frames, item->frame.sequence, crc))
				hart->following = false;
			skip_frame(decoder, hart, item, frame_size);
			return 0;
		}
	}
	if (decoder->loss_pending)
		ear_reconstruct_damage(hart, decoder->loss_reason, item->offset, 0, 0);
	decoder->loss_pending = false;
	account_missing_frames(decoder, hart, item, &seen);
	ear_reconstruct_begin_frame(hart, item->frame.sequence, crc, item->frame.payload_size);
	decoder->hart = hart;
	decoder->in_frame = true;
	decoder->repeated = false;
	decoder->item = *item;
	decoder->ticks.known = hart->ticks_known;
	decoder->ticks.based = hart->ticks_based;
	decoder->ticks.value = hart->ticks;
	decoder->frame_offset = item->offset;
	decoder->frame_size = frame_size;
	decoder->payload_size = item->frame.payload_size;
	decoder->position = 0;
	return 1;
}

static void end_frame(struct ear_decoder *decoder)
{
	if (!decoder->repeated)
		ear_reconstruct_end_frame(decoder->hart);
	decoder->in_frame = false;
}

static void do_skipped(struct ear_decoder *decoder, const struct ear_stream_item *item)
{
	decoder->statistics.skipped_bytes += item->skipped_bytes;
	decoder->statistics.cut |= item->cut;
	decoder->statistics.unknown_version |= item->unknown_version;
	/* A loss of the host includes the parts of frames at both of its ends. */
	enum ear_gap_reason reason = item->cut ? EAR_GAP_CUT : EAR_GAP_DAMAGE;
	if (decoder->loss_pending)
		reason = decoder->loss_reason;
	decoder->loss_pending = false;
	if (decoder->statistics.hart_count == 0) {
		if (decoder->early_bytes == 0) {
			decoder->early_offset = item->offset;
			decoder->early_reason = reason;
		}
		decoder->early_bytes += item->skipped_bytes;
	}
	damage_all(decoder, reason, item->offset, item->skipped_bytes);
}

static void count_unended(struct ear_decoder *decoder, struct ear_reconstruct *hart)
{
	decoder->statistics.unended += hart->unended;
	decoder->statistics.parted += hart->parted;
	hart->unended = hart->parted = 0;
}

/* The data end: report the pending gaps. Returns false after the last. */
static bool next_at_end(struct ear_decoder *decoder)
{
	if (decoder->loss_pending)
		damage_all(decoder, decoder->loss_reason, decoder->stream.offset, 0);
	decoder->loss_pending = false;
	for (; decoder->finish_id < EAR_STREAM_IDS; decoder->finish_id++) {
		struct ear_reconstruct *hart = decoder->harts[decoder->finish_id];
		if (!hart)
			continue;
		bool made = ear_reconstruct_end(
			hart, &decoder->record, decoder->stream.offset, decoder->end_meant);
		count_unended(decoder, hart);
		if (made) {
			count_record(&decoder->statistics, &decoder->record);
			return true;
		}
	}
	return false;
}

static void use(struct ear_decoder *decoder, size_t *used, size_t size)
{
	*used += size;
	decoder->statistics.bytes += size;
}

/* Find the next frame and begin it. Returns 1, or EAR_E_MORE or EAR_E_NO_MEMORY. */
static int next_frame(
	struct ear_decoder *decoder, size_t *used, const uint8_t *bytes, size_t size, bool final)
{
	for (;;) {
		struct ear_stream_item item;
		int taken = ear_stream_next(
			&decoder->stream, &item, bytes + *used, size - *used, final);
		if (taken < 0)
			return taken;
		if (item.kind == EAR_STREAM_FRAME) {
			int result = begin_frame(decoder, &item, (size_t)taken);
			if (result)
				return result;
		} else {
			do_skipped(decoder, &item);
		}
		use(decoder, used, (size_t)taken);
	}
}

static inline int next_of_run(
	struct ear_decoder *decoder, const struct ear_record **record, size_t *used)
{
	size_t i = decoder->run_next++;

	*record = ear_compact_run_get(&decoder->expanded, &decoder->run, &decoder->compacts[i], i);
	if (decoder->operands_known)
		ear_reads_attach(&decoder->reads, &decoder->expanded.record, &decoder->operands[i]);
	if (i <= 1) {
		count_instruction(&decoder->statistics, *record);
	} else { /* has a time if the second one has */
		decoder->statistics.records++;
		decoder->statistics.last_index = (*record)->index;
		decoder->statistics.last_ticks = (*record)->ticks;
	}
	*used = 0;
	return 1;
}

/* As ear_decoder_next when no record of a run is left. */
static __attribute__((noinline)) int next_message_record(struct ear_decoder *decoder,
	const struct ear_record **record, size_t *used, const uint8_t *bytes, size_t size,
	bool final)
{
	static const uint8_t nothing[1];
	int result = 1;

	if (size == 0)
		bytes = nothing; /* NULL is allowed, but has no address to add to */
	*used = 0;
	*record = &decoder->record;
	while (result == 1) {
		if (decoder->in_frame) {
			result = next_in_frame(decoder, bytes + *used + EAR_FRAME_HEADER_SIZE);
			if (decoder->run_next < decoder->run.count) {
				size_t nothing_more;
				return next_of_run(decoder, record, &nothing_more);
			}
			if (result > 0) {
				count_record(&decoder->statistics, &decoder->record);
				count_unended(decoder, decoder->hart);
			}
			if (result)
				return result;
			use(decoder, used, decoder->frame_size);
			end_frame(decoder);
		}
		result = next_frame(decoder, used, bytes, size, final);
	}
	if (result != EAR_E_MORE || !final)
		return result;
	return next_at_end(decoder);
}

int ear_decoder_next(struct ear_decoder *decoder, const struct ear_record **record, size_t *used,
	const uint8_t *bytes, size_t size, bool final)
{
	if (decoder->run_next < decoder->run.count)
		return next_of_run(decoder, record, used);
	return next_message_record(decoder, record, used, bytes, size, final);
}

/* The run is handed over as a whole. Its first record is accounted for. */
static void pass_run(struct ear_decoder *decoder)
{
	struct ear_decoder_statistics *statistics = &decoder->statistics;
	const struct ear_compact_run *run = &decoder->run;

	if (run->count == 1)
		return;
	statistics->records += run->count - 1;
	statistics->last_index = run->first_index + run->count - 1;
	statistics->last_ticks_known = run->all_timed;
	statistics->last_ticks = run->ticks + decoder->compacts[run->count - 1].ticks;
	decoder->run_next = run->count;
}

/* Was the record the first of a run that can be handed over as a whole? */
static bool begins_run(const struct ear_decoder *decoder, const struct ear_record *record)
{
	return (!decoder->with_reads || decoder->with_operands) && decoder->run_next == 1 &&
	       record == &decoder->expanded.record;
}

int ear_decoder_next_run(struct ear_decoder *decoder, const struct ear_compact_run **run,
	const struct ear_compact_record **compacts, const struct ear_record **record, size_t *used,
	const uint8_t *bytes, size_t size, bool final)
{
	int result = ear_decoder_next(decoder, record, used, bytes, size, final);

	*run = NULL;
	if (result != 1 || !begins_run(decoder, *record))
		return result;
	*run = &decoder->run;
	*compacts = decoder->compacts;
	pass_run(decoder);
	return 1;
}

/* Hand a whole run to the sink. Returns what the sink returns. */
static int push_run(struct ear_decoder *decoder)
{
	int result = decoder->run_sink(decoder->context, &decoder->run, decoder->compacts);

	if (result != 1)
		pass_run(decoder);
	return result;
}

int ear_decoder_push(
	struct ear_decoder *decoder, size_t *used, const uint8_t *bytes, size_t size, bool final)
{
	*used = 0;
	for (;;) {
		const struct ear_record *record;
		size_t part;
		int result = ear_decoder_next(decoder, &record, &part,
			size > 0 ? bytes + *used : NULL, size - *used, final);
		*used += part;
		if (result != 1)
			return result == EAR_E_MORE ? 0 : result;
		bool run = decoder->run_sink && begins_run(decoder, record);
		result = run ? push_run(decoder) : 1;
		if (result == 1)
			result = decoder->sink(decoder->context, record);
		if (result)
			return result;
	}
}

void ear_decoder_host_loss(struct ear_decoder *decoder, uint64_t size)
{
	decoder->statistics.host_lost_bytes += size;
	decoder->loss_pending = true;
	decoder->loss_reason = size ? EAR_GAP_HOST_RING : EAR_GAP_DAMAGE;
	/* A device that was away may send the same bytes again: that is a run of its own, and no
	 * repeated frame. */
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++)
		if (decoder->harts[id])
			ear_frame_memory_clear(&decoder->harts[id]->frames);
}
