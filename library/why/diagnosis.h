#ifndef EAR_DIAGNOSIS_H
#define EAR_DIAGNOSIS_H

#include <earshot/call_frame.h>
#include <earshot/instruction.h>
#include <earshot/names.h>
#include <earshot/why.h>

#include "library/why/origins.h"
#include "library/why/past.h"

/* What the parts of a diagnosis share. The window of the past is any, so each part goes to its own
 * records. Functions that return int: 0 or useful, or a negative error as ear_past_load.
 */
struct ear_diagnosis {
	struct ear_past *past;
	struct ear_instructions *instructions;
	const struct ear_why_options *options;
	struct ear_why why;
	uint64_t end;  /* of the trace */
	uint64_t last; /* position of the hart's last instruction */
	bool certain;  /* what was found holds whatever comes after the trace */
};

/* The place of a record, and of one of the window. */
struct ear_why_place ear_diagnosis_place_of(
	const struct ear_record *record, uint64_t position, uint64_t number);
struct ear_why_place ear_diagnosis_place(const struct ear_past *past, uint64_t position);

/* A value that did it; its chain comes later. Left out if there are enough. */
void ear_diagnosis_value(struct ear_diagnosis *diagnosis, unsigned role,
	const struct ear_value_place *place, uint64_t before);

/* The operands of the branch at position as values. */
void ear_diagnosis_operands(struct ear_diagnosis *diagnosis, const struct ear_record *record,
	unsigned role, uint64_t position);

__attribute__((format(printf, 2, 3))) void ear_diagnosis_say(
	struct ear_diagnosis *diagnosis, const char *format, ...);

/* The instruction of a record; class EAR_CLASS_ILLEGAL if it is not known. */
struct ear_instruction ear_diagnosis_decode(
	const struct ear_diagnosis *diagnosis, const struct ear_record *record);

/* The position of the hart's instruction before that one, in the window, if none is missing
 * between.
 */
bool ear_diagnosis_previous(
	const struct ear_past *past, uint16_t hart, uint64_t position, uint64_t *previous);

/* A trap that is no system call, and its mtval or stval. */
bool ear_diagnosis_is_fault(const struct ear_record *record);
bool ear_diagnosis_trap_value(const struct ear_record *record, uint64_t *value);

/* All frames of the hart at a position, for free(); *count 0: there is no call stack. Returns 0 or
 * an error (diagnosis_calls.c). */
int ear_diagnosis_frames(struct ear_diagnosis *diagnosis, uint64_t position,
	struct ear_call_frame **frames, size_t *count);

/* Was a function active at a position by which programs give up, such as abort? The oldest one:
 * what it means, and the position and pc of its call. Returns 1, 0 or an error. */
int ear_diagnosis_gave_up(struct ear_diagnosis *diagnosis, uint64_t position, const char **text,
	uint64_t *call, uint64_t *pc);

/* The last branch before a record of the window, in the same call of its function. False: none in
 * the window, or an interrupt or missing records are between. */
bool ear_diagnosis_branch_before(
	const struct ear_diagnosis *diagnosis, uint64_t before, uint64_t *position);

/* The last fault of the hart, if its handler did not return or returned to it at once, and those
 * before it that are the same and came back at once (diagnosis_back.c): how many, and the position
 * of the first. *earlier: there may be older ones. Returns 0 or an error. */
int ear_diagnose_again(
	struct ear_diagnosis *diagnosis, uint64_t *first, uint64_t *count, bool *earlier);

/* In machine mode, are interrupts off? Then what disabled them is a value that matters. Returns 0
 * or an error (diagnosis_sleep.c). */
int ear_diagnosis_interrupts_off(struct ear_diagnosis *diagnosis, uint64_t position);

/* No fault, but the end is worth the words, unless a recorder waited for something. Returns whether
 * that is all. */
int ear_diagnosis_end_unknown(struct ear_diagnosis *diagnosis);

/* "timer", "" for one without a name, by its number. */
const char *ear_diagnosis_interrupt_name(uint64_t number);

/* A loop, to go back through: where its instructions are, from the last one back. */
struct ear_loop {
	uint64_t *pcs;
	size_t period;
	/* All other addresses, if each instruction is at another one and leads to one of the loop
	 * only, or out of it; 0: there is more than one way. */
	struct ear_span *outside;
	size_t outside_count;
};

