/* Packs a part of a capture. The entries that the decoder worked out are encoded again, so a part
 * may begin and end inside a frame, and inside a run of records that were never sent one by one.
 *
 * A hart whose predictor is followed at the begin gets no hard SYNC there: what is in its registers
 * is not on the wire, and a SYNC would forget it.
 */
#include "library/shot/excerpt.h"

#include <assert.h>
#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/codec/decoder_state.h"
#include "decoder/codec/encoder.h"
#include "decoder/predict/predictor_state.h"

#define UNIT_OF_ANOTHER UINT32_MAX /* unit_count: another decoder counts its UNITs */

struct hart {
	struct ear_encoder encoder;
	struct ear_predictor *predictor; /* owned; NULL in raw mode */
	uint32_t unit_count;             /* UNITs of the capture that were looked at */
	bool ticks_known; /* who decodes the excerpt knows that the next record has */
	uint64_t ticks;   /* this time */
};

struct ear_excerpt {
	const struct ear_decoder *decoder;
	struct ear_shot_writer *shot;
	struct hart *harts[EAR_STREAM_IDS];
	unsigned current; /* hart of the frame being filled */
	int result;       /* of writing */
	uint64_t size;
};

int ear_excerpt_new(struct ear_excerpt **excerpt, const struct ear_decoder *decoder,
	struct ear_shot_writer *shot)
{
	assert(decoder->one_by_one);
	*excerpt = calloc(1, sizeof(**excerpt));
	if (!*excerpt)
		return EAR_E_NO_MEMORY;
	(*excerpt)->decoder = decoder;
	(*excerpt)->shot = shot;
	return 0;
}

static void drop_predictor(struct hart *hart)
{
	if (hart->predictor)
		ear_predictor_fini(hart->predictor);
	free(hart->predictor);
	hart->predictor = NULL;
}

void ear_excerpt_free(struct ear_excerpt *excerpt)
{
	if (!excerpt)
		return;
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++) {
		if (excerpt->harts[id])
			drop_predictor(excerpt->harts[id]);
		free(excerpt->harts[id]);
	}
	free(excerpt);
}

uint64_t ear_excerpt_size(const struct ear_excerpt *excerpt)
{
	return excerpt->size;
}

static void take_frame(void *context, const uint8_t *bytes, size_t size)
{
	struct ear_excerpt *excerpt = context;

	if (excerpt->result == 0)
		excerpt->result = ear_shot_writer_push(excerpt->shot, bytes, size);
	excerpt->size += size;
}

/* A unit --------------------------------------------------------------------------------------- */

/* The unit of a hart, from its UNIT message, or from a state of its decoder. */
static void describe_unit(struct ear_unit *unit, const struct ear_reconstruct *from, uint8_t xlen)
{
	const struct ear_predictor *predictor = from->predictor;

	*unit = from->unit;
	if (unit->xlen == 0) {
		*unit = (struct ear_unit){.protocol_major = EAR_PROTOCOL_MAJOR,
			.xlen = predictor ? predictor->xlen : xlen,
			.nret = 1,
			.flen = predictor ? predictor->flen : 64,
			.csr_slots = predictor ? predictor->csr_slots : EAR_RETIRE_CSRS_MAX,
			.features =
				predictor && predictor->paddr ? EAR_REG_FEATURES_PADDR_MASK : 0};
		unit->control |= from->filtered ? EAR_UNIT_CONTROL_FILTER : 0;
		if (predictor)
			ear_geometry_build(unit->geometry, &predictor->geometry);
	}
	/* Every time is sent where the record has it: after damage there are records without one
	 * in mode RECORD too, and that mode could not say so. */
	unit->control &= (uint8_t) ~(3u << EAR_UNIT_CONTROL_TIME_MODE_SHIFT);
	unit->control |= EAR_TIME_MODE_SYNC << EAR_UNIT_CONTROL_TIME_MODE_SHIFT;
	unit->mode = predictor ? EAR_UNIT_MODE_PREDICT : EAR_UNIT_MODE_RAW;
	unit->hart = (uint16_t)((unit->hart & 0xFF00) | (from->hart & 0xFF));
}

/* Another predictor, which knows nothing. */
static int make_predictor(
	struct hart *hart, const struct ear_unit *unit, const struct ear_geometry *geometry)
{
	struct ear_predictor *predictor = malloc(sizeof(*predictor));

	drop_predictor(hart);
	if (!predictor || ear_predictor_init(predictor, unit, geometry)) {
		free(predictor);
		return EAR_E_NO_MEMORY;
	}
	hart->predictor = predictor;
	return 0;
}

