#ifndef EAR_INSTRUCTION_H
#define EAR_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/error.h>
#include <earshot/record.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Instructions: what an opcode is, what it reads and writes, and its text. RISC-V in full; ARM,
 * Thumb, AArch64 and MIPS have a text.
 *
 *     struct ear_instructions *instructions;
 *     struct ear_instruction instruction = {.size = sizeof(instruction)};
 *
 *     ear_instructions_new(&instructions, "rv32imac_zicsr", NULL);
 *     ear_instruction_of(instructions, &instruction, record);
 *     puts(instruction.mnemonic);                                   "addi"
 *     ear_instruction_text(instructions, record, text, sizeof(text));
 *     ear_instructions_free(instructions);
 *
 * An object is for one thread at a time.
 */
struct ear_instructions;

/* set: which RISC-V instructions are legal, an ISA string ("rv64gc_zba") or a profile ("rva23u64");
 * NULL: all that are known. error, of EAR_INSTRUCTIONS_ERROR_MAX bytes, gets a sentence about what
 * is wrong with it; may be NULL.
 *
 * Returns 0 and the object; EAR_E_BAD_ARGUMENT (set), EAR_E_NO_MEMORY.
 */
#define EAR_INSTRUCTIONS_ERROR_MAX 160
int ear_instructions_new(struct ear_instructions **instructions, const char *set, char *error);
void ear_instructions_free(struct ear_instructions *instructions); /* NULL is fine */

/* What an instruction does. Exactly one holds. */
enum ear_instruction_class {
	EAR_CLASS_ILLEGAL, /* no instruction of this set and XLEN; or not of RISC-V, or no opcode */
	EAR_CLASS_ALU,     /* integer result from registers and immediates, hints included */
	EAR_CLASS_MUL,
	EAR_CLASS_DIV,
	EAR_CLASS_LOAD,   /* into an x or f register; not lr */
	EAR_CLASS_STORE,  /* of an x or f register; not sc */
	EAR_CLASS_AMO,    /* reads and writes memory in one step */
	EAR_CLASS_LR,     /* load reserved */
	EAR_CLASS_SC,     /* store conditional */
	EAR_CLASS_BRANCH, /* conditional */
	EAR_CLASS_JUMP,   /* unconditional */
	EAR_CLASS_CSR,
	EAR_CLASS_FP,     /* floating point, neither load nor store */
	EAR_CLASS_FENCE,  /* orders or invalidates */
	EAR_CLASS_CACHE,  /* acts on a cache block */
	EAR_CLASS_SYSTEM, /* ecall, ebreak, returns from traps, waits */
	EAR_CLASS_VLOAD,
	EAR_CLASS_VSTORE,
	EAR_CLASS_VECTOR, /* all else of the vector extensions */
};

/* "load"; NULL for a number that is no class. Static. */
const char *ear_instruction_class_name(unsigned instruction_class);

enum ear_instruction_flag {
	EAR_INSTRUCTION_CALL = 1 << 0,     /* a jump that links in x1 or x5 */
	EAR_INSTRUCTION_RETURN = 1 << 1,   /* a jump to x1 that does not link */
	EAR_INSTRUCTION_INDIRECT = 1 << 2, /* a jump to an address in a register or in memory */
	EAR_INSTRUCTION_FLOAT = 1 << 3,    /* uses f registers */
	EAR_INSTRUCTION_ACQUIRE = 1 << 4,
	EAR_INSTRUCTION_RELEASE = 1 << 5,
	EAR_INSTRUCTION_MASKED = 1 << 6, /* a vector instruction with the mask v0 */
};

enum { EAR_OPERAND_IS_READ = 1 << 0, EAR_OPERAND_IS_WRITTEN = 1 << 1 };

/* An operand: count registers from number on, or an immediate. */
struct ear_instruction_operand {
	bool is_immediate;
	uint8_t reg_class; /* enum ear_register_class, not NAMED */
	uint8_t access;    /* set of EAR_OPERAND_IS_*; 0 of an immediate */
	uint8_t count;     /* registers, 1 or more; 0 of an immediate. Groups of vector registers:
			    * 1, as vtype is not asked */
	uint16_t number;
	int64_t immediate;
};

#define EAR_INSTRUCTION_OPERANDS_MAX 8

struct ear_instruction {
	size_t size;               /* sizeof(struct ear_instruction), filled in by the caller */
	const char *mnemonic;      /* of the standard, "amoadd.w"; "illegal". Static */
	uint8_t instruction_class; /* enum ear_instruction_class */
	uint8_t opcode_size;       /* bytes, 2 or 4 */
	uint8_t access_size;       /* bytes of memory read or written; 0: none or unknown */
	uint8_t operand_count;
	uint32_t flags; /* set of enum ear_instruction_flag */
	/* The destination first, then the sources, then the immediate; of a store the register
	 * stored first. Memory is at the last x register read plus the immediate; of
	 * amo* and sc* at the first that is read only. */
	struct ear_instruction_operand operands[EAR_INSTRUCTION_OPERANDS_MAX];
};

/* Decode an opcode of RISC-V for harts of this XLEN, 32 or 64. Returns 0, or EAR_E_BAD_ARGUMENT
 * (xlen, or size of *instruction is 0). An opcode that is no instruction is EAR_CLASS_ILLEGAL. */
int ear_instruction_decode(const struct ear_instructions *instructions,
	struct ear_instruction *instruction, uint32_t opcode, unsigned xlen);

/* The same of a record; EAR_CLASS_ILLEGAL if it has no opcode of RISC-V. */
int ear_instruction_of(const struct ear_instructions *instructions,
	struct ear_instruction *instruction, const struct ear_record *record);

/* The text of the instruction of a record: the trace's, or else by its opcode, of any
 * instruction set. As snprintf: at most size bytes with a NUL; returns the length of the whole. A
 * record that is no instruction has "". */
int ear_instruction_text(struct ear_instructions *instructions, const struct ear_record *record,
	char *text, size_t size);

/* The name of a register as programs have it: "sp", "ft0", "mstatus", "v8". CSRs without a name are
 * "c1984". number may be any. As snprintf. */
int ear_register_name(enum ear_register_class reg_class, unsigned number, char *text, size_t size);

/* The register with a name: "x2", "sp", "f10", "fa0", "mstatus", "c768", "v8".
 * Returns 0, or EAR_E_BAD_ARGUMENT. */
int ear_register_find(const char *name, enum ear_register_class *reg_class, unsigned *number);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
