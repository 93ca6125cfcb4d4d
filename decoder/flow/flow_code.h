#ifndef EAR_FLOW_CODE_H
#define EAR_FLOW_CODE_H

#include <earshot/branch_trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The program text of a branch trace, decoded once: what each instruction does to the flow.
 *
 * A branch trace has no opcodes. Its decoder walks the program from one reported address to the
 * next, and asks here at every step. There is one entry for each half-word of the text, so a step
 * costs a subtraction and a load.
 *
 *     ear_flow_code_new(&code);
 *     ear_flow_code_add(code, address, bytes, size);    each executable segment
 *     ear_flow_code_finish(code, 32);
 *     instruction = ear_flow_code_at(code, &range, pc);
 *
 * After ear_flow_code_finish nothing changes, and any thread may ask.
 */

/* What an instruction does to the flow. */
enum ear_flow_kind {
	EAR_FLOW_OTHER,       /* the next instruction follows it */
	EAR_FLOW_UPPER,       /* the same: lui, c.lui, auipc */
	EAR_FLOW_BRANCH,      /* conditional, to pc + offset */
	EAR_FLOW_JUMP,        /* unconditional, to ear_flow_target() */
	EAR_FLOW_INDIRECT,    /* a jump to an address in a register or in memory */
	EAR_FLOW_TRAP_RETURN, /* mret, sret, uret, dret, mnret */
	EAR_FLOW_TRAPS,       /* never retires: ecall, ebreak, c.ebreak, the halfword 0 */
};

/* The link registers are x1 and x5 (volume I, table "Return-address stack prediction hints"). With
 * CALL and RETURN an instruction swaps co-routines: it pops, then pushes. The narrow reading, which
 * the pseudo code of E-Trace 2 has, takes x1 alone: a call writes x1, a return jumps to x1 and
 * writes x0. */
enum ear_flow_link {
	EAR_FLOW_CALL = 1 << 0,
	EAR_FLOW_RETURN = 1 << 1,
	EAR_FLOW_CALL_X1 = 1 << 2,
	EAR_FLOW_RETURN_X1 = 1 << 3,
	EAR_FLOW_ABSOLUTE = 1 << 4, /* offset is an address, not from pc: jalr of x0, lui */
};

struct ear_flow_instruction {
	uint32_t opcode;
	int32_t offset; /* BRANCH, JUMP: to the target; INDIRECT: immediate of jalr; UPPER: what is
			 * added to pc, or the value; else 0 */
	uint16_t straight; /* half-words from here on, of instructions that are OTHER or UPPER; at
			    * least this one's, if it is. More of them may follow, but seldom do */
	uint8_t size;      /* bytes, 2 or 4; 0: no instruction begins here */
	uint8_t bits_size; /* bytes of opcode; of what cannot be decoded, too */
	uint8_t kind;      /* enum ear_flow_kind */
	uint8_t link;      /* set of enum ear_flow_link */
	uint8_t rd, rs1;   /* x registers of INDIRECT; rd also of UPPER and JUMP; 0: none */
};

/* Consecutive code: an entry for each half-word. All zero is an empty one. */
struct ear_flow_range {
	uint64_t address, size; /* bytes; even */
	const struct ear_flow_instruction *instructions;
};

#define EAR_FLOW_CODE_MAX   (64u << 20) /* bytes of code; the table has eight times as many */
#define EAR_FLOW_RANGES_MAX 4096u

/* Returns 0 and *code, to be freed, or EAR_E_NO_MEMORY. */
int ear_flow_code_new(struct ear_flow_code **code);

/* Add executable bytes, which are copied. Where two ranges overlap, the last one added holds.
 *
 * Returns 0; EAR_E_BAD_ARGUMENT if the range runs beyond 2^64; EAR_E_FULL if there are more than
 * EAR_FLOW_CODE_MAX bytes or EAR_FLOW_RANGES_MAX ranges; EAR_E_NO_MEMORY.
 */
int ear_flow_code_add(
	struct ear_flow_code *code, uint64_t address, const uint8_t *bytes, uint64_t size);

/* Was nothing added? */
bool ear_flow_code_is_empty(const struct ear_flow_code *code);

/* All is added: decode it for harts of this XLEN, 32 or 64. Returns 0 or EAR_E_NO_MEMORY. */
int ear_flow_code_finish(struct ear_flow_code *code, unsigned xlen);

/* Bytes of code; where ranges overlap they may count twice. */
uint64_t ear_flow_code_size(const struct ear_flow_code *code);

/* XLEN; 0 before it is finished. */
unsigned ear_flow_code_xlen(const struct ear_flow_code *code);

/* What one opcode does to the flow, without straight. */
void ear_flow_instruction_decode(struct ear_flow_instruction *to, uint32_t opcode, unsigned xlen);

/* The range that has pc, into *range. Returns false if there is none; code may be NULL. */
bool ear_flow_code_find(
	const struct ear_flow_code *code, struct ear_flow_range *range, uint64_t pc);

/* The instruction at pc, or NULL: there is no code, or none that can be decoded. *range is the
 * caller's memory of the range asked for last; all zero at first.
 */
static inline const struct ear_flow_instruction *ear_flow_code_at(
	const struct ear_flow_code *code, struct ear_flow_range *range, uint64_t pc)
{
	if (pc - range->address >= range->size && !ear_flow_code_find(code, range, pc))
		return NULL;
	const struct ear_flow_instruction *found = &range->instructions[(pc - range->address) >> 1];
	return found->size == 0 || pc & 1 ? NULL : found;
}

/* The same for an instruction that trapped, which perhaps cannot be decoded: only opcode and
 * bits_size mean something. */
static inline const struct ear_flow_instruction *ear_flow_code_bits_at(
	const struct ear_flow_code *code, struct ear_flow_range *range, uint64_t pc)
{
	if (pc - range->address >= range->size && !ear_flow_code_find(code, range, pc))
		return NULL;
	const struct ear_flow_instruction *found = &range->instructions[(pc - range->address) >> 1];
	return found->bits_size == 0 || pc & 1 ? NULL : found;
}

/* Where a taken BRANCH or a JUMP at pc goes, and the value of UPPER; not yet cut to XLEN bits. */
static inline uint64_t ear_flow_target(const struct ear_flow_instruction *instruction, uint64_t pc)
{
	uint64_t base = instruction->link & EAR_FLOW_ABSOLUTE ? 0 : pc;

	return base + (uint64_t)(int64_t)instruction->offset;
}

/* A hash of the text and of where it is: of another program another one. */
uint64_t ear_flow_code_hash(const struct ear_flow_code *code);

#endif
