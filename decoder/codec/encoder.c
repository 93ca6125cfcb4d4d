/* The reference model of the capture unit: retire entries to frames, byte for byte.
 *
 * Messages go straight into the frame that is being filled; a message that does not fit ends the
 * frame first. In predict mode records that agree are only counted, and opcodes wait for a group,
 * so every message first sends what waits. The tests of the RTL compare with these bytes.
 */
#include "decoder/codec/encoder.h"

#include <assert.h>
#include <string.h>

#include "common/protocol/bytes.h"
#include "common/protocol/raw.h"

#define HARD_SYNC_INTERVAL 65536u /* records; docs/protocol.md, section 4.2 */
#define FIRST_SINCE_MINOR  3      /* protocol minor that brought SYNC.FIRST */
#define CHECK_SINCE_MINOR  3      /* and a CHECK before a hard SYNC in the middle */
#define PORT_SINCE_MINOR   4      /* protocol minor that brought PORT */

void ear_encoder_init(struct ear_encoder *encoder, const struct ear_unit *unit,
	ear_encoder_sink *sink, void *context)
{
	memset(encoder, 0, sizeof(*encoder));
	encoder->unit = *unit;
	encoder->sink = sink;
	encoder->context = context;
	ear_encoder_start(encoder);
}

void ear_encoder_predict(struct ear_encoder *encoder, struct ear_predictor *predictor)
{
	assert(encoder->unit.mode == EAR_UNIT_MODE_PREDICT);
	encoder->predictor = predictor;
}

void ear_encoder_start(struct ear_encoder *encoder)
{
	encoder->sync_due = true;
	encoder->first_due = encoder->unit.protocol_minor >= FIRST_SINCE_MINOR;
}

void ear_encoder_sync(struct ear_encoder *encoder)
{
	encoder->sync_due = true;
}

/* End the frame as it is. */
static void end_frame(struct ear_encoder *encoder)
{
	if (encoder->payload_size == 0)
		return;

	size_t size = ear_frame_finish(encoder->frame, encoder->payload_size,
		(uint8_t)encoder->unit.hart, encoder->sequence);
	encoder->sequence++;
	encoder->payload_size = 0;
	encoder->frame_has_record = false;
	encoder->frame_has_time = false;
	encoder->sink(encoder->context, encoder->frame, size);
}

static uint8_t *next_byte(struct ear_encoder *encoder)
{
	return encoder->frame + EAR_FRAME_HEADER_SIZE + encoder->payload_size;
}

/* End the frame first if a message of this size does not fit into it. */
static void make_room(struct ear_encoder *encoder, size_t size)
{
	assert(size <= EAR_FRAME_PAYLOAD_MAX);
	if (encoder->payload_size + size > EAR_FRAME_PAYLOAD_MAX)
		end_frame(encoder);
}

static void put_bytes(struct ear_encoder *encoder, const uint8_t *bytes, size_t size)
{
	make_room(encoder, size);
	memcpy(next_byte(encoder), bytes, size);
	encoder->payload_size += size;
}

/* Send the records that are held back for a group. */
static void close_group(struct ear_encoder *encoder)
{
	uint8_t bytes[EAR_DIFFERENCE_SIZE_MAX];

	if (encoder->group_count == 0)
		return;
	put_bytes(encoder, bytes,
		ear_group_build(bytes, encoder->run, encoder->group_count, encoder->group_insns,
			encoder->group));
	encoder->group_count = 0;
	encoder->run = 0;
}

/* Send all that waits. */
static void close_run(struct ear_encoder *encoder)
{
	uint8_t bytes[EAR_DIFFERENCE_SIZE_MAX];

	close_group(encoder);
	if (encoder->run > 0)
		put_bytes(encoder, bytes, ear_run_build(bytes, encoder->run));
	encoder->run = 0;
}

/* Note whether something waits now, and since when. */
static void note_waiting(struct ear_encoder *encoder)
{
	if (encoder->flush_cycles == 0)
		return;
	bool waits = encoder->payload_size > 0 || encoder->run > 0 || encoder->group_count > 0;

	if (waits && !encoder->waits)
		encoder->waits_since = encoder->now;
	encoder->waits = waits;
}

void ear_encoder_flush(struct ear_encoder *encoder)
{
	close_run(encoder);
	end_frame(encoder);
	note_waiting(encoder);
}

void ear_encoder_flush_after(struct ear_encoder *encoder, uint32_t cycles)
{
	assert(encoder->predictor || cycles == 0);
	encoder->flush_cycles = cycles;
	note_waiting(encoder);
}

void ear_encoder_elapse(struct ear_encoder *encoder, uint64_t now)
{
	encoder->now = now;
	if (encoder->flush_cycles && encoder->waits &&
		now - encoder->waits_since > encoder->flush_cycles)
		ear_encoder_flush(encoder);
}

