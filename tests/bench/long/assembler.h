#ifndef BENCH_ASSEMBLER_H
#define BENCH_ASSEMBLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A small assembler for RV32IMC and RV64IMC: functions that append one instruction each, and labels
 * that may be used before they are placed. It takes the compressed form of an instruction where
 * compilers do so most often. What does not fit its limits is a mistake of the program that is
 * written, so it ends in an assertion.
 */

#define AS_CODE_MAX    8192
#define AS_LABELS_MAX  256
#define AS_FIXUPS_MAX  512
#define AS_SYMBOLS_MAX 64

enum as_register {
	ZERO,
	RA,
	SP,
	GP,
	TP,
	T0,
	T1,
	T2,
	S0,
	S1,
	A0,
	A1,
	A2,
	A3,
	A4,
	A5,
	A6,
	A7,
	S2,
	S3,
	S4,
	S5,
	S6,
	S7,
	S8,
	S9,
	S10,
	S11,
	T3,
	T4,
	T5,
	T6,
};

enum as_condition { AS_EQ = 0, AS_NE = 1, AS_LT = 4, AS_GE = 5, AS_LTU = 6, AS_GEU = 7 };

/* Operations on two registers: funct7 in bits 8 to 14, funct3 in 0 to 2. */
enum as_operation {
	AS_ADD = 0x0000,
	AS_SUB = 0x2000,
	AS_SLL = 0x0001,
	AS_SLTU = 0x0003,
	AS_XOR = 0x0004,
	AS_SRL = 0x0005,
	AS_OR = 0x0006,
	AS_AND = 0x0007,
	AS_MUL = 0x0100,
};

struct as_symbol {
	char name[24];
	uint64_t address, size;
	bool function;
};

struct as_fixup {
	size_t at;
	unsigned label;
};

struct assembler {
	unsigned xlen;
	uint64_t base; /* address of code[0] */
	uint8_t code[AS_CODE_MAX];
	size_t size;
	unsigned label_count, fixup_count, symbol_count;
	size_t labels[AS_LABELS_MAX]; /* offset in code */
	struct as_fixup fixups[AS_FIXUPS_MAX];
	struct as_symbol symbols[AS_SYMBOLS_MAX];
};

void as_init(struct assembler *as, unsigned xlen, uint64_t base);

/* A new label, to be placed with as_here. */
unsigned as_label(struct assembler *as);
void as_here(struct assembler *as, unsigned label);

/* Place the label, and begin a function with this name; it ends where the next one begins. */
void as_function(struct assembler *as, unsigned label, const char *name);

/* Name a piece of data. */
void as_object(struct assembler *as, const char *name, uint64_t address, uint64_t size);

/* All labels are placed: fill in the jumps. */
void as_finish(struct assembler *as);

/* The address of a label that is placed. */
uint64_t as_address_of(const struct assembler *as, unsigned label);

/* Instructions. load and store move XLEN bits; the others as many bytes as they say. */
void as_op(struct assembler *as, enum as_operation op, unsigned rd, unsigned rs1, unsigned rs2);
void as_addi(struct assembler *as, unsigned rd, unsigned rs1, int immediate);
void as_andi(struct assembler *as, unsigned rd, unsigned rs1, int immediate);
void as_slli(struct assembler *as, unsigned rd, unsigned rs1, unsigned shift);
void as_srli(struct assembler *as, unsigned rd, unsigned rs1, unsigned shift);
void as_mv(struct assembler *as, unsigned rd, unsigned rs2);
void as_lui(struct assembler *as, unsigned rd, uint32_t upper);
void as_li(struct assembler *as, unsigned rd, int32_t value);
void as_la(struct assembler *as, unsigned rd, uint64_t address);
void as_load(struct assembler *as, unsigned rd, int offset, unsigned rs1);
void as_store(struct assembler *as, unsigned rs2, int offset, unsigned rs1);
void as_lw(struct assembler *as, unsigned rd, int offset, unsigned rs1);
void as_sw(struct assembler *as, unsigned rs2, int offset, unsigned rs1);
void as_lbu(struct assembler *as, unsigned rd, int offset, unsigned rs1);
void as_branch(struct assembler *as, enum as_condition condition, unsigned rs1, unsigned rs2,
	unsigned label);
void as_jump(struct assembler *as, unsigned label);
void as_call(struct assembler *as, unsigned label);
void as_jump_register(struct assembler *as, unsigned rs1);
void as_call_register(struct assembler *as, unsigned rs1);
void as_return(struct assembler *as);
void as_csr_read(struct assembler *as, unsigned rd, unsigned csr);
void as_csr_write(struct assembler *as, unsigned csr, unsigned rs1);
void as_csr_set(struct assembler *as, unsigned csr, unsigned bits);
void as_ecall(struct assembler *as);
void as_mret(struct assembler *as);

#endif
