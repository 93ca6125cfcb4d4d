/* Saves and loads the state of a decoder.
 *
 * One walk over the members measures, saves and loads (common/state_walk.h). Loading goes
 * into copies of the harts first and is adopted as a whole at its end, because a capture file may
 * be damaged anywhere.
 */
#include "decoder/codec/decoder_state.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "common/state_walk.h"
#include "decoder/codec/decoder_state_internal.h"
#include "decoder/predict/predictor_state.h"

#define STATE_VERSION        3 /* versions 1 and 2 are read, too */
#define STATE_VERSION_SCALAR 2 /* where no hart has a vtype: older readers can read it */
#define COUNT_MAX            ((uint64_t)1 << 62)

bool ear_decoder_can_save(const struct ear_decoder *decoder)
{
	if (decoder->in_frame || decoder->loss_pending || decoder->run_next < decoder->run.count)
		return false;
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++) {
		const struct ear_reconstruct *hart = decoder->harts[id];
		if (hart && (hart->gap_pending || (hart->predict && !hart->following)))
			return false;
	}
	return decoder->statistics.hart_count > 0;
}

bool ear_decoder_is_lost(const struct ear_decoder *decoder)
{
	if (decoder->loss_pending ||
		(decoder->early_bytes > 0 && decoder->statistics.hart_count == 0))
		return true;
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++) {
		const struct ear_reconstruct *hart = decoder->harts[id];
		if (hart && (hart->gap_pending || (hart->predict && !hart->following)))
			return true;
	}
	return false;
}

static bool is_new(const struct ear_decoder *decoder)
{
	return decoder->statistics.bytes == 0 && decoder->statistics.hart_count == 0 &&
	       !ear_decoder_is_lost(decoder);
}

bool ear_decoder_wants_state(const struct ear_decoder *decoder)
{
	return is_new(decoder) || ear_decoder_is_lost(decoder);
}

/* The properties of a unit that its predictor depends on. */
static void walk_shape(
	struct ear_state_walk *walk, struct ear_unit *unit, const struct ear_predictor *predictor)
{
	bool paddr = false;

	if (predictor) {
		ear_geometry_build(unit->geometry, &predictor->geometry);
		unit->xlen = predictor->xlen;
		unit->flen = predictor->flen;
		unit->csr_slots = predictor->csr_slots;
		paddr = predictor->paddr;
	}
	ear_state_bytes(walk, unit->geometry, sizeof(unit->geometry));
	ear_state_u8(walk, &unit->xlen, 64);
	ear_state_u8(walk, &unit->flen, 64);
	ear_state_u8(walk, &unit->csr_slots, EAR_RETIRE_CSRS_MAX);
	ear_state_bool(walk, &paddr);
	if (walk->loading)
		unit->features = paddr ? EAR_REG_FEATURES_PADDR_MASK : 0;
}

/* Bit 3 is no_causes: 0 in states that are older than the bit. */
static void walk_frm(struct ear_state_walk *walk, struct ear_reconstruct *hart)
{
	uint8_t bits = (uint8_t)(hart->frm | hart->no_causes << 3);

	ear_state_u8(walk, &bits, 15);
	if (walk->loading) {
		hart->frm = bits & 7;
		hart->no_causes = bits >> 3;
	}
}

/* Version 1 had three counts: records of the hart, missing ones, and both at the end of the last
 * capture. It does not have what was missing before.
 */
static void walk_capture_1(struct ear_state_walk *walk, struct ear_reconstruct *hart)
{
	uint64_t records = 0, missing = 0, before = 0;

	ear_state_u64(walk, &records, COUNT_MAX);
	ear_state_u64(walk, &missing, COUNT_MAX);
	ear_state_u64(walk, &before, COUNT_MAX);
	hart->capture = (struct ear_capture){
		.open = records + missing > before,
		.start_known = true,
		.records = records + missing - before,
	};
	walk->bad |= before > records + missing;
}

void ear_state_capture(struct ear_state_walk *walk, struct ear_capture *capture)
{
	ear_state_bool(walk, &capture->open);
	ear_state_bool(walk, &capture->start_known);
	ear_state_bool(walk, &capture->lost_known);
	ear_state_bool(walk, &capture->restarted);
	ear_state_u64(walk, &capture->start_order, UINT64_MAX);
	ear_state_u64(walk, &capture->records, COUNT_MAX);
	ear_state_u64(walk, &capture->lost, UINT64_MAX);
	ear_state_u64(walk, &capture->lost_range, UINT64_MAX);
	ear_state_u64(walk, &capture->missing, UINT64_MAX);
	ear_state_u64(walk, &capture->upper, UINT64_MAX);
	ear_state_u64(walk, &capture->unknown_gaps, COUNT_MAX);
	ear_state_u64(walk, &capture->widest_first, UINT64_MAX);
	ear_state_u64(walk, &capture->widest_size, UINT64_MAX);
	ear_state_u64(walk, &capture->second_size, UINT64_MAX);
}

