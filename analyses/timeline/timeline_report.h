#ifndef EAR_ANALYSES_TIMELINE_TELL_H
#define EAR_ANALYSES_TIMELINE_TELL_H

#include "analyses/timeline/timeline_events.h"
#include "analyses/timeline/timeline_state.h"

/* What happened in a part, in rows for the join. Frames have marks in the order in
 * which they are reported; those that are active at its begin are reported first.
 */
enum timeline_row {
	TIMELINE_ROW_COUNT,     /* hart, mark, number, ticks, timed + 2 records: up to that one */
	TIMELINE_ROW_PRIVILEGE, /* hart, number, ticks, timed, privilege */
	TIMELINE_ROW_TRAP, /* hart, number, ticks, timed, interrupt + 2 has_cause + 4 xlen, cause */
	TIMELINE_ROW_ACTIVE, /* hart, position, kind + 4 is_bottom, stack, entry, call_pc */
	TIMELINE_ROW_ENTER,  /* the same */
	TIMELINE_ROW_LEAVE,  /* hart, mark, how, stack */
	/* hart, a0, a1, state of a0 + 4 that of a1: before the next frame is entered or left, or
	 * JUMP
	 */
	TIMELINE_ROW_REGISTERS,
	TIMELINE_ROW_GAP, /* hart, number, known + 2 upper_bound + 4 forgotten, count, reason */
	/* hart, number, ticks, timed, source, value, bytes of text, the bytes, 8 in a number */
	TIMELINE_ROW_EVENT,
	TIMELINE_ROW_TICKS, /* hart, first, last, how often backwards */
	TIMELINE_ROW_FACTS, /* records of which no calls are known, heap */
	TIMELINE_ROW_JUMP,  /* hart, mark, entry: a function of the heap begins in the frame */
	TIMELINE_ROW_KINDS
};

enum timeline_register_state {
	TIMELINE_REGISTER_BEFORE, /* what it was before the part */
	TIMELINE_REGISTER_KNOWN,
	TIMELINE_REGISTER_FORGOTTEN,
};

#define TIMELINE_NO_TEXT UINT64_MAX

extern const uint8_t timeline_row_sizes[TIMELINE_ROW_KINDS]; /* numbers, of EVENT without text */

/* Is the next record of a hart, in the frame of a mark, reported alone? Something may begin there.
 */
bool timeline_reports_alone(const struct timeline_hart *hart, uint32_t mark);

/* As the functions without "report" do. */
int timeline_report_count(struct ear_timeline *timeline, struct timeline_hart *hart, uint32_t mark,
	const struct timeline_at *last, uint64_t records);
void timeline_report_privilege(struct ear_timeline *timeline, const struct timeline_hart *hart,
	uint8_t privilege, const struct timeline_at *at);
void timeline_report_trap(struct ear_timeline *timeline, const struct timeline_hart *hart,
	const struct timeline_trap *trap, const struct timeline_at *at);
uint32_t timeline_report_enter(struct ear_timeline *timeline, const struct ear_call_change *change);
void timeline_report_leave(struct ear_timeline *timeline, const struct ear_call_change *change);
void timeline_report_jump(struct ear_timeline *timeline, const struct timeline_hart *hart,
	uint32_t mark, uint64_t entry);
void timeline_report_gap(struct ear_timeline *timeline, struct timeline_hart *hart,
	const struct ear_gap *gap, bool forgotten, uint64_t number);
void timeline_report_event(struct ear_timeline *timeline, const struct timeline_hart *hart,
	const struct ear_event *event, const struct timeline_at *at);

/* The part ended. */
void timeline_report_rest(struct ear_timeline *timeline);

#endif
