#ifndef EAR_STATE_H
#define EAR_STATE_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/isa/inst.h"
#include "formats/base/reader.h"

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
 * has the values read (extra->reads). A gap makes every register of its hart unknown, since
 * the missing instructions may have written it. CSRs that change by themselves (counters, time,
 * mip) are known only where an instruction reads them into a register. After a trap whose CSR
 * writes the source does not list, the CSRs of traps are unknown.
 *
 * Each hart has its own registers. Memory is flat: about 40 KB for each hart seen, plus its
 * vector registers. One state serves one thread.
 */
struct ear_state;

#define EAR_STATE_HARTS_MAX   1024 /* harts seen in one trace */
#define EAR_STATE_VECTOR_MAX  8192 /* bytes of a vector register (VLEN 65536) */
#define EAR_STEP_OPERANDS_MAX 16   /* cm.popretz: sp, a0, ra, s0 to s11 and the immediate */
#define EAR_STATE_NAMES_MAX   256  /* registers of other instruction sets, by hart */

/* An operand, in the order of struct ear_inst, with its value before the instruction. Pairs and
 * lists of x registers are one operand for each register.
 */
struct ear_step_operand {
	uint8_t kind;    /* enum ear_operand_kind */
	uint8_t access;  /* set of EAR_OPERAND_*, 0 for an immediate */
	bool known;      /* value is meaningful; always for immediates and x0 */
	uint8_t count;   /* 1; vectors: registers from number on by vtype, 1 if that is not known */
	uint16_t number; /* of the register; not for immediates */
	uint64_t value;  /* immediates: as the instruction uses it, sign-extended to 64 bits;
			  * vectors:  0, see ear_step_vector() */
};

/* A register that the record writes, in the record's order. */
struct ear_step_change {
	const struct ear_record_register *written; /* class, number and new value */
	bool previous_known;
	uint64_t previous; /* not for vector registers */
	/* Vector registers: what it held, as many bytes, lowest first; NULL if not known. */
	const uint8_t *previous_bytes;
	size_t previous_size;
};

/* A record with what follows from earlier ones. Valid until the next record is pushed. */
struct ear_step {
	const struct ear_record *record;
	/* The instruction decoded, EAR_KIND_ILLEGAL if it is not RISC-V or its opcode is missing.
	 */
	struct ear_inst inst;
	size_t operand_count; /* 0 if there is no instruction: other kinds, interrupts */
	struct ear_step_operand operands[EAR_STEP_OPERANDS_MAX];
	size_t change_count;
	const struct ear_step_change *changes;
};

/* Returns 0 and a state in which nothing is known, to be freed; EAR_E_NO_MEMORY. */
int ear_state_new(struct ear_state **state);
void ear_state_free(struct ear_state *state);

/* The next record, of any kind and any hart. *step shows the state before it; after the call the
 * state is that after it. *record must stay valid as long as *step is used.
 *
 * Returns 0; EAR_E_NO_MEMORY; EAR_E_FULL if there are more than EAR_STATE_HARTS_MAX harts. On an
 * error neither *step nor the state has changed.
 */
int ear_state_push(struct ear_state *state, struct ear_step *step, const struct ear_record *record);

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
