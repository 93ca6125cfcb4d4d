#ifndef EAR_ANALYSES_ISA_COVERAGE_H
#define EAR_ANALYSES_ISA_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/instruction.h>
#include <earshot/trace.h>

/* What of the instruction set ran, and how, in traces of RISC-V: docs/analyses.md, section 6.
 *
 * Counts are by opcode word. What a word says itself (its registers, aliases, directions) is asked
 * of the word afterwards; what it does not say is in bins. A trace begins with nothing known of
 * registers and of the instructions before it, and so does what follows a gap.
 */
enum ear_isa_bin {
	EAR_ISA_TAKEN, /* of a conditional branch */
	EAR_ISA_NOT_TAKEN,
	EAR_ISA_ALIGNED, /* of an access of 2 bytes or more, to its size */
	EAR_ISA_MISALIGNED,
	EAR_ISA_TRAPPED,
	EAR_ISA_RAW,                        /* reads what the instruction before it wrote, */
	EAR_ISA_RAW_LAST = EAR_ISA_RAW + 2, /* or the one two or three before it */
	EAR_ISA_LOAD_USE,                   /* the same of a load */
	EAR_ISA_LOAD_USE_LAST = EAR_ISA_LOAD_USE + 2,
	EAR_ISA_WAW, /* writes what that one wrote */
	EAR_ISA_WAW_LAST = EAR_ISA_WAW + 2,
	EAR_ISA_VALUES, /* of rd, rs1 and rs2: enum ear_isa_value each */
	EAR_ISA_BINS = EAR_ISA_VALUES + 3 * 7,
};

enum ear_isa_value {
	EAR_ISA_ZERO,
	EAR_ISA_ONE,
	EAR_ISA_MINUS_ONE,
	EAR_ISA_MIN, /* signed */
	EAR_ISA_MAX,
	EAR_ISA_POSITIVE, /* others */
	EAR_ISA_NEGATIVE,
	EAR_ISA_VALUE_COUNT
};

_Static_assert(EAR_ISA_VALUE_COUNT == 7, "all values have bins");

#define EAR_ISA_NO_REGISTER 255

/* Registers of an instruction: x0 .. x31 are 0 .. 31, f0 .. f31 are 32 .. 63. */
struct ear_isa_operands {
	uint8_t rd, rs1, rs2; /* EAR_ISA_NO_REGISTER: it has none */
};

struct ear_isa_opcode {
	uint32_t opcode;
	uint8_t xlen;
	struct ear_instruction instruction;
	struct ear_isa_operands operands;
	uint64_t executed; /* retired; and ecall and ebreak, which trap */
	uint64_t bins[EAR_ISA_BINS];
};

#define EAR_ISA_OPCODES_MAX (1u << 17) /* different words; there is room for no more */
#define EAR_ISA_PRIVILEGES  8
#define EAR_ISA_CAUSES      64

struct ear_isa_sums {
	uint64_t records;  /* instruction records of RISC-V with an opcode */
	uint64_t without;  /* and those without */
	uint64_t left_out; /* for which there was no room */
	uint64_t gaps;
	bool has_values, has_accesses, has_privilege, has_directions; /* some record shows it */
	uint64_t exceptions[EAR_ISA_CAUSES], interrupts[EAR_ISA_CAUSES];
	uint64_t privileges[EAR_ISA_PRIVILEGES]; /* records */
	uint64_t transitions[EAR_ISA_PRIVILEGES][EAR_ISA_PRIVILEGES];
	uint64_t csr_reads[4096], csr_writes[4096];
};

struct ear_isa_coverage;

/* instructions decodes, and must stay. Returns 0 and *coverage, or EAR_E_NO_MEMORY. */
int ear_isa_coverage_new(
	struct ear_isa_coverage **coverage, const struct ear_instructions *instructions);
void ear_isa_coverage_free(struct ear_isa_coverage *coverage); /* NULL is fine */

/* Returns 0 or EAR_E_NO_MEMORY. */
int ear_isa_coverage_batch(struct ear_isa_coverage *coverage, const struct ear_batch *batch);

/* What comes is another trace. */
void ear_isa_coverage_pause(struct ear_isa_coverage *coverage);

size_t ear_isa_coverage_count(const struct ear_isa_coverage *coverage);
const struct ear_isa_opcode *ear_isa_coverage_opcode(
	const struct ear_isa_coverage *coverage, size_t number);
const struct ear_isa_sums *ear_isa_coverage_sums(const struct ear_isa_coverage *coverage);

struct ear_isa_operands ear_isa_operands_of(const struct ear_instruction *instruction);

#endif
