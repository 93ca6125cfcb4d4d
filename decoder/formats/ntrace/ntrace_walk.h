#ifndef EAR_NTRACE_WALK_H
#define EAR_NTRACE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/flow/flow_code.h"
#include "decoder/flow/flow_run.h"
#include "decoder/flow/return_stack.h"
#include "decoder/formats/ntrace/ntrace_unit.h"

/* The walk over the program that one message stands for: docs/ntrace.md, "Instructions".
 *
 * A walk is first tried, without records: the message must fit the program to its last bit, or it
 * is not believed, and none of its instructions is shown. Then it is done, a run of records at a
 * time.
 */

/* What a message, and what came before it, say of the instructions to walk over. */
struct ear_ntrace_walk {
	uint64_t pc;     /* of the next instruction */
	uint64_t left;   /* half-words to execute */
	uint64_t from;   /* where the straight piece before pc begins, in this message */
	uint64_t target; /* where the walk ends, if has_target */
	bool has_target;
	bool known;        /* pc is known: false after an uninferable jump without a target, where
			    * pc stays at the jump */
	bool open_end;     /* the last instruction may be such a jump: tracing stops there */
	bool more;         /* after these half-words the walk would continue: none is the last */
	bool by_history;   /* outcomes come from the history, and not: only the last is taken */
	bool until_used;   /* the walk ends when the history is used up; left is a bound */
	bool jump_last;    /* the last instruction is an uninferable jump or a return from a trap */
	bool taken_last;   /* the last instruction is a branch, or a reported jump, that is taken */
	uint8_t last_kind; /* enum ear_flow_kind of the last instruction */
	uint8_t count;     /* outcomes to come: the lowest ones of history, the oldest highest */
	uint8_t pattern_count;
	uint32_t history;
	uint32_t pattern; /* after those the history is this again, repeats times */
	uint64_t repeats;
};

enum ear_ntrace_verdict {
	EAR_NTRACE_FITS,
	EAR_NTRACE_NO_CODE,  /* it comes to where no code is known */
	EAR_NTRACE_MISMATCH, /* it does not fit the program */
};

/* What a walk needs that is not the message's. */
struct ear_ntrace_context {
	const struct ear_flow_code *code;
	const struct ear_ntrace_unit *unit;
	struct ear_flow_range *range;
	struct ear_return_stack *stack;
	uint64_t mask; /* of XLEN bits */
};

/* Try a walk. *executed: the half-words of it, up to where code is missing. */
enum ear_ntrace_verdict ear_ntrace_try(const struct ear_ntrace_context *context,
	const struct ear_ntrace_walk *walk, uint64_t *executed);

/* Do a walk that fits, or a part of one, as far as the run has room and may take more: left is what
 * ear_ntrace_try has counted. timed: the last instruction has the hart's next time. A jump at an
 * open end is left to the caller (known is false).
 * Returns true when it is done, false if the run has to be handed out first.
 */
bool ear_ntrace_go(const struct ear_ntrace_context *context, struct ear_ntrace_walk *walk,
	struct ear_flow_run *run, struct ear_flow_hart *hart, uint64_t offset,
	const uint64_t *time);

#endif
