#ifndef EAR_CALL_MACHINE_H
#define EAR_CALL_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/stack/call_stack.h"
#include <earshot/record.h>

/* A machine that runs random programs of tasks, calls and handlers, without a processor: it makes
 * the records of a run and knows at each of them which functions are active.
 *
 * It knows nothing of call_stack.h but the words for frames. Its functions have frames of all kinds
 * and leave them in all ways: by ret and by another register, through save and restore routines, by
 * a tail call, longjmp, an exception. Interrupts come anywhere, use the stack of the task or one of
 * their own, are nested, and switch tasks; tasks give up the hart by a call, too.
 */

#define CALL_MACHINE_DEPTH 64
#define CALL_MACHINE_TASKS 4

struct call_machine_options {
	unsigned xlen;
	bool no_next_pc;   /* the source does not say where control goes */
	bool no_sp;        /* the source has no registers */
	bool unmarked;     /* interrupts have no records, the handler's first one is marked */
	unsigned gaps;     /* of 10 000 records, before how many some are missing */
	unsigned filtered; /* the same without a gap record: only the index shows it */
	unsigned skip;     /* records before the trace begins */
};

struct call_machine;

struct call_machine *call_machine_new(uint64_t seed, const struct call_machine_options *options);
void call_machine_free(struct call_machine *machine);

/* The next record, valid until the next call. */
const struct ear_record *call_machine_next(struct call_machine *machine);

/* What is active after that record, as far as the records tell it; newest first. Only kind,
 * position and call_pc, and return_pc of calls, are filled in. Returns their number.
 */
size_t call_machine_frames(const struct call_machine *machine, struct ear_call_frame *frames);

/* Is it known after that record where the hart is? Not after a jump of a source without next_pc. */
bool call_machine_is_settled(const struct call_machine *machine);

/* A text of what the machine did last, for a failure. */
const char *call_machine_story(const struct call_machine *machine);

#endif
