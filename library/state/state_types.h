#ifndef EAR_STATE_TYPES_H
#define EAR_STATE_TYPES_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/isa/inst.h"

/* Types of state.h, which says what they are for. */
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

/* What is special about the source of the records. Without this call, the records are taken to be
 * complete but for gap records. With it, registers of a hart become unknown also where its index
 * jumps (a filter suppressed records), where it continues elsewhere than the record before went,
 * after a time in debug mode, and where XLEN changes.
 */
struct ear_state_source {
	bool captured;     /* from the retire port: indexes are exact, the program counter shows
			    * only interrupts and traps that have no record */
	bool shows_fflags; /* a record shows which flags were raised; else they are open after
			    * arithmetic whose record lists no fflags */
};

#endif