static void walk_capture(struct ear_state_walk *walk, struct ear_reconstruct *hart)
{
	ear_state_u8(walk, &hart->unit_minor, UINT8_MAX);
	if (walk->loading)
		hart->check_minor = hart->unit_minor;
	ear_state_capture(walk, &hart->capture);
}

static void walk_reconstruct(
	struct ear_state_walk *walk, struct ear_reconstruct *hart, uint8_t version)
{
	ear_state_bool(walk, &hart->order_known);
	ear_state_u64(walk, &hart->expected_order, UINT64_MAX);
	ear_state_bool(walk, &hart->filtered);
	ear_state_bool(walk, &hart->every_record_timed);
	ear_state_bool(walk, &hart->ticks_known);
	ear_state_u64(walk, &hart->ticks, UINT64_MAX);
	walk_frm(walk, hart);
	if (version >= 3)
		ear_state_u8(walk, &hart->vtype, UINT8_MAX);
	if (version == 1)
		walk_capture_1(walk, hart);
	else
		walk_capture(walk, hart);
	ear_state_bool(walk, &hart->predict);
	ear_state_bool(walk, &hart->fresh);
	ear_state_u32(walk, &hart->unchecked);
}

/* A hart with its number, the sequence number of its next frame, and whether it has a predictor. */
struct head {
	uint8_t id;
	uint16_t next_sequence;
	bool has_predictor;
};

static void walk_head(struct ear_state_walk *walk, struct head *head)
{
	ear_state_u8(walk, &head->id, UINT8_MAX);
	ear_state_u16(walk, &head->next_sequence, UINT16_MAX);
	ear_state_bool(walk, &head->has_predictor);
}

static void walk_begin(
	struct ear_state_walk *walk, uint8_t *version, uint64_t *offset, uint16_t *hart_count)
{
	ear_state_u8(walk, version, STATE_VERSION);
	walk->bad |= *version == 0;
	ear_state_u64(walk, offset, COUNT_MAX);
	ear_state_u16(walk, hart_count, EAR_STREAM_IDS);
}

/* Saving ----------------------------------------------------------------------------------- */

static uint8_t version_of(const struct ear_decoder *decoder)
{
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++)
		if (decoder->harts[id] && decoder->harts[id]->vtype != 0)
			return STATE_VERSION;
	return STATE_VERSION_SCALAR;
}

void ear_state_save_predictor(struct ear_state_walk *walk, const struct ear_predictor *predictor)
{
	struct ear_unit unit = {0};

	walk_shape(walk, &unit, predictor);
	uint8_t *place = ear_state_next(walk, ear_predictor_state_size(predictor));
	if (place)
		ear_predictor_save(predictor, place);
}

static void save_hart(struct ear_state_walk *walk, const struct ear_decoder *decoder, unsigned id,
	uint8_t version)
{
	struct ear_reconstruct *hart = decoder->harts[id];
	const struct ear_predictor *predictor = hart->predictor;
	struct head head = {(uint8_t)id, decoder->stream.next_sequence[id], predictor != NULL};

	walk_head(walk, &head);
	walk_reconstruct(walk, hart, version);
	if (!predictor)
		return;
	ear_state_save_predictor(walk, predictor);
}

static void save_all(struct ear_state_walk *walk, const struct ear_decoder *decoder)
{
	uint64_t offset = decoder->stream.offset;
	uint16_t hart_count = (uint16_t)decoder->statistics.hart_count;
	uint8_t version = version_of(decoder);

	walk_begin(walk, &version, &offset, &hart_count);
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++)
		if (decoder->harts[id])
			save_hart(walk, decoder, id, version);
}

size_t ear_decoder_state_size(const struct ear_decoder *decoder)
{
	struct ear_state_walk walk = {.bytes = NULL};

	save_all(&walk, decoder);
	return walk.at;
}

int ear_decoder_save(const struct ear_decoder *decoder, uint8_t **bytes, size_t *size)
{
	struct ear_state_walk walk = {.bytes = NULL};

	if (!ear_decoder_can_save(decoder))
		return EAR_E_UNSUPPORTED;
	save_all(&walk, decoder);
	if (walk.at > EAR_DECODER_STATE_MAX)
		return EAR_E_UNSUPPORTED;
	*size = walk.at;
	*bytes = malloc(walk.at);
	if (!*bytes)
		return EAR_E_NO_MEMORY;
	walk = (struct ear_state_walk){.bytes = *bytes, .size = *size};
	save_all(&walk, decoder);
	return 0;
}

/* Loading ---------------------------------------------------------------------------------- */

struct loaded {
	uint64_t offset;
	struct ear_reconstruct *harts[EAR_STREAM_IDS];
	uint16_t next_sequence[EAR_STREAM_IDS];
};

static void free_loaded(struct loaded *loaded)
{
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++) {
		if (loaded->harts[id])
			ear_reconstruct_fini(loaded->harts[id]);
		free(loaded->harts[id]);
	}
	free(loaded);
}

