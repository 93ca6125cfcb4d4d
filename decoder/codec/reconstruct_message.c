/* Messages of one hart that are not retire entries: they change its state (UNIT, SYNC, TIME, CHECK)
 * or become a record (LOST, EVENT); STOP shows what is missing.
 *
 * A message whose index shows a gap is given again after the gap, as a retire entry is.
 */
#include "decoder/codec/reconstruct.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/codec/reconstruct_internal.h"
#include "decoder/codec/reconstruct_order.h"

/* Losses and events ---------------------------------------------------------------------------- */

/* Does a LOST relay a gap of the capture that this one is a part of? No unit sends such a reason.
 */
static bool is_relayed(uint8_t reason)
{
	unsigned gap = (reason & ~EAR_RELAYED_FLAGS) - (unsigned)EAR_LOST_ON_THE_WAY;

	return gap > EAR_GAP_UNIT_FIFO && gap < EAR_GAP_REASONS;
}

static int unit_loss(struct ear_reconstruct *reconstruct, struct ear_record *record,
	const struct ear_message *message, uint64_t offset)
{
	uint64_t first = message->u.lost.first, last = message->u.lost.last;
	int arrived;

	if (is_relayed(message->u.lost.reason)) {
		arrived = ear_reconstruct_relayed(reconstruct, record, message, offset);
		if (arrived == 1 && reconstruct->predictor)
			reconstruct->predictor->order = last + 1;
		return arrived;
	}
	arrived = ear_reconstruct_arrive(reconstruct, record, first, EAR_ARRIVAL_RECORD, offset);
	if (arrived)
		return arrived;
	ear_reconstruct_begin_record(reconstruct, record, EAR_RECORD_GAP, offset);
	record->u.gap = (struct ear_gap){
		.reason = EAR_GAP_UNIT_FIFO,
		.count_known = true,
		.first = first,
		.last = last,
		.count = message->u.lost.count,
	};
	reconstruct->capture.lost += message->u.lost.count;
	reconstruct->capture.lost_range += last - first + 1;
	reconstruct->expected_order = last + 1;
	if (reconstruct->predictor)
		reconstruct->predictor->order = last + 1;
	return 1;
}

/* Held clocks go to the statistics only: they have no position between the records. */
static int event(struct ear_reconstruct *reconstruct, struct ear_record *record,
	const struct ear_message *message, uint64_t offset)
{
	if (message->u.event.source == EAR_EVENT_HELD_LO ||
		message->u.event.source == EAR_EVENT_HELD_HI)
		return 0;
	ear_reconstruct_begin_record(reconstruct, record, EAR_RECORD_EVENT, offset);
	if (message->kind == EAR_MSG_EVENT) /* a PORT is right before the next record */
		record->index = message->u.event.order;
	record->u.event = (struct ear_event){
		.source = message->u.event.source, .value = message->u.event.value};
	return 1;
}

/* Units, SYNC and CHECK ------------------------------------------------------------------------ */

/* Is the predictor one for this unit? */
static bool same_predictor(const struct ear_predictor *predictor, const struct ear_unit *unit)
{
	uint8_t geometry[EAR_UNIT_GEOMETRY_SIZE];

	ear_geometry_build(geometry, &predictor->geometry);
	return memcmp(geometry, unit->geometry, sizeof(geometry)) == 0 &&
	       predictor->xlen == unit->xlen && predictor->flen == unit->flen &&
	       predictor->csr_slots == unit->csr_slots &&
	       predictor->paddr == ((unit->features & EAR_REG_FEATURES_PADDR_MASK) != 0);
}

static int follow_unit(struct ear_reconstruct *reconstruct, const struct ear_unit *unit)
{
	unsigned time_mode = unit->control >> EAR_UNIT_CONTROL_TIME_MODE_SHIFT & 3;
	struct ear_geometry geometry;

	reconstruct->every_record_timed = time_mode == EAR_TIME_MODE_RECORD;
	reconstruct->filtered = unit->control & EAR_UNIT_CONTROL_FILTER;
	reconstruct->no_causes = unit->features & EAR_REG_FEATURES_NO_CAUSES_MASK;
	reconstruct->unit_seen = reconstruct->unit_fresh = true;
	reconstruct->unit = *unit;
	reconstruct->unit_count++;
	reconstruct->unit_minor = unit->protocol_minor;
	if (reconstruct->unchecked == 0 || unit->protocol_minor > reconstruct->check_minor)
		reconstruct->check_minor = unit->protocol_minor;
	reconstruct->predict = unit->mode == EAR_UNIT_MODE_PREDICT;
	if (reconstruct->predictor &&
		(!reconstruct->predict || !same_predictor(reconstruct->predictor, unit)))
		ear_reconstruct_drop_predictor(reconstruct);
	if (!reconstruct->predict || reconstruct->predictor ||
		ear_geometry_parse(&geometry, unit->geometry) ||
		(unit->flen != 0 && unit->flen != 32 && unit->flen != 64) ||
		unit->csr_slots > EAR_RETIRE_CSRS_MAX)
		return 0;

	struct ear_predictor *predictor = malloc(sizeof(*predictor));
	if (!predictor || ear_predictor_init(predictor, unit, &geometry)) {
		free(predictor);
		return EAR_E_NO_MEMORY;
	}
	reconstruct->predictor = predictor;
	reconstruct->fresh = true;
	return 0;
}

