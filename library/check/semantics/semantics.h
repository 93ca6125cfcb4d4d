#ifndef EAR_SEMANTICS_H
#define EAR_SEMANTICS_H

#include <stdbool.h>
#include <stdint.h>

/* What RISC-V instructions do: from an opcode and its operands to a result. The RISC-V Instruction
 * Set Manual, volume I, chapters RV32I, RV64I, M, A, F, D, C, Zicsr, Zicond, Zcb and B (Zba, Zbb,
 * Zbc, Zbs).
 *
 * Nothing here has state. It judges the predictor (decoder/predict/) and what the predictor made,
 * so it shares no code with it, nor with decoder/isa, against which its decoder is tested.
 */

/* Extensions: of those that are not named, every opcode is illegal. */
#define EAR_SEMANTICS_M      (1u << 0)
#define EAR_SEMANTICS_A      (1u << 1)
#define EAR_SEMANTICS_F      (1u << 2)
#define EAR_SEMANTICS_D      (1u << 3) /* needs F */
#define EAR_SEMANTICS_C      (1u << 4)
#define EAR_SEMANTICS_U      (1u << 5) /* user mode */
#define EAR_SEMANTICS_ZBA    (1u << 6)
#define EAR_SEMANTICS_ZBB    (1u << 7)
#define EAR_SEMANTICS_ZBS    (1u << 8)
#define EAR_SEMANTICS_ZBC    (1u << 9)
#define EAR_SEMANTICS_ZICOND (1u << 10)
#define EAR_SEMANTICS_ZCB    (1u << 11)
#define EAR_SEMANTICS_ALL    0xfffu

/* What an instruction does. An operation with an immediate is the one with a register: the decoder
 * leaves rs2 at 0 and the immediate adds to x0. */
enum ear_semantics_kind {
	EAR_SEM_ILLEGAL,
	EAR_SEM_JAL,
	EAR_SEM_JALR,
	EAR_SEM_AUIPC,
	EAR_SEM_BEQ,
	EAR_SEM_BNE,
	EAR_SEM_BLT,
	EAR_SEM_BGE,
	EAR_SEM_BLTU,
	EAR_SEM_BGEU,
	EAR_SEM_LB,
	EAR_SEM_LH,
	EAR_SEM_LW,
	EAR_SEM_LD,
	EAR_SEM_LBU,
	EAR_SEM_LHU,
	EAR_SEM_LWU,
	EAR_SEM_SB,
	EAR_SEM_SH,
	EAR_SEM_SW,
	EAR_SEM_SD,
	EAR_SEM_FENCE,
	EAR_SEM_ECALL,
	EAR_SEM_EBREAK,
	EAR_SEM_MRET,
	EAR_SEM_WFI,
	EAR_SEM_CSR,
	EAR_SEM_LR,
	EAR_SEM_SC,
	EAR_SEM_AMO,
	EAR_SEM_FLOAD,
	EAR_SEM_FSTORE,
	EAR_SEM_FLOAT, /* all that compute with F registers */

	/* Operations on x registers from here to the end. */
	EAR_SEM_ADD,
	EAR_SEM_SUB,
	EAR_SEM_SLL,
	EAR_SEM_SLT,
	EAR_SEM_SLTU,
	EAR_SEM_XOR,
	EAR_SEM_SRL,
	EAR_SEM_SRA,
	EAR_SEM_OR,
	EAR_SEM_AND,
	EAR_SEM_ADDW,
	EAR_SEM_SUBW,
	EAR_SEM_SLLW,
	EAR_SEM_SRLW,
	EAR_SEM_SRAW,
	EAR_SEM_MUL,
	EAR_SEM_MULH,
	EAR_SEM_MULHSU,
	EAR_SEM_MULHU,
	EAR_SEM_DIV,
	EAR_SEM_DIVU,
	EAR_SEM_REM,
	EAR_SEM_REMU,
	EAR_SEM_MULW,
	EAR_SEM_DIVW,
	EAR_SEM_DIVUW,
	EAR_SEM_REMW,
	EAR_SEM_REMUW,
	EAR_SEM_SH1ADD,
	EAR_SEM_SH2ADD,
	EAR_SEM_SH3ADD,
	EAR_SEM_ADD_UW,
	EAR_SEM_SH1ADD_UW,
	EAR_SEM_SH2ADD_UW,
	EAR_SEM_SH3ADD_UW,
	EAR_SEM_SLLI_UW,
	EAR_SEM_ANDN,
	EAR_SEM_ORN,
	EAR_SEM_XNOR,
	EAR_SEM_CLZ,
	EAR_SEM_CTZ,
	EAR_SEM_CPOP,
	EAR_SEM_CLZW,
	EAR_SEM_CTZW,
	EAR_SEM_CPOPW,
	EAR_SEM_MAX,
	EAR_SEM_MAXU,
	EAR_SEM_MIN,
	EAR_SEM_MINU,
	EAR_SEM_SEXT_B,
	EAR_SEM_SEXT_H,
	EAR_SEM_ZEXT_H,
	EAR_SEM_ROL,
	EAR_SEM_ROR,
	EAR_SEM_ROLW,
	EAR_SEM_RORW,
	EAR_SEM_ORC_B,
	EAR_SEM_REV8,
	EAR_SEM_BCLR,
	EAR_SEM_BEXT,
	EAR_SEM_BINV,
	EAR_SEM_BSET,
	EAR_SEM_CLMUL,
	EAR_SEM_CLMULH,
	EAR_SEM_CLMULR,
	EAR_SEM_CZERO_EQZ,
	EAR_SEM_CZERO_NEZ,
};

/* A decoded opcode. */
struct ear_semantics {
	uint32_t insn; /* as fetched: upper half 0 for a compressed one */
	uint32_t wide; /* its 32-bit form */
	int32_t imm;
	uint8_t kind;         /* enum ear_semantics_kind */
	uint8_t rd, rs1, rs2; /* x registers; 0 when not used */
	uint8_t size;         /* bytes of the instruction */
};

/* What the opcode means; op->kind is EAR_SEM_ILLEGAL if nothing. xlen: 32 or 64. */
void ear_semantics_decode(
	struct ear_semantics *op, uint32_t insn, unsigned xlen, uint32_t extensions);

/* The 32-bit form of a compressed instruction, 0 if it is illegal. */
uint32_t ear_semantics_expand(uint32_t half, unsigned xlen, uint32_t extensions);

/* What an atomic operation stores. function: bits 31:27 of the opcode. size: 4 or 8; with 4 both
 * values are sign-extended, and so is the result. */
uint64_t ear_semantics_amo(unsigned function, unsigned size, uint64_t old, uint64_t operand);

/* The result of a kind from EAR_SEM_ADD on, for RV32 (upper halves are 0) and RV64. b: the second
 * operand, or the immediate. */
uint64_t ear_semantics_compute_32(enum ear_semantics_kind kind, uint64_t a, uint64_t b);
uint64_t ear_semantics_compute_64(enum ear_semantics_kind kind, uint64_t a, uint64_t b);

/* count bits of a word from `at` on. */
static inline uint32_t ear_semantics_bits(uint32_t word, unsigned at, unsigned count)
{
	return word >> at & ((1u << count) - 1);
}

#endif
