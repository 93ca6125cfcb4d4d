/* The meaning of an index that arrives: the next record, a gap, a new capture, or a repeated frame;
 * and the statistics at STOP, which has the number of records, so that any loss shows there at the
 * latest.
 *
 * The rule: an index other than the expected one is always reported, but for jumps of a capture
 * whose unit filters. The sequence numbers of frames
 * do not decide it: they repeat after 65536 frames, and two joined captures can match by chance.
 */
#include "decoder/codec/reconstruct_order.h"

#include "decoder/codec/reconstruct_internal.h"

/* Gaps ------------------------------------------------------------------------------------- */

/* The last time need not be that of the next record. */
static void forget_time(struct ear_reconstruct *reconstruct)
{
	if (!reconstruct->frame_timed)
		reconstruct->ticks_known = reconstruct->ticks_based = false;
}

/* Open a gap that only the index shows. */
static void open_gap(
	struct ear_reconstruct *reconstruct, enum ear_gap_reason reason, uint64_t offset)
{
	if (reconstruct->gap_pending)
		return;
	reconstruct->gap_pending = true;
	reconstruct->gap_offset = offset;
	reconstruct->gap = (struct ear_gap){.reason = reason};
	forget_time(reconstruct);
}

/* Hand over the pending gap. Returns 2. */
static int report_gap(struct ear_reconstruct *reconstruct, struct ear_record *record)
{
	ear_reconstruct_begin_record(reconstruct, record, EAR_RECORD_GAP, reconstruct->gap_offset);
	record->u.gap = reconstruct->gap;
	reconstruct->gap_pending = false;
	return 2;
}

static int report_unknown(struct ear_reconstruct *reconstruct, struct ear_record *record)
{
	reconstruct->capture.unknown_gaps++;
	return report_gap(reconstruct, record);
}

/* count records are missing, from first to last. */
static int report_range(struct ear_reconstruct *reconstruct, struct ear_record *record,
	uint64_t count, uint64_t first, uint64_t last)
{
	struct ear_gap *gap = &reconstruct->gap;

	gap->count_known = true;
	gap->count = count;
	gap->first = first;
	gap->last = last;
	if (gap->upper_bound)
		reconstruct->capture.upper += count;
	else
		reconstruct->capture.missing += count;
	return report_gap(reconstruct, record);
}

/* May indexes jump without a loss? Before the first UNIT that is unknown. */
static bool may_filter(const struct ear_reconstruct *reconstruct)
{
	return reconstruct->filtered || !reconstruct->unit_seen;
}

/* The gap ends before order, which is at least the expected index. */
static int report_up_to(
	struct ear_reconstruct *reconstruct, struct ear_record *record, uint64_t order)
{
	uint64_t count = order - reconstruct->expected_order;

	reconstruct->gap.upper_bound = may_filter(reconstruct) && count > 0;
	int result =
		report_range(reconstruct, record, count, reconstruct->expected_order, order - 1);
	reconstruct->expected_order = order;
	return result;
}

/* Captures --------------------------------------------------------------------------------- */

/* The index goes backwards: older frames are not comparable with newer ones. */
static void restart_index(struct ear_reconstruct *reconstruct, uint64_t order)
{
	ear_frame_memory_clear(&reconstruct->frames);
	reconstruct->frame.order = order;
	reconstruct->expected_order = order;
}

static void begin_capture(struct ear_reconstruct *reconstruct, uint64_t order, bool start_known)
{
	if (reconstruct->order_known && order < reconstruct->expected_order)
		restart_index(reconstruct, order);
	forget_time(reconstruct);
	reconstruct->capture = (struct ear_capture){
		.open = true, .start_known = start_known, .lost_known = true, .start_order = order};
	reconstruct->order_known = true;
	reconstruct->expected_order = order;
}