/* Is a CHECK missing? Units from protocol 1.3 on send one before a hard SYNC in the middle of a
 * capture, because after it nothing can show that a record before was wrong. The first SYNC of the
 * next capture needs none: a missing STOP before it is reported anyway. If a UNIT of another
 * protocol came in between, the newer one of the two decides.
 */
static bool lacks_check(const struct ear_reconstruct *reconstruct, uint8_t flags)
{
	return reconstruct->unchecked > 0 && flags & EAR_SYNC_HARD && !(flags & EAR_SYNC_FIRST) &&
	       reconstruct->check_minor >= EAR_CHECK_BEFORE_SYNC_SINCE_MINOR;
}

static int sync(struct ear_reconstruct *reconstruct, struct ear_record *record, uint8_t flags,
	uint64_t order, uint64_t offset)
{
	unsigned how = EAR_ARRIVAL_SYNC | (flags & EAR_SYNC_FIRST ? EAR_ARRIVAL_FIRST : 0);

	if (lacks_check(reconstruct, flags)) {
		bool fresh = reconstruct->unit_fresh; /* the damage is before the UNIT */
		ear_reconstruct_damage(reconstruct, EAR_GAP_DISAGREE, offset, 0, 0);
		reconstruct->unit_fresh = fresh;
	}
	/* A UNIT comes right before every hard SYNC. If it is missing, the records may be those of
	 * another unit, and these bytes may be no SYNC. */
	if (reconstruct->predict && !reconstruct->following && !reconstruct->unit_fresh) {
		ear_reconstruct_damage(reconstruct, EAR_GAP_NO_SYNC, offset, 0, 0);
		return 0;
	}
	int arrived = ear_reconstruct_arrive(reconstruct, record, order, how, offset);
	if (arrived)
		return arrived;
	if (flags & EAR_SYNC_HARD)
		reconstruct->unchecked = 0;
	if (reconstruct->predictor && flags & EAR_SYNC_HARD) {
		if (!reconstruct->fresh)
			ear_predictor_reset(reconstruct->predictor, order);
		reconstruct->predictor->order = order;
		reconstruct->fresh = true;
		reconstruct->following = true;
	}
	return 0;
}

/* After a frame that came late the following ones may be of another capture. A CHECK that agrees
 * with the records before it shows that they are not.
 */
static void check(
	struct ear_reconstruct *reconstruct, const struct ear_message *message, uint64_t offset)
{
	struct ear_predictor *predictor = reconstruct->predictor;

	if (!predictor || (!reconstruct->following && reconstruct->unchecked == 0))
		return;
	bool agree = predictor->digest == message->u.check.digest &&
		     (uint32_t)predictor->pc == message->u.check.pc;
	if (!reconstruct->following && !agree)
		return;
	reconstruct->following = true;
	predictor->digest = 0;
	reconstruct->unchecked = 0;
	if (!agree)
		ear_reconstruct_damage(reconstruct, EAR_GAP_DISAGREE, offset, 0, 0);
}

/* All messages --------------------------------------------------------------------------------- */

int ear_reconstruct_message(struct ear_reconstruct *reconstruct, struct ear_record *record,
	const struct ear_message *message, uint64_t offset)
{
	switch (message->kind) {
	case EAR_MSG_UNIT: return follow_unit(reconstruct, &message->u.unit);
	case EAR_MSG_SYNC:
		return sync(
			reconstruct, record, message->u.sync.flags, message->u.sync.order, offset);
	case EAR_MSG_CHECK: check(reconstruct, message, offset); return 0;
	case EAR_MSG_LOST: return unit_loss(reconstruct, record, message, offset);
	case EAR_MSG_TIME:
		reconstruct->ticks_known = reconstruct->ticks_based = true;
		reconstruct->frame_timed = true;
		reconstruct->ticks = message->u.ticks;
		return 0;
	case EAR_MSG_TIME_DELTA1:
	case EAR_MSG_TIME_DELTA2:
	case EAR_MSG_TIME_DELTA4:
		reconstruct->ticks += message->u.ticks;
		reconstruct->ticks_known |= reconstruct->ticks_based;
		return 0;
	case EAR_MSG_EVENT:
	case EAR_MSG_PORT: return event(reconstruct, record, message, offset);
	case EAR_MSG_STOP: return ear_reconstruct_stop(reconstruct, record, message, offset);
	default: return 0;
	}
}