static void put(struct ear_encoder *encoder, const struct ear_message *message)
{
	uint8_t bytes[EAR_MESSAGE_SIZE_MAX];

	put_bytes(encoder, bytes, ear_message_build(bytes, message));
}

static void put_check(struct ear_encoder *encoder)
{
	struct ear_predictor *predictor = encoder->predictor;

	if (encoder->unchecked == 0)
		return;
	close_run(encoder);
	put(encoder, &(struct ear_message){.kind = EAR_MSG_CHECK,
			     .u.check = {(uint32_t)predictor->pc, predictor->digest}});
	predictor->digest = 0;
	encoder->unchecked = 0;
}

void ear_encoder_check(struct ear_encoder *encoder)
{
	if (encoder->predictor && encoder->unit.protocol_minor >= CHECK_SINCE_MINOR)
		put_check(encoder);
}

/* Dropped records never reach the predictor: both sides continue with the state they have. */
static void skip_lost(struct ear_encoder *encoder, uint64_t last)
{
	encoder->predictor->order = last + 1;
	encoder->time_due = true;
}

/* Does the receiver know that the next record has this order? */
static bool is_next(const struct ear_encoder *encoder, uint64_t order)
{
	if (encoder->predictor)
		return !encoder->first_due && order == encoder->predictor->order;
	return !encoder->sync_due && encoder->frame_has_record && order == encoder->expected_order;
}

/* A write to the event port has a short form, unless its order must be sent. Whether it must
 * depends on the frame, which may end because the short form does not fit.
 */
static void put_event(struct ear_encoder *encoder, const struct ear_message *message)
{
	if (message->u.event.source >= EAR_EVENT_REGISTER &&
		encoder->unit.protocol_minor >= PORT_SINCE_MINOR &&
		is_next(encoder, message->u.event.order)) {
		make_room(encoder, EAR_MSG_SIZE_PORT);
		if (is_next(encoder, message->u.event.order)) {
			struct ear_message port = *message;
			port.kind = EAR_MSG_PORT;
			put(encoder, &port);
			return;
		}
	}
	put(encoder, message);
}

void ear_encoder_put(struct ear_encoder *encoder, const struct ear_message *message)
{
	bool predict = encoder->predictor != NULL;

	if (predict && message->kind == EAR_MSG_STOP)
		put_check(encoder);
	if (message->kind != EAR_MSG_REPLY && message->kind != EAR_MSG_UNIT)
		close_run(encoder);
	if (message->kind == EAR_MSG_EVENT)
		put_event(encoder, message);
	else
		put(encoder, message);
	if (message->kind == EAR_MSG_LOST && predict)
		skip_lost(encoder, message->u.lost.last);
	else if (message->kind == EAR_MSG_LOST)
		encoder->sync_due = true;
	if (message->kind == EAR_MSG_REPLY || message->kind == EAR_MSG_STOP ||
		message->kind == EAR_MSG_TEST)
		end_frame(encoder);
	note_waiting(encoder);
}

static void put_time(struct ear_encoder *encoder, uint64_t ticks)
{
	uint64_t delta = ticks - encoder->last_ticks;
	struct ear_message message = {.kind = EAR_MSG_TIME, .u.ticks = ticks};

	/* The form depends on whether the frame has a time, and the frame may end because the form
	 * does not fit: then the form is TIME again. */
	if (encoder->frame_has_time && delta <= UINT32_MAX) {
		message.u.ticks = delta;
		message.kind = delta <= UINT8_MAX    ? EAR_MSG_TIME_DELTA1
			       : delta <= UINT16_MAX ? EAR_MSG_TIME_DELTA2
						     : EAR_MSG_TIME_DELTA4;
		size_t size = delta <= UINT8_MAX    ? EAR_MSG_SIZE_TIME_DELTA1
			      : delta <= UINT16_MAX ? EAR_MSG_SIZE_TIME_DELTA2
						    : EAR_MSG_SIZE_TIME_DELTA4;
		make_room(encoder, size);
		if (!encoder->frame_has_time) {
			message.kind = EAR_MSG_TIME;
			message.u.ticks = ticks;
		}
	}
	put(encoder, &message);
	encoder->frame_has_time = true;
	encoder->last_ticks = ticks;
}

void ear_encoder_time(struct ear_encoder *encoder, uint64_t ticks)
{
	close_run(encoder);
	put_time(encoder, ticks);
}

static unsigned time_mode(const struct ear_encoder *encoder)
{
	if (encoder->times_by_caller)
		return EAR_TIME_MODE_OFF;
	return encoder->unit.control >> EAR_UNIT_CONTROL_TIME_MODE_SHIFT & 3;
}