/* The capture has no STOP, so its end is missing. */
static int end_without_stop(
	struct ear_reconstruct *reconstruct, struct ear_record *record, uint64_t offset)
{
	open_gap(reconstruct, EAR_GAP_NO_END, offset);
	report_unknown(reconstruct, record);
	reconstruct->capture = (struct ear_capture){.open = false};
	reconstruct->unended++;
	ear_frame_memory_clear(&reconstruct->frames); /* the next one may be the same */
	return 2;
}

/* Is the frame with this first index a repeated one? Two captures of a program can begin with the
 * same payload: then its sequence number must be the same, too. A predicted index proves nothing.
 */
static bool is_repeated(struct ear_reconstruct *reconstruct, uint64_t order, unsigned how)
{
	struct ear_frame_mark *frame = &reconstruct->frame;
	struct ear_frame_memory *memory = &reconstruct->frames;

	if (!reconstruct->frame_fresh || (reconstruct->predict && !(how & EAR_ARRIVAL_SYNC)))
		return false;
	bool first = how & EAR_ARRIVAL_FIRST ||
		     (how & EAR_ARRIVAL_SYNC && order == 0 &&
			     reconstruct->unit_minor < EAR_SYNC_FIRST_SINCE_MINOR);
	if (first && ear_reconstruct_lost(reconstruct))
		return false;
	if (how & EAR_ARRIVAL_FIRST || !reconstruct->capture.open)
		return ear_frame_memory_has(memory, (uint16_t)frame->number, frame->crc);
	frame->order = order;
	return ear_frame_memory_has_payload(memory, frame);
}

/* The first index of a capture, or the first one that arrived. Units before protocol 1.3 do not
 * mark the first: STOP shows it then, unless no record can be before it.
 */
static int arrive_first(struct ear_reconstruct *reconstruct, struct ear_record *record,
	uint64_t order, unsigned how, uint64_t offset)
{
	bool marked =
		how & EAR_ARRIVAL_SYNC && reconstruct->unit_minor >= EAR_SYNC_FIRST_SINCE_MINOR;
	bool start_known = how & EAR_ARRIVAL_FIRST || (!marked && order == 0);
	bool undecided = how & EAR_ARRIVAL_SYNC && !marked && !reconstruct->gap_pending;

	if (is_repeated(reconstruct, order, how))
		return EAR_RECONSTRUCT_REPEATED;
	begin_capture(reconstruct, order, start_known);
	if (!start_known && !undecided)
		open_gap(reconstruct, EAR_GAP_NO_START, offset);
	if (!reconstruct->gap_pending)
		return 0;
	reconstruct->gap.at_start = true;
	return start_known ? report_up_to(reconstruct, record, order)
			   : report_unknown(reconstruct, record);
}

/* Note a jump that the filter explains, unless frames are missing there. */
static void note_jump(struct ear_reconstruct *reconstruct, uint64_t order)
{
	struct ear_capture *capture = &reconstruct->capture;
	uint64_t size = order - reconstruct->expected_order;

	if (!reconstruct->frame_fresh)
		return;
	forget_time(reconstruct);
	if (size > capture->widest_size) {
		capture->second_size = capture->widest_size;
		capture->widest_size = size;
		capture->widest_first = reconstruct->expected_order;
	} else if (size > capture->second_size) {
		capture->second_size = size;
	}
}

static int arrive_later(struct ear_reconstruct *reconstruct, struct ear_record *record,
	uint64_t order, unsigned how, uint64_t offset)
{
	if (!reconstruct->gap_pending && reconstruct->filtered) {
		note_jump(reconstruct, order);
		reconstruct->expected_order = order;
		return 0;
	}
	if (how & EAR_ARRIVAL_SYNC && reconstruct->following && !reconstruct->gap_pending)
		ear_reconstruct_damage(reconstruct, EAR_GAP_DISAGREE, offset, 0, 0);
	open_gap(reconstruct, EAR_GAP_JUMP, offset);
	return report_up_to(reconstruct, record, order);
}

/* A unit with fewer bits of the index continues from 0. */
static bool wraps(const struct ear_reconstruct *reconstruct, uint64_t order)
{
	uint64_t end = reconstruct->expected_order;

	return order == 0 && end >> 32 && (end & (end - 1)) == 0 && !reconstruct->gap_pending;
}

