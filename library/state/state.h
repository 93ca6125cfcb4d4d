#ifndef EAR_STATE_H
#define EAR_STATE_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/base/reader.h"
#include "library/state/run_summary.h"
#include "library/state/state_types.h"

/* Running state: what the registers of every hart hold while a trace goes by.
 *
 * A trace says what each instruction *wrote*. What it *read*, and what a register held before
 * it was overwritten, follows from earlier records. This library follows them: give it the
 * records in their order, from any source, and for each it says
 *
 *   - the source operands with their values (integer, floating point, CSR, vector groups),
 *   - the registers written, with the new and the previous value,
 *   - what kind of instruction it is: load, store, atomic, branch, call, return, ...,
 *   - and between two records what any register of any hart holds now.
 *
 *     struct ear_state *state;
 *     struct ear_step step;
 *
 *     ear_state_new(&state);
 *     while (ear_source_next(source, &record) == 1) {
 *             ear_state_push(state, &step, record);
 *             if (ear_step_is_store(&step) && step.operands[0].known)
 *                     ... step.operands[0].value was stored ...
 *     }
 *     ear_state_free(state);
 *
 * docs/examples/registers.c is a whole program.
 *
 * A value is *known* or not; nothing is made up. At the beginning nothing is known (but x0), or
 * what an initial-state file says. A write makes a register known, and so does a source that
 * has the values read (extra->reads). What may have been written without being listed is unknown:
 *
 * - after a gap every register of its hart (see ear_state_set_source for gaps without a record);
 * - the destination of an instruction that lists no such write;
 * - of a trap or a return from one, the CSRs of traps that it does not list;
 * - mstatus and its views, where floating-point or vector state became dirty; fflags, vl, vstart
 *   and vxsat likewise;
 * - a CSR that is another view of one that was written (sstatus of mstatus, sie of mie, pmpaddr
 *   of pmpcfg), and after a write of misa all others;
 * - in virtual machines, where a number of S mode means another CSR, both;
 * - CSRs that change by themselves (counters, time, mip), those of debug mode and of vendors, and
 *   with a CLIC mstatus and mcause: always, but where an instruction reads them into a register.
 *
 * Each hart has its own registers. Memory is flat: about 40 KB for each hart seen, plus its
 * vector registers. One state serves one thread.
 */
/* Returns 0 and a state in which nothing is known, to be freed; EAR_E_NO_MEMORY. */
int ear_state_new(struct ear_state **state);
void ear_state_free(struct ear_state *state);

/* See struct ear_state_source. */
void ear_state_set_source(struct ear_state *state, const struct ear_state_source *source);

/* The next record, of any kind and any hart. *step shows the state before it; after the call the
 * state is that after it. *record must stay valid as long as *step is used.
 *
 * Returns 0; EAR_E_NO_MEMORY; EAR_E_FULL if there are more than EAR_STATE_HARTS_MAX harts. On an
 * error neither *step nor the state has changed.
 */
int ear_state_push(struct ear_state *state, struct ear_step *step, const struct ear_record *record);

/* As ear_state_push, without a step: the state after the record. Some ns for most records. */
int ear_state_follow(struct ear_state *state, const struct ear_record *record);

/* The same for the records of a compact run. A few ns a record.
 * Returns 0; EAR_E_NO_MEMORY, EAR_E_FULL: then the state is that after some of them.
 */
int ear_state_push_run(struct ear_state *state, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts);
int ear_state_push_summary(struct ear_state *state, const struct ear_run_summary *summary);

/* What a register holds now. number: 0 .. 31, CSRs 0 .. 4095. Not for vector and named registers.
 * True and *value if it is known; else false, *value is untouched. A hart never seen has only
 * what the initial-state file says.
 */
bool ear_state_register(const struct ear_state *state, uint16_t hart,
	enum ear_register_class reg_class, unsigned number, uint64_t *value);

/* What a vector register (0 .. 31) holds now, lowest byte first; NULL if it is not known. Valid
 * until the next record is pushed. */
const uint8_t *ear_state_vector(
	const struct ear_state *state, uint16_t hart, unsigned number, size_t *size);

/* What register i (0 .. count - 1) of a vector operand held before the instruction, lowest byte
 * first; NULL if it is not known. state is the one that made the step. Valid as long as the step.
 * known of the operand says that no register of the group is unknown.
 */
const uint8_t *ear_step_vector(const struct ear_state *state, const struct ear_step *step,
	size_t operand, unsigned i, size_t *size);

