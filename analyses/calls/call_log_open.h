#ifndef EAR_ANALYSES_CALL_LOG_OPEN_H
#define EAR_ANALYSES_CALL_LOG_OPEN_H

#include "analyses/calls/call_log_state.h"

/* The addresses around pc that are of the same function. Valid until the next one. */
const struct call_log_range *call_log_range(struct ear_call_log *log, uint64_t pc);

/* NULL: memory is short. */
struct call_log_hart *call_log_hart(struct ear_call_log *log, uint16_t number);

/* Of a call that is made in an open one; mark 0: in none. */
uint32_t call_log_depth(const struct ear_call_log *log, uint32_t mark);

/* A frame is entered, at the record of a position. Returns its mark, the number of its call among
 * the open ones; 0 if memory is short, which is said later. */
uint32_t call_log_begin(struct ear_call_log *log, const struct call_log_hart *hart,
	const struct ear_call_log_call *call, uint64_t position);
/* A frame ends, and so do its tail calls. */
void call_log_end(struct ear_call_log *log, uint32_t mark, const struct call_log_hart *hart,
	enum ear_call_log_end end);

/* The hart has jumped from its function to where another one begins. */
void call_log_tail(struct ear_call_log *log, struct call_log_hart *hart, uint32_t mark,
	uint64_t call_pc, uint64_t pc);

/* No more calls come: those that have not ended are handed out; by_end: in this order. */
void call_log_close(struct ear_call_log *log);

/* The first record of a hart that is not in the function of the last one is at pc. */
void call_log_arrive(struct ear_call_log *log, struct call_log_hart *hart, uint32_t mark,
	uint64_t from, uint64_t pc);

#endif