/* Since when the hart is in the loop, whose last instruction is at position last: why.loop, and
 * why.earlier (diagnosis_back.c). Returns 0 or an error. */
int ear_diagnose_begin(struct ear_diagnosis *diagnosis, const struct ear_loop *loop, uint64_t last);

/* ---- The parts. Each returns 1 if it is this, 0 if not, or an error. ---- */

/* A trap whose handler did not return (diagnosis_trap.c). */
int ear_diagnose_trap(struct ear_diagnosis *diagnosis);

/* A trap that comes again and again, because its handler returns to the instruction that trapped.
 */
int ear_diagnose_storm(struct ear_diagnosis *diagnosis);

/* The cause of a trap that is known: the record at position, whether its handler returned or not.
 */
int ear_diagnose_trap_at(struct ear_diagnosis *diagnosis, uint64_t position);

/* The event of a recorder that says that the core is wrong, and any other (diagnosis_event.c). */
int ear_diagnose_violation(struct ear_diagnosis *diagnosis);
int ear_diagnose_event(struct ear_diagnosis *diagnosis);

/* The end of the program, good or bad (diagnosis_exit.c). */
int ear_diagnose_exit(struct ear_diagnosis *diagnosis);

/* EXIT: what the branch before it found, in the text. Needs the names, and the chains. */
void ear_diagnose_check(struct ear_diagnosis *diagnosis);

/* The program begins again and again, after a fault (diagnosis_boot.c). */
int ear_diagnose_boot(struct ear_diagnosis *diagnosis);

/* One interrupt after the other at the end (diagnosis_interrupts.c). */
int ear_diagnose_interrupts(struct ear_diagnosis *diagnosis);

/* The last instruction waits for an interrupt; the window is the one of the end
 * (diagnosis_sleep.c). One that came before may come again, unless it is not enabled any more. */
int ear_diagnose_sleep(struct ear_diagnosis *diagnosis);

/* A loop without progress at the end (diagnosis_hang.c). */
int ear_diagnose_hang(struct ear_diagnosis *diagnosis);

/* Had the stack grown over what is next to it, where a value of the cause was stored or at the
 * place of the cause? Needs the names, and the chains of the values (diagnosis_stack.c). Returns 0
 * or an error. */
int ear_diagnose_stack(struct ear_diagnosis *diagnosis);

/* Memory errors up to the cause, and the blocks of the heap that the chains lead through
 * (diagnosis_memory.c). Returns 0 or an error. */
int ear_diagnose_memory(struct ear_diagnosis *diagnosis);

/* Was an update of a variable lost that the chains lead through? why.lost (diagnosis_lost.c). Needs
 * the names, and the chains of the values. Returns 0 or an error. */
int ear_diagnose_lost(struct ear_diagnosis *diagnosis);

/* Is the core wrong, by the self-check? why.core and core_text (diagnosis_core.c). Returns 0 or an
 * error. */
int ear_diagnose_core(struct ear_diagnosis *diagnosis);

/* Did a handler change a register that a chain leads through (diagnosis_handler.c)? Returns 0 or an
 * error. */
int ear_diagnose_handler(struct ear_diagnosis *diagnosis);

/* Did the handler of an exception go on in the middle of an instruction, or after the next one, as
 * if the one that trapped had 4 bytes? why.skip, and mepc as a value. Returns 0 or an error. */
int ear_diagnose_skip(struct ear_diagnosis *diagnosis);

/* What differed the last time that the instruction at why.place was executed (diagnosis_round.c).
 */
int ear_diagnose_round(struct ear_diagnosis *diagnosis);

/* EXIT: what chose the value that the branch compares (diagnosis_choice.c). Needs the chains; those
 * of the values that it adds are missing afterwards. Returns 0 or an error. */
int ear_diagnose_choice(struct ear_diagnosis *diagnosis);

/* HANG: what differed after the last store to what the branch compares (diagnosis_round.c). Needs
 * the chains. Returns 0 or an error. */
int ear_diagnose_after(struct ear_diagnosis *diagnosis);

#endif
