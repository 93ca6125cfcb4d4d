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
 * A trace says what each instruction *wrote*. What a register holds follows from earlier records.
 * This library follows them: give it the records in their order, from any source, and ask between
 * two records what any register of any hart holds.
 *
 *     struct ear_state *state;
 *
 *     ear_state_new(&state);
 *     while (ear_source_next(source, &record) == 1) {
 *             if (ear_state_register(state, record->hart, EAR_REGISTER_X, 2, &sp))
 *                     ... sp before the record ...
 *             ear_state_follow(state, record);
 *     }
 *     ear_state_free(state);
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

/* The next record, of any kind and any hart. Afterwards the state is that after it. Most records
 * take some ns.
 *
 * Returns 0; EAR_E_NO_MEMORY; EAR_E_FULL if there are more than EAR_STATE_HARTS_MAX harts. On an
 * error the state has not changed.
 */
int ear_state_follow(struct ear_state *state, const struct ear_record *record);

/* The same by all the rules, for every record: ear_state_follow passes those that do not matter. */
int ear_state_push(struct ear_state *state, const struct ear_record *record);

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

#endif