/* Know what from knows, but with empty caches. */
static int learn_all(struct ear_predictor *predictor, const struct ear_predictor *from)
{
	size_t size = ear_predictor_state_size(from);
	uint8_t *bytes = malloc(size);

	if (!bytes)
		return EAR_E_NO_MEMORY;
	ear_predictor_save(from, bytes);
	int used = ear_predictor_load(predictor, bytes, size);
	free(bytes);
	if (used < 0)
		return used;
	ear_shadow_clear(&predictor->code);
	if (!predictor->geometry.unified)
		ear_shadow_clear(&predictor->data);
	memset(predictor->code_marks, 0, (size_t)1 << EAR_CODE_MARKS_LOG2);
	ear_predictor_code_changed(predictor);
	return 0;
}

/* Encode this hart as its unit does now, or raw if predict is false. The next record comes after a
 * hard SYNC.
 */
static int set_unit(struct ear_excerpt *excerpt, struct hart *hart,
	const struct ear_reconstruct *from, bool predict, uint8_t xlen)
{
	struct ear_encoder *encoder = &hart->encoder;
	struct ear_unit unit;
	int result = 0;

	if (encoder->sink) {
		ear_encoder_check(encoder);
		ear_encoder_flush(encoder);
	}
	const uint16_t sequence = encoder->sequence;
	const uint64_t records = encoder->record_count;
	describe_unit(&unit, from, xlen);
	if (!predict) {
		unit.mode = EAR_UNIT_MODE_RAW;
		unit.xlen = xlen ? xlen : unit.xlen;
		drop_predictor(hart);
	} else {
		result = make_predictor(hart, &unit, &from->predictor->geometry);
	}
	if (result)
		return result;
	ear_encoder_init(encoder, &unit, take_frame, excerpt);
	encoder->times_by_caller = true;
	encoder->sequence = sequence;
	encoder->record_count = records;
	if (predict)
		ear_encoder_predict(encoder, hart->predictor);
	hart->unit_count = from->unit_count;
	return 0;
}

/* The hart of a record, which is the first one of the capture if the excerpt begins there too. */
static struct hart *find_hart(struct ear_excerpt *excerpt, const struct ear_reconstruct *from,
	bool predict, uint8_t xlen, int *result)
{
	unsigned id = from->hart & 0xFF;
	struct hart *hart = excerpt->harts[id];

	*result = 0;
	if (hart)
		return hart;
	hart = calloc(1, sizeof(*hart));
	*result = hart ? set_unit(excerpt, hart, from, predict, xlen) : EAR_E_NO_MEMORY;
	if (*result) {
		free(hart);
		return NULL;
	}
	if (hart->encoder.unit.protocol_minor >= 3)
		ear_encoder_start(&hart->encoder);
	excerpt->harts[id] = hart;
	return hart;
}

/* The begin ------------------------------------------------------------------------------------ */

/* A hart that continues as it is: hart encodes it, and *state is what decodes it. */
static int continue_hart(struct ear_excerpt *excerpt, struct hart *hart,
	const struct ear_reconstruct *from, struct ear_reconstruct *state)
{
	struct ear_encoder *encoder = &hart->encoder;
	bool predict = from->predict;
	uint8_t xlen = from->unit.xlen ? from->unit.xlen : 32;

	if (predict && !from->predictor)
		return EAR_E_UNSUPPORTED;
	int result = set_unit(excerpt, hart, from, predict, xlen);
	if (result)
		return result;
	encoder->first_due = false;
	encoder->expected_order = from->expected_order;
	if (predict && from->following) {
		result = learn_all(hart->predictor, from->predictor);
		encoder->sync_due = false;
		encoder->unchecked = from->unchecked;
		ear_encoder_put(encoder,
			&(struct ear_message){.kind = EAR_MSG_UNIT, .u.unit = encoder->unit});
	} else if (predict) {
		hart->predictor->order = from->expected_order;
	}
	*state = *from;
	state->predictor = hart->predictor;
	state->following = predict;
	state->fresh = false;
	state->unchecked = encoder->unchecked;
	state->gap_pending = state->every_record_timed = state->ticks_known = false;
	state->order_known = from->capture.open; /* else a capture with any index begins */
	state->capture = (struct ear_capture){.open = true,
		.start_known = true,
		.lost_known = true,
		.start_order = from->expected_order};
	ear_frame_memory_init(&state->frames);
	return result;
}