static void put_sync(struct ear_encoder *encoder, uint64_t order, uint64_t ticks)
{
	uint8_t flags = EAR_SYNC_HARD;

	if (!encoder->first_due)
		ear_encoder_check(encoder);
	close_run(encoder);
	if (encoder->predictor)
		ear_predictor_reset(encoder->predictor, order);
	encoder->unchecked = 0;
	encoder->time_due = false;
	if (encoder->first_due)
		flags |= EAR_SYNC_FIRST;
	encoder->first_due = false;
	put(encoder, &(struct ear_message){.kind = EAR_MSG_UNIT, .u.unit = encoder->unit});
	put(encoder, &(struct ear_message){
			     .kind = EAR_MSG_SYNC, .u.sync = {.flags = flags, .order = order}});
	if (time_mode(encoder) != EAR_TIME_MODE_OFF)
		put_time(encoder, ticks);
	encoder->expected_order = order;
	encoder->sync_due = false;
	encoder->sync_fresh = true;
}

/* Predict mode: the messages before a record that needs no hard SYNC. */
static void prepare_predicted(struct ear_encoder *encoder, uint64_t ticks)
{
	bool due = encoder->time_due;

	if (encoder->unchecked == EAR_RUN_CHECK_INTERVAL) {
		put_check(encoder);
		due = true;
	}
	encoder->time_due = false;
	if (due && time_mode(encoder) != EAR_TIME_MODE_OFF) {
		close_run(encoder);
		put_time(encoder, ticks);
	}
}

void ear_encoder_prepare(struct ear_encoder *encoder, uint64_t order, uint64_t ticks)
{
	bool periodic =
		!encoder->predictor && order % HARD_SYNC_INTERVAL == 0 && !encoder->sync_fresh;

	if (encoder->sync_due || periodic)
		put_sync(encoder, order, ticks);
	else if (encoder->predictor)
		prepare_predicted(encoder, ticks);
}

/* A record that is as predicted. */
static void put_agreement(struct ear_encoder *encoder)
{
	encoder->unchecked++;
	close_group(encoder);
	if (++encoder->run == EAR_RUN_MAX)
		close_run(encoder);
}

static void put_difference(struct ear_encoder *encoder, const struct ear_retire *entry,
	const struct ear_difference *difference)
{
	uint8_t bytes[EAR_DIFFERENCE_SIZE_MAX];

	if (difference->mask == 0) {
		put_agreement(encoder);
		return;
	}
	encoder->unchecked++;
	if (ear_fits_group(difference, entry->insn)) {
		encoder->group[encoder->group_count] = *difference;
		encoder->group_insns[encoder->group_count++] = entry->insn;
		if (encoder->group_count == EAR_GROUP_MAX || encoder->predictor->geometry.single)
			close_group(encoder);
		return;
	}
	close_group(encoder);
	put_bytes(encoder, bytes,
		ear_record_message_build(
			bytes, encoder->run, entry, difference, encoder->unit.flen));
	encoder->run = 0;
}

static void push_raw(struct ear_encoder *encoder, const struct ear_retire *entry)
{
	bool has_order = !encoder->frame_has_record || entry->order != encoder->expected_order;
	make_room(encoder, ear_raw_size(entry, has_order));
	has_order |= !encoder->frame_has_record;
	encoder->payload_size += ear_raw_build(next_byte(encoder), entry, has_order);
	encoder->frame_has_record = true;
	encoder->expected_order = entry->order + 1;
}

/* The messages before a record, with its time. */
static void begin_record(
	struct ear_encoder *encoder, const struct ear_retire *entry, uint64_t ticks)
{
	assert(entry->xlen == encoder->unit.xlen);

	ear_encoder_prepare(encoder, entry->order, ticks);
	if (time_mode(encoder) == EAR_TIME_MODE_RECORD && ticks != encoder->last_ticks) {
		close_run(encoder);
		put_time(encoder, ticks);
	}
	encoder->sync_fresh = false;
	encoder->record_count++;
}

void ear_encoder_push(struct ear_encoder *encoder, const struct ear_retire *entry, uint64_t ticks)
{
	struct ear_difference difference;

	begin_record(encoder, entry, ticks);
	if (!encoder->predictor) {
		push_raw(encoder, entry);
		return;
	}
	if (ear_predictor_agree(encoder->predictor, entry)) {
		put_agreement(encoder);
		note_waiting(encoder);
		return;
	}
	ear_predictor_encode(encoder->predictor, entry, &difference);
	put_difference(encoder, entry, &difference);
	note_waiting(encoder);
}

void ear_encoder_push_known(
	struct ear_encoder *encoder, struct ear_retire *entry, uint64_t ticks, uint32_t unknown)
{
	struct ear_difference difference;

	begin_record(encoder, entry, ticks);
	ear_predictor_resolve(encoder->predictor, entry, &difference, unknown);
	put_difference(encoder, entry, &difference);
	note_waiting(encoder);
}