static int arrive_earlier(struct ear_reconstruct *reconstruct, struct ear_record *record,
	uint64_t order, unsigned how, uint64_t offset)
{
	if (wraps(reconstruct, order)) {
		restart_index(reconstruct, order);
		return 0;
	}
	if (is_repeated(reconstruct, order, how)) {
		if (reconstruct->unchecked > 0)
			ear_reconstruct_damage(reconstruct, EAR_GAP_DISAGREE, offset, 0, 0);
		return EAR_RECONSTRUCT_REPEATED;
	}
	open_gap(reconstruct, EAR_GAP_JUMP, offset);
	report_unknown(reconstruct, record);
	reconstruct->capture.restarted = true;
	reconstruct->every_record_timed = false; /* the UNIT may be that of another capture */
	restart_index(reconstruct, order);
	return 2;
}

/* A repeated frame is a gap of its own: nothing is missing in it. */
static bool repeats_pending(const struct ear_reconstruct *reconstruct)
{
	return reconstruct->gap_pending && reconstruct->gap.reason == EAR_GAP_REPEATED;
}

int ear_reconstruct_arrive(struct ear_reconstruct *reconstruct, struct ear_record *record,
	uint64_t order, unsigned how, uint64_t offset)
{
	struct ear_capture *capture = &reconstruct->capture;
	uint64_t expected = reconstruct->expected_order;
	int result = 0;

	if (repeats_pending(reconstruct))
		return report_up_to(reconstruct, record, expected);
	if (capture->open && !reconstruct->order_known) { /* a gap without an end was reported */
		reconstruct->order_known = true;
		reconstruct->expected_order = expected = order;
	}
	if (how & EAR_ARRIVAL_FIRST && capture->open) {
		if (capture->records == 0 && order == expected) /* after a LOST, or asked again */
			capture->start_known = true;
		else if (is_repeated(reconstruct, order, how))
			return EAR_RECONSTRUCT_REPEATED;
		else
			return end_without_stop(reconstruct, record, offset);
	}
	if (!capture->open)
		result = arrive_first(reconstruct, record, order, how, offset);
	else if (order > expected)
		result = arrive_later(reconstruct, record, order, how, offset);
	else if (order < expected)
		result = arrive_earlier(reconstruct, record, order, how, offset);
	else if (reconstruct->gap_pending)
		result = report_up_to(reconstruct, record, order);
	if (reconstruct->frame_fresh && result != EAR_RECONSTRUCT_REPEATED) {
		reconstruct->frame.order = order;
		reconstruct->frame_fresh = result != 0;
	}
	return result;
}

/* Reported unchanged: its index was judged when the whole capture was decoded. */
int ear_reconstruct_relayed(struct ear_reconstruct *reconstruct, struct ear_record *record,
	const struct ear_message *message, uint64_t offset)
{
	uint64_t first = message->u.lost.first, last = message->u.lost.last;
	bool known = !(message->u.lost.reason & EAR_LOST_UNCOUNTED);
	bool at_start = !reconstruct->capture.open;
	bool back = reconstruct->order_known && first < reconstruct->expected_order;

	if (reconstruct->gap_pending && !at_start && reconstruct->order_known && !back)
		return report_up_to(reconstruct, record, first);
	if (reconstruct->gap_pending)
		return report_unknown(reconstruct, record);
	if (at_start)
		begin_capture(reconstruct, first, false);
	reconstruct->gap_offset = offset;
	reconstruct->gap = (struct ear_gap){
		.reason = (enum ear_gap_reason)(
			(message->u.lost.reason & ~EAR_RELAYED_FLAGS) - EAR_LOST_ON_THE_WAY)};
	at_start |= reconstruct->gap.reason == EAR_GAP_NO_START;
	reconstruct->gap.at_start = at_start;
	reconstruct->gap.upper_bound = known && message->u.lost.count > 0 && reconstruct->filtered;
	reconstruct->expected_order = first;
	if (known)
		report_range(reconstruct, record, message->u.lost.count, first, last);
	else
		report_gap(
			reconstruct, record); /* unknown to the whole capture, so to every STOP */
	reconstruct->expected_order = last + 1;
	reconstruct->order_known = !back && (known || at_start);
	if (message->u.lost.reason & EAR_LOST_UNTIMED) {
		record->flags &= ~(uint32_t)EAR_RECORD_HAS_TIME;
		reconstruct->ticks_known = false;
	}
	return 1;
}