static int write_state(struct ear_excerpt *excerpt, const struct ear_decoder *decoder)
{
	struct ear_shot_state state = {.bytes = NULL};
	bool whole = true;
	uint64_t cost;
	int result = ear_decoder_save(decoder, &state.bytes, &state.size);

	if (result == 0)
		result = ear_shot_writer_state(excerpt->shot, &state, &whole, UINT64_MAX, &cost);
	free(state.bytes);
	return result < 0 ? result : 0;
}

int ear_excerpt_begin(struct ear_excerpt *excerpt)
{
	struct ear_reconstruct *states = calloc(EAR_STREAM_IDS, sizeof(*states));
	struct ear_decoder *decoder = calloc(1, sizeof(*decoder));
	int result = states && decoder ? 0 : EAR_E_NO_MEMORY;

	for (unsigned id = 0; id < EAR_STREAM_IDS && result == 0; id++) {
		const struct ear_reconstruct *from = excerpt->decoder->harts[id];
		if (!from || !from->order_known)
			continue;
		excerpt->harts[id] = calloc(1, sizeof(struct hart));
		result = excerpt->harts[id]
				 ? continue_hart(excerpt, excerpt->harts[id], from, &states[id])
				 : EAR_E_NO_MEMORY;
		decoder->harts[id] = &states[id];
		decoder->statistics.hart_count++;
	}
	if (result == 0 && decoder->statistics.hart_count > 0)
		result = write_state(excerpt, decoder);
	free(decoder);
	free(states);
	return result;
}

/* Records -------------------------------------------------------------------------------------- */

/* Frames of one hart at a time: records keep their order. */
static void switch_hart(struct ear_excerpt *excerpt, unsigned id)
{
	if (excerpt->current != id && excerpt->harts[excerpt->current])
		ear_encoder_flush(&excerpt->harts[excerpt->current]->encoder);
	excerpt->current = id;
}

static bool same_unit(const struct ear_unit *a, const struct ear_unit *b)
{
	uint8_t bytes[2][EAR_MESSAGE_SIZE_MAX];
	size_t size = ear_message_build(
		bytes[0], &(struct ear_message){.kind = EAR_MSG_UNIT, .u.unit = *a});

	return ear_message_build(bytes[1],
		       &(struct ear_message){.kind = EAR_MSG_UNIT, .u.unit = *b}) == size &&
	       memcmp(bytes[0], bytes[1], size) == 0;
}

/* Are records encoded the same way? A part that was cut out has little more of its unit than that:
 * what the unit was called, and its clock, are known from the first part. */
static bool same_encoding(const struct ear_unit *a, const struct ear_unit *b)
{
	const uint16_t paddr = EAR_REG_FEATURES_PADDR_MASK;

	return a->mode == b->mode && a->xlen == b->xlen &&
	       (a->mode == EAR_UNIT_MODE_RAW ||
		       (a->flen == b->flen && a->csr_slots == b->csr_slots &&
			       (a->features & paddr) == (b->features & paddr) &&
			       memcmp(a->geometry, b->geometry, sizeof(a->geometry)) == 0));
}

/* Has the unit become another one, or does it send records in another way? */
static int follow_unit(struct ear_excerpt *excerpt, struct hart *hart,
	const struct ear_reconstruct *from, bool predict, uint8_t xlen)
{
	struct ear_encoder *encoder = &hart->encoder;
	struct ear_unit unit;
	bool changed = predict != (hart->predictor != NULL) || encoder->unit.xlen != xlen;

	if (!changed && hart->unit_count == from->unit_count)
		return 0;
	describe_unit(&unit, from, xlen);
	const bool other_decoder = hart->unit_count == UNIT_OF_ANOTHER;
	hart->unit_count = from->unit_count;
	if (!predict) {
		unit.mode = EAR_UNIT_MODE_RAW;
		unit.xlen = xlen;
	}
	if (!changed && (other_decoder ? same_encoding(&unit, &encoder->unit)
				       : same_unit(&unit, &encoder->unit)))
		return 0;
	int result = set_unit(excerpt, hart, from, predict, xlen);
	encoder->first_due = false;
	return result;
}

/* The time of what comes next, if it has one that does not follow from what was sent. */
static void put_time(struct hart *hart, const struct ear_record *record)
{
	bool timed = record->flags & EAR_RECORD_HAS_TIME;

	if (!timed || (hart->ticks_known && hart->ticks == record->ticks))
		return;
	ear_encoder_time(&hart->encoder, record->ticks);
	hart->ticks_known = true;
	hart->ticks = record->ticks;
}