/* The same for a register of another instruction set by the name that the source uses, "r14". */
bool ear_state_named(
	const struct ear_state *state, uint16_t hart, struct ear_text name, uint64_t *value);

/* Where the hart goes next: next_pc of its last instruction, if that is known. */
bool ear_state_next_pc(const struct ear_state *state, uint16_t hart, uint64_t *pc);

/* ---- States as bytes, and parts of a trace. ----
 *
 * A state of a part is made from the records of a part alone: what it says about a register holds
 * whatever was before; registers about which it says nothing are as they were before the part.
 *
 *     ear_state_new_part(&part);  ear_state_set_source(part, &source);  push its records
 *     ear_state_merge(whole, part)   whole: the state before the part; then that after it
 *
 * is the same as pushing the records of the part into whole. An initial state (ear_state_load) may
 * be the whole for a part that begins with the trace.
 */
int ear_state_new_part(struct ear_state **state); /* as ear_state_new */

/* Returns 0; EAR_E_NO_MEMORY or EAR_E_FULL: state then is of no more use. */
int ear_state_merge(struct ear_state *state, const struct ear_state *part);

/* Returns 0 and a copy, to be freed; EAR_E_NO_MEMORY. */
int ear_state_clone(struct ear_state **clone, const struct ear_state *state);

/* A state, of a part too, as bytes: some 400 for a hart without vectors. Equal states give equal
 * bytes, and what did not change stays where it is. Returns their size if that is <= size, else
 * what is needed; then nothing useful was written. bytes may be NULL with size 0.
 */
size_t ear_state_save(const struct ear_state *state, uint8_t *bytes, size_t size);

/* From bytes that are not trusted. Returns 0 and the state, to be freed; EAR_E_BAD_FILE,
 * EAR_E_NO_MEMORY, EAR_E_FULL. */
int ear_state_restore(struct ear_state **state, const uint8_t *bytes, size_t size);

/* Read an initial-state file: what registers hold before the first record. One a line,
 *
 *     x 2 0x80010000        integer register 2 of every hart
 *     f 10 0x3ff0000000000000
 *     c 768 0x1800          CSR by its decimal number
 *     v 8 0x00000002000000010000000200000001    vector, highest byte first
 *     x 10 0x1 1            of hart 1 only
 *
 * "#" begins a comment; blank lines are skipped. Bad lines go to report (NULL: they are skipped
 * silently) with their number and cause.
 *
 * Returns 0; an error of ear_text_input_line; EAR_E_NO_MEMORY; EAR_E_FULL as ear_state_push; what
 * report returned.
 */
int ear_state_load(struct ear_state *state, struct ear_text_input *input, ear_line_report *report,
	void *context);

/* Predicates of a step. They say what the instruction is, also if it trapped; all are false for
 * an interrupt (the instruction did not execute) and for records that are no instruction. For
 * other instruction sets than RISC-V, load, store and taken are from the record, the others false.
 */

/* An instruction that executed to its end: no trap, no interrupt, not skipped. */
bool ear_step_is_executed(const struct ear_step *step);

bool ear_step_is_load(const struct ear_step *step);   /* reads memory, not AMO; lr is one */
bool ear_step_is_store(const struct ear_step *step);  /* writes memory, not AMO; sc is one */
bool ear_step_is_atomic(const struct ear_step *step); /* AMO, lr, sc */
bool ear_step_is_branch(const struct ear_step *step); /* conditional */
bool ear_step_is_jump(const struct ear_step *step);   /* unconditional: jal, jalr */
bool ear_step_is_call(const struct ear_step *step);   /* a jump that links in x1 or x5 */
bool ear_step_is_return(const struct ear_step *step); /* a jump to x1 that does not link */
bool ear_step_is_taken(const struct ear_step *step);  /* a branch or jump that went */
bool ear_step_is_csr(const struct ear_step *step);
bool ear_step_is_float(const struct ear_step *step); /* also FP loads and stores */
bool ear_step_is_mul(const struct ear_step *step);
bool ear_step_is_div(const struct ear_step *step);
bool ear_step_is_compressed(const struct ear_step *step);

/* These are about the record, whatever the instruction set. */
bool ear_step_is_trap(const struct ear_step *step);      /* an exception */
bool ear_step_is_interrupt(const struct ear_step *step); /* taken instead of the instruction */

/* The first read or write of memory, or NULL. */
const struct ear_record_access *ear_step_access(const struct ear_step *step, bool write);

/* Page walk number index (0, 1, ..) of the fetch or of the data accesses, or NULL. */
const struct ear_walk *ear_step_walk(const struct ear_step *step, bool data, size_t index);

#endif