/* The end ---------------------------------------------------------------------------------- */

/* The counts of STOP compared with the records that came. */
struct balance {
	uint64_t total;   /* records that the unit sent or lost, and that did not come */
	uint64_t unnamed; /* of those, in no gap of known size */
	bool overdrawn;   /* more came than the unit counted */
};

/* Counters of a unit may have as few as 32 bits and wrap. */
static struct balance weigh(
	const struct ear_reconstruct *reconstruct, const struct ear_message *message)
{
	const struct ear_capture *capture = &reconstruct->capture;
	bool by_lost = capture->lost_known || !capture->open;
	uint64_t sent = message->u.stop.delivered + (by_lost ? message->u.stop.lost : 0);
	uint64_t came = capture->records + (by_lost ? capture->lost : 0);
	uint64_t named = capture->missing + capture->upper;
	struct balance balance = {0};

	/* A packed text whose gap lines count fewer records than their indexes span. */
	if (by_lost && sent == capture->records + capture->lost_range)
		came = sent;
	if (sent >= came)
		balance.total = sent - came;
	else
		balance.overdrawn = ((sent - came) & UINT32_MAX) != 0;
	if (balance.total > named)
		balance.unnamed = balance.total - named;
	return balance;
}

/* A gap that only STOP shows. */
static int report_unnamed(struct ear_reconstruct *reconstruct, struct ear_record *record,
	uint64_t count, uint64_t offset)
{
	const struct ear_capture *capture = &reconstruct->capture;
	uint64_t next = reconstruct->expected_order, start = capture->start_order;

	open_gap(reconstruct, EAR_GAP_NO_START, offset);
	reconstruct->gap.at_start = !capture->open || !capture->start_known;
	if (!capture->open) { /* only STOP came of it */
		reconstruct->expected_order = 0;
		int result = report_unknown(reconstruct, record);
		reconstruct->expected_order = next;
		return result;
	}
	if (!capture->start_known && !may_filter(reconstruct) && count <= start) {
		reconstruct->expected_order = start;
		report_range(reconstruct, record, count, start - count, start - 1);
		reconstruct->expected_order = next;
		return 2;
	}
	if (!capture->start_known) {
		reconstruct->expected_order = start;
		report_unknown(reconstruct, record);
		reconstruct->expected_order = next;
		return 2;
	}
	/* Frames are missing, but the sequence numbers match. */
	reconstruct->gap.reason = EAR_GAP_MISSING_FRAME;
	if (!may_filter(reconstruct))
		return report_up_to(reconstruct, record, next + count);
	if (capture->widest_size >= count && capture->second_size < count && capture->upper == 0)
		return report_range(reconstruct, record, count, capture->widest_first,
			capture->widest_first + capture->widest_size - 1);
	return report_unknown(reconstruct, record);
}

/* The gap right before STOP. Its size follows if no other gap has an unknown size. */
static int report_last(struct ear_reconstruct *reconstruct, struct ear_record *record,
	const struct balance *balance)
{
	const struct ear_capture *capture = &reconstruct->capture;
	bool only = capture->start_known && capture->unknown_gaps == 0 && !balance->overdrawn &&
		    balance->total >= capture->missing;

	if (balance->unnamed == 0 && !balance->overdrawn && !may_filter(reconstruct))
		return report_up_to(reconstruct, record, reconstruct->expected_order);
	if (capture->open && only && !may_filter(reconstruct))
		return report_up_to(
			reconstruct, record, reconstruct->expected_order + balance->unnamed);
	if (may_filter(reconstruct) && balance->total == 0 && !balance->overdrawn)
		return report_up_to(reconstruct, record, reconstruct->expected_order);
	reconstruct->gap.at_start = !capture->open && !reconstruct->order_known;
	return report_unknown(reconstruct, record);
}