int ear_state_load_predictor(struct ear_state_walk *walk, struct ear_reconstruct *hart)
{
	struct ear_unit unit = {0};
	struct ear_geometry geometry;

	walk_shape(walk, &unit, NULL);
	if (walk->bad || (unit.xlen != 32 && unit.xlen != 64) ||
		(unit.flen != 0 && unit.flen != 32 && unit.flen != 64) ||
		ear_geometry_parse(&geometry, unit.geometry) != 0)
		return EAR_E_BAD_FILE;
	struct ear_predictor *predictor = malloc(sizeof(*predictor));
	if (!predictor || ear_predictor_init(predictor, &unit, &geometry)) {
		free(predictor);
		return EAR_E_NO_MEMORY;
	}
	hart->predictor = predictor;
	int used = ear_predictor_load(predictor, walk->bytes + walk->at, walk->size - walk->at);
	if (used < 0)
		return used;
	walk->at += (size_t)used;
	return 0;
}

static int load_hart(struct ear_state_walk *walk, struct loaded *loaded, uint8_t version)
{
	struct head head = {0};

	walk_head(walk, &head);
	if (walk->bad || loaded->harts[head.id])
		return EAR_E_BAD_FILE;
	struct ear_reconstruct *hart = malloc(sizeof(*hart));
	if (!hart)
		return EAR_E_NO_MEMORY;
	ear_reconstruct_init(hart, head.id);
	loaded->harts[head.id] = hart;
	loaded->next_sequence[head.id] = head.next_sequence;
	walk_reconstruct(walk, hart, version);
	if (walk->bad || hart->unchecked > EAR_RUN_CHECK_INTERVAL ||
		(hart->predict && !head.has_predictor))
		return EAR_E_BAD_FILE;
	hart->following = hart->predict;
	hart->unit_seen = true;
	return head.has_predictor ? ear_state_load_predictor(walk, hart) : 0;
}

static int load_all(struct loaded *loaded, const uint8_t *bytes, size_t size)
{
	struct ear_state_walk walk = {.bytes = (uint8_t *)bytes, .size = size, .loading = true};
	uint16_t hart_count = 0;
	uint8_t version = 0;
	int result = 0;

	walk_begin(&walk, &version, &loaded->offset, &hart_count);
	if (walk.bad || hart_count == 0)
		return EAR_E_BAD_FILE;
	for (unsigned i = 0; i < hart_count && result == 0; i++)
		result = load_hart(&walk, loaded, version);
	return result == 0 && walk.at != size ? EAR_E_BAD_FILE : result;
}

/* Take over only what is needed to continue: the loss before is still to be reported. */
static void resume(struct ear_reconstruct *hart, struct ear_reconstruct *from)
{
	struct ear_reconstruct before = *hart;

	*hart = *from;
	hart->gap_pending = before.gap_pending;
	hart->gap_offset = before.gap_offset;
	hart->gap = before.gap;
	hart->order_known = before.order_known;
	hart->expected_order = before.expected_order;
	hart->capture = before.capture;
	hart->unended = before.unended;
	hart->frames = before.frames;
	hart->frame = before.frame;
	hart->unit = before.unit;
	hart->unit_count = before.unit_count;
	*from = (struct ear_reconstruct){.predictor = before.predictor};
}

/* For a decoder that has lost a part of the stream. */
static void adopt(struct ear_decoder *decoder, struct loaded *loaded, unsigned id)
{
	struct ear_reconstruct *hart = decoder->harts[id];

	if (!hart) {
		hart = loaded->harts[id];
		loaded->harts[id] = NULL;
		decoder->harts[id] = hart;
		decoder->statistics.hart_count++;
		hart->order_known = false;
		hart->expected_order = 0;
		hart->capture = (struct ear_capture){.open = false};
	} else {
		resume(hart, loaded->harts[id]);
	}
	if (!hart->gap_pending) {
		enum ear_gap_reason reason =
			decoder->loss_pending ? decoder->loss_reason : EAR_GAP_DAMAGE;
		ear_reconstruct_damage(
			hart, reason, decoder->stream.offset, decoder->early_bytes, 0);
	}
}

int ear_decoder_load(struct ear_decoder *decoder, const uint8_t *bytes, size_t size)
{
	bool new = is_new(decoder);
	struct loaded *loaded = calloc(1, sizeof(*loaded));
	int result = loaded ? load_all(loaded, bytes, size) : EAR_E_NO_MEMORY;

	for (unsigned id = 0; id < EAR_STREAM_IDS && result == 0; id++) {
		if (!loaded->harts[id])
			continue;
		decoder->stream.next_sequence[id] = loaded->next_sequence[id];
		decoder->stream.sequence_known[id] = true;
		if (!new) {
			adopt(decoder, loaded, id);
			continue;
		}
		decoder->harts[id] = loaded->harts[id];
		decoder->statistics.hart_count++;
		loaded->harts[id] = NULL;
	}
	for (unsigned id = 0; id < EAR_STREAM_IDS; id++) { /* no part of a state */
		if (decoder->harts[id])
			decoder->harts[id]->with_reads = decoder->with_reads;
	}
	if (result == 0) {
		decoder->stream.offset = loaded->offset;
		decoder->loss_pending = false;
		decoder->early_bytes = 0;
	}
	if (loaded)
		free_loaded(loaded);
	return result;
}
