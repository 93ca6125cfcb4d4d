#ifndef EAR_CALL_STACK_H
#define EAR_CALL_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/call_frame.h>

#include "library/stack/call_stack_limits.h"
#include "library/stack/call_stack_watch.h"
#include "library/state/flow.h"

/* Call stacks: which functions are active at a moment, by whom they were called and where they
 * return to; of each hart, through interrupts, tasks and longjmp. Made from flow events (flow.h),
 * in the order of the trace. Symbols are not needed: a frame has addresses, and the function of a
 * frame is the one that its pc is in (so a tail call changes the name of a frame, and no more).
 *
 *     struct ear_call_stacks *stacks;
 *
 *     ear_call_stacks_new(&stacks);
 *     for (each part)
 *             ear_call_stacks_push(stacks, flow->events, flow->count, first_position_of_part);
 *     count = ear_call_stack_frames(stacks, hart, frames, 64);     newest first
 *
 * The rules are in docs/library.md, section 8. In short: calls are jumps that link in x1 or x5, and
 * a frame ends when a jump goes to its return address, or when sp rises above the frame and another
 * one is called or returned to. Where sp is set to a value that was left earlier, that stack with
 * its frames is resumed; so tasks have a stack each. A trap is a frame of its own.
 *
 * Nothing is made up. Where a trace begins, and after each gap, the functions below are not known:
 * there is one base frame, and its caller appears when it returns.
 */

struct ear_call_stacks;

/* Returns 0 and the stacks of a trace before its first record, to be freed; EAR_E_NO_MEMORY. */
int ear_call_stacks_new(struct ear_call_stacks **stacks);
void ear_call_stacks_free(struct ear_call_stacks *stacks);

/* As at the begin of the trace. */
void ear_call_stacks_reset(struct ear_call_stacks *stacks);

/* The next events, in order. position: that of the begin of their part in the trace. A part may be
 * pushed in several calls. Events are checked: any bytes do no harm.
 * Returns 0; EAR_E_NO_MEMORY; EAR_E_FULL: more than EAR_FLOW_HARTS_MAX harts.
 */
int ear_call_stacks_push(struct ear_call_stacks *stacks, const struct ear_flow_event *events,
	size_t count, uint64_t position);

/* The frames that are active in a hart, the newest first; up to max of them into frames.
 *
 * Where the hart is in frames[0] is its next pc; in frames[i] it is frames[i - 1].call_pc. After
 * a switch of stacks that is no switch of tasks (a handler on a stack of its own) the frames of the
 * other stack follow.
 *
 * Returns how many there are, 1 or more, which may be more than max. At the begin of a part of
 * which no event came, and of a hart that was never seen, that is a base frame with entry 0.
 * Returns EAR_E_UNSUPPORTED if the trace has no opcodes or an instruction set other than RISC-V.
 */
int ear_call_stack_frames(const struct ear_call_stacks *stacks, uint16_t hart,
	struct ear_call_frame *frames, size_t max);

/* For those who keep a number, 1 or more, with each frame as long as it is active: that of the
 * newest frame of the hart. Frames that have none yet get what make returns, the lowest first;
 * below is that of the frame below, 0 for a base.
 *
 * Returns 0 if the hart has no stack: it was never seen, or see ear_call_stack_frames.
 */
typedef uint32_t ear_call_stack_make(
	void *context, uint32_t below, const struct ear_call_frame *frame);
uint32_t ear_call_stack_newest(
	struct ear_call_stacks *stacks, uint16_t hart, ear_call_stack_make *make, void *context);

/* The same for all frames of all stacks of the hart. A base of which nothing was seen yet, and
 * which nothing is above, gets none. */
void ear_call_stack_number(
	struct ear_call_stacks *stacks, uint16_t hart, ear_call_stack_make *make, void *context);

/* From now on. Frames that are active already are entered now, those below first. */
void ear_call_stacks_watch(
	struct ear_call_stacks *stacks, const struct ear_call_stack_watch *watch);

/* The mark of the newest frame of a hart; 0: a base, or the hart was never seen. */
uint32_t ear_call_stack_mark(const struct ear_call_stacks *stacks, uint16_t hart);

/* Harts that were seen, and their numbers: place is 0 .. count - 1. */
size_t ear_call_stack_hart_count(const struct ear_call_stacks *stacks);
uint16_t ear_call_stack_hart(const struct ear_call_stacks *stacks, size_t place);

/* The number of frames, less those by which the base frame has returned above where it began: so
 * the difference of two depths of the same task is the number of frames entered and not left. It
 * may be negative. lowest: the lowest depth since the last ear_call_stack_begin_interval (or the
 * begin) of whatever task ran. A frame that is active at both ends of an interval, and was never
 * left in it, was at a depth of lowest or less all the time it ran.
 */
struct ear_call_depth {
	int64_t depth, lowest;
	bool broken; /* there was a gap in the interval: depths of before and after do not compare
		      */
};

/* False, and *depth is untouched, if the hart was never seen or has no stack. */
bool ear_call_stack_depth(
	const struct ear_call_stacks *stacks, uint16_t hart, struct ear_call_depth *depth);

/* Begin an interval, of all harts. */
void ear_call_stack_begin_interval(struct ear_call_stacks *stacks);

/* Checkpoints. Bytes are self-contained (full), or hold what has changed since the last save with
 * the same stacks: bottom frames that are still the same are shared. Numbers of frames are not in
 * them. Loading a chain, full first,
 * gives the state at the last one; 1 task with 10 frames is some 100 bytes full.
 *
 *     ear_call_stacks_save(stacks, full, &bytes, &size);  after SYNC events were pushed;
 * free(bytes) ear_call_stacks_load(other, bytes, size);           the first one must be full
 *
 * save returns 0 or EAR_E_NO_MEMORY. The intervals of depth are not saved: after a load one begins.
 * load returns 0; EAR_E_BAD_FILE if the bytes are not what save writes, or belong to another chain
 * as far as that shows: the stacks are then as at the begin; EAR_E_NO_MEMORY likewise. It never
 * allocates more than call_stack_limits.h allows.
 */
int ear_call_stacks_save(struct ear_call_stacks *stacks, bool full, uint8_t **bytes, size_t *size);
int ear_call_stacks_load(struct ear_call_stacks *stacks, const uint8_t *bytes, size_t size);

/* What from knows, without numbers of frames. Returns 0 or EAR_E_NO_MEMORY: stacks are then as at
 * the begin. */
int ear_call_stacks_copy(struct ear_call_stacks *stacks, const struct ear_call_stacks *from);

#endif