static int push_instruction(struct ear_excerpt *excerpt, const struct ear_reconstruct *from,
	const struct ear_record *record)
{
	const struct ear_decoder *decoder = excerpt->decoder;
	bool predict = decoder->message_is_difference;
	struct ear_retire entry = predict ? from->entry : decoder->message.u.retire.entry;
	int result;

	struct hart *hart = find_hart(excerpt, from, predict, entry.xlen, &result);
	if (result == 0)
		result = follow_unit(excerpt, hart, from, predict, entry.xlen);
	if (result)
		return result;
	entry.order = record->index;
	ear_encoder_prepare(&hart->encoder, entry.order, record->ticks);
	put_time(hart, record);
	ear_encoder_push(&hart->encoder, &entry, record->ticks);
	hart->ticks_known = false;
	return 0;
}

/* A gap stays what it was, with its reason and its indexes. */
static void push_gap(struct hart *hart, const struct ear_record *record)
{
	const struct ear_gap *gap = &record->u.gap;
	struct ear_message message = {.kind = EAR_MSG_LOST,
		.u.lost = {.reason = EAR_LOST_FIFO_FULL,
			.count = gap->count,
			.first = gap->first,
			.last = gap->last}};

	if (gap->reason != EAR_GAP_UNIT_FIFO) {
		/* Where the hart begins is known before the gap. */
		if (!gap->at_start && hart->encoder.sync_due)
			ear_encoder_prepare(&hart->encoder, record->index, record->ticks);
		message.u.lost.reason = (uint8_t)(EAR_LOST_ON_THE_WAY + gap->reason);
		hart->encoder.first_due = false;
		if (hart->ticks_known && !(record->flags & EAR_RECORD_HAS_TIME)) {
			message.u.lost.reason |= EAR_LOST_UNTIMED;
			hart->ticks_known = false;
		}
	}
	if (!gap->count_known) {
		message.u.lost.reason |= EAR_LOST_UNCOUNTED;
		message.u.lost.count = 0;
		message.u.lost.first = record->index;
		message.u.lost.last = record->index - 1;
	}
	put_time(hart, record);
	ear_encoder_put(&hart->encoder, &message);
	hart->encoder.expected_order = message.u.lost.last + 1;
}

static void push_event(
	struct hart *hart, const struct ear_reconstruct *from, const struct ear_record *record)
{
	if (hart->encoder.sync_due && from->order_known)
		ear_encoder_prepare(&hart->encoder, from->expected_order, record->ticks);
	put_time(hart, record);
	ear_encoder_put(&hart->encoder, &(struct ear_message){.kind = EAR_MSG_EVENT,
						.u.event = {.source = record->u.event.source,
							.order = record->index,
							.value = record->u.event.value}});
}

void ear_excerpt_follow(struct ear_excerpt *excerpt, const struct ear_decoder *decoder)
{
	assert(decoder->one_by_one);
	excerpt->decoder = decoder;
	/* Whether its units are the same is seen at the next record of each. */
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++)
		if (excerpt->harts[id])
			excerpt->harts[id]->unit_count = UNIT_OF_ANOTHER;
}

int ear_excerpt_gap(struct ear_excerpt *excerpt, unsigned id, uint64_t first, uint64_t last)
{
	const struct ear_record record = {.kind = EAR_RECORD_GAP,
		.hart = (uint16_t)id,
		.index = first,
		.u.gap = {.reason = EAR_GAP_JUMP,
			.count_known = true,
			.first = first,
			.last = last,
			.count = last - first + 1}};

	assert(excerpt->harts[id]);
	switch_hart(excerpt, id);
	push_gap(excerpt->harts[id], &record);
	return excerpt->result;
}

int ear_excerpt_push(struct ear_excerpt *excerpt, const struct ear_record *record)
{
	unsigned id = record->hart & 0xFF;
	const struct ear_reconstruct *from = excerpt->decoder->harts[id];
	int result = 0;

	switch_hart(excerpt, id);
	if (record->kind == EAR_RECORD_INSTRUCTION) {
		result = push_instruction(excerpt, from, record);
	} else {
		struct hart *hart = find_hart(excerpt, from, from->predictor != NULL, 32, &result);
		if (hart && record->kind == EAR_RECORD_GAP)
			push_gap(hart, record);
		else if (hart && record->kind == EAR_RECORD_EVENT)
			push_event(hart, from, record);
	}
	return result ? result : excerpt->result;
}

int ear_excerpt_flush(struct ear_excerpt *excerpt)
{
	if (excerpt->harts[excerpt->current])
		ear_encoder_flush(&excerpt->harts[excerpt->current]->encoder);
	return excerpt->result;
}