static bool adds_up(const struct ear_reconstruct *reconstruct, const struct ear_message *message,
	const struct balance *balance)
{
	const struct ear_capture *capture = &reconstruct->capture;
	uint64_t sum = message->u.stop.delivered + message->u.stop.lost + message->u.stop.filtered;

	if (((message->u.stop.retired - sum) & UINT32_MAX) != 0 || balance->overdrawn)
		return false;
	if (capture->restarted && balance->total != capture->missing + capture->upper)
		return false; /* it may be another capture */
	if (may_filter(reconstruct))
		return balance->total >= capture->missing;
	return balance->total == capture->missing || capture->unknown_gaps > 0;
}

int ear_reconstruct_stop(struct ear_reconstruct *reconstruct, struct ear_record *record,
	const struct ear_message *message, uint64_t offset)
{
	struct ear_capture *capture = &reconstruct->capture;
	struct balance balance = weigh(reconstruct, message);

	if (repeats_pending(reconstruct))
		return report_up_to(reconstruct, record, reconstruct->expected_order);
	if (reconstruct->unchecked > 0) /* a CHECK must come before */
		ear_reconstruct_damage(reconstruct, EAR_GAP_DISAGREE, offset, 0, 0);
	if (reconstruct->gap_pending)
		return report_last(reconstruct, record, &balance);
	if (balance.unnamed > 0 && capture->unknown_gaps == 0)
		return report_unnamed(reconstruct, record, balance.unnamed, offset);
	reconstruct->capture_end =
		(struct ear_capture_end){.adds_up = adds_up(reconstruct, message, &balance)};
	if (reconstruct->capture_end.adds_up) {
		reconstruct->capture_end.missing_more =
			(int64_t)(balance.total - capture->missing - capture->upper);
		reconstruct->capture_end.unknown_gaps = capture->unknown_gaps;
	}
	*capture = (struct ear_capture){.open = false};
	reconstruct->stopped = true;
	return 0;
}

/* The data end, and with them what came of a capture without STOP. A gap that is pending says no
 * more than that, unless records before it may be wrong or could not be decoded.
 */
static int report_no_end(
	struct ear_reconstruct *reconstruct, struct ear_record *record, uint64_t offset)
{
	enum ear_gap_reason pending = reconstruct->gap.reason;

	if (reconstruct->gap_pending && pending != EAR_GAP_CUT && pending != EAR_GAP_DAMAGE) {
		report_unknown(reconstruct, record);
		return 1;
	}
	if (!reconstruct->gap_pending)
		open_gap(reconstruct, EAR_GAP_NO_END, offset);
	else if (pending == EAR_GAP_DAMAGE)
		reconstruct->gap.reason = EAR_GAP_NO_END;
	reconstruct->capture.open = false;
	reconstruct->unended++;
	report_unknown(reconstruct, record);
	return 1;
}

int ear_reconstruct_end(
	struct ear_reconstruct *reconstruct, struct ear_record *record, uint64_t offset, bool meant)
{
	if (repeats_pending(reconstruct)) {
		report_up_to(reconstruct, record, reconstruct->expected_order);
		return 1;
	}
	if (reconstruct->capture.open && meant && !reconstruct->gap_pending) {
		reconstruct->capture.open = false;
		reconstruct->unended++;
		reconstruct->parted++;
		return 0;
	}
	if (reconstruct->capture.open)
		return report_no_end(reconstruct, record, offset);
	if (!reconstruct->gap_pending)
		return 0;
	/* After STOP nothing of the capture is missing. */
	reconstruct->gap.at_start = !reconstruct->order_known;
	if (reconstruct->order_known || reconstruct->stopped)
		report_up_to(reconstruct, record, reconstruct->expected_order);
	else
		report_unknown(reconstruct, record);
	return 1;
}
