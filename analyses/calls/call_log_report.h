#ifndef EAR_ANALYSES_CALL_LOG_TELL_H
#define EAR_ANALYSES_CALL_LOG_TELL_H

#include "analyses/calls/call_log_state.h"

/* What happened in a part, in rows for the join. Frames have marks in the order in
 * which they are reported; those that are active at its begin are reported first.
 */
enum call_log_row {
	CALL_LOG_ROW_HART, /* hart, records of it in the part, last number, ticks, timed + 2 xlen */
	CALL_LOG_ROW_ACTIVE, /* hart, position, kind, mark below, entry, call_pc */
	CALL_LOG_ROW_ENTER,  /* hart, position, kind, mark below, entry, call_pc, number */
	CALL_LOG_ROW_LEAVE,  /* hart, mark, how */
	CALL_LOG_ROW_TAIL,   /* hart, mark, call_pc, pc */
	CALL_LOG_ROW_FIRST,  /* hart, mark, pc: its first record */
	CALL_LOG_ROW_LAST, /* hart, mark, pc, first address of its range, opcode: its last record */
	CALL_LOG_ROW_FACTS, /* records, gaps, those without calls */
	CALL_LOG_ROW_SKIP, /* 1: what begins from now on is not handed out; 0, as at first: it is */
	CALL_LOG_ROW_FILE_KINDS,

	/* With sums: what happened with frames that do not begin and end in the part, and what
	 * there was no room for. */
	CALL_LOG_ROW_FUNCTIONS = CALL_LOG_ROW_FILE_KINDS, /* how many were met before */
	CALL_LOG_ROW_CALL, /* function, kind + 4 end + 64 has_clocks, records, clocks */
	CALL_LOG_ROW_KINDS
};

#define CALL_LOG_NO_NUMBER UINT64_MAX

extern const uint8_t call_log_row_sizes[CALL_LOG_ROW_KINDS]; /* numbers */

uint32_t call_log_report_begin(struct ear_call_log *log, const struct ear_call_log_call *call,
	const struct ear_call_change *change);
void call_log_report_end(
	struct ear_call_log *log, uint16_t hart, uint32_t mark, enum ear_call_log_end end);
void call_log_report_tail(struct ear_call_log *log, const struct call_log_hart *hart, uint32_t mark,
	uint64_t call_pc, uint64_t pc);
void call_log_report_first(
	struct ear_call_log *log, const struct call_log_hart *hart, uint32_t mark, uint64_t pc);
void call_log_report_rest(struct ear_call_log *log);

/* With sums: a call that ended, of a function that there is no room for. */
void call_log_report_call(struct ear_call_log *log, const struct ear_call_log_call *call);

#endif
