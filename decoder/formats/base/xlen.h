#ifndef EAR_XLEN_H
#define EAR_XLEN_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* XLEN of a text by what its beginning shows, where the digits of its pcs do not: tracers print pcs
 * with 16 digits also for RV32, some of them with their sign extended (ffffffff80000000), and
 * registers with those of XLEN.
 */
struct ear_xlen_evidence {
	unsigned narrow, wide;     /* registers with 8 digits, and with 16 */
	unsigned extended;         /* pcs of 16 digits that are the sign extension of 32 bits */
	unsigned high;             /* pcs of 2 to 4 GiB: their sign is not extended */
	unsigned plain;            /* pcs of 16 digits that are not */
	unsigned only_32, only_64; /* opcodes of instructions of one XLEN only */
};

/* 32 or 64: the opcode is an instruction of that XLEN only; 0: of both, or of none. */
unsigned ear_xlen_of_opcode(uint64_t opcode);

/* A register with all the digits that it has. */
void ear_xlen_see_register(struct ear_xlen_evidence *evidence, size_t digits);

void ear_xlen_see_pc(struct ear_xlen_evidence *evidence, size_t digits, uint64_t pc);
void ear_xlen_see_opcode(struct ear_xlen_evidence *evidence, uint64_t opcode);

/* Records of a text whose pcs and registers all have 16 digits, one after the other: what an
 * instruction does only in one XLEN. Returns 32 or 64, or 0 if it does the same in both. */
unsigned ear_xlen_of_record(const struct ear_record *record, uint64_t next_pc);

/* 32, if pcs of 16 digits are of RV32; else 0: the digits of the pcs decide. guessed: only their
 * extended sign says so. */
unsigned ear_xlen_of_wide_pcs(const struct ear_xlen_evidence *evidence, bool *guessed);

#endif
