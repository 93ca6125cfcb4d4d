#ifndef EAR_OPERATION_H
#define EAR_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

/* An opcode as the predictor sees it. docs/predict.md, section 4.
 *
 * This is not the instruction table of decoder/isa/: it holds what the capture unit can compute,
 * and must agree with hdl/rtl/predict/ear_predict_decode.v on every opcode. hdl/generate.py takes
 * the kinds and flags from here.
 */

enum ear_operation_kind {
	EAR_DO_UNKNOWN, /* only the next pc is predicted */
	EAR_DO_NOTHING, /* fence, fence.i, wfi */

	/* rd = f(a, b); b is the immediate with EAR_OPERATION_IMMEDIATE. */
	EAR_DO_IMMEDIATE, /* lui: the immediate itself */
	EAR_DO_AUIPC,
	EAR_DO_ADD,
	EAR_DO_SUB,
	EAR_DO_SLL,
	EAR_DO_SLT,
	EAR_DO_SLTU,
	EAR_DO_XOR,
	EAR_DO_SRL,
	EAR_DO_SRA,
	EAR_DO_OR,
	EAR_DO_AND,
	EAR_DO_ADDW,
	EAR_DO_SUBW,
	EAR_DO_SLLW,
	EAR_DO_SRLW,
	EAR_DO_SRAW,
	EAR_DO_ANDN,
	EAR_DO_ORN,
	EAR_DO_XNOR,
	EAR_DO_MIN,
	EAR_DO_MINU,
	EAR_DO_MAX,
	EAR_DO_MAXU,
	EAR_DO_ROL,
	EAR_DO_ROR,
	EAR_DO_ROLW,
	EAR_DO_RORW,
	EAR_DO_CLZ,
	EAR_DO_CTZ,
	EAR_DO_CPOP,
	EAR_DO_CLZW,
	EAR_DO_CTZW,
	EAR_DO_CPOPW,
	EAR_DO_SEXTB,
	EAR_DO_SEXTH,
	EAR_DO_ZEXTH,
	EAR_DO_ORCB,
	EAR_DO_REV8,
	EAR_DO_SH1ADD,
	EAR_DO_SH2ADD,
	EAR_DO_SH3ADD,
	EAR_DO_ADDUW,
	EAR_DO_SH1ADDUW,
	EAR_DO_SH2ADDUW,
	EAR_DO_SH3ADDUW,
	EAR_DO_SLLUW,
	EAR_DO_BCLR,
	EAR_DO_BEXT,
	EAR_DO_BINV,
	EAR_DO_BSET,
	EAR_DO_MUL,
	EAR_DO_MULH,
	EAR_DO_MULHSU,
	EAR_DO_MULHU,
	EAR_DO_MULW,
	EAR_DO_DIV,
	EAR_DO_DIVU,
	EAR_DO_REM,
	EAR_DO_REMU,
	EAR_DO_DIVW,
	EAR_DO_DIVUW,
	EAR_DO_REMW,
	EAR_DO_REMUW,

	EAR_DO_JAL,
	EAR_DO_JALR,
	EAR_DO_BEQ,
	EAR_DO_BNE,
	EAR_DO_BLT,
	EAR_DO_BGE,
	EAR_DO_BLTU,
	EAR_DO_BGEU,

	EAR_DO_LOAD,
	EAR_DO_STORE,
	EAR_DO_FLOAD,  /* into an f register */
	EAR_DO_FSTORE, /* from an f register */
	EAR_DO_LR,
	EAR_DO_SC,
	EAR_DO_AMOSWAP,
	EAR_DO_AMOADD,
	EAR_DO_AMOXOR,
	EAR_DO_AMOAND,
	EAR_DO_AMOOR,
	EAR_DO_AMOMIN,
	EAR_DO_AMOMAX,
	EAR_DO_AMOMINU,
	EAR_DO_AMOMAXU,

	EAR_DO_CSR,
	EAR_DO_ECALL,
	EAR_DO_EBREAK,
	EAR_DO_MRET,
	EAR_DO_SRET,

	EAR_DO_FCOMPUTE, /* writes an f register with a value that is not predicted */
	EAR_DO_FCOPY,    /* fsgnj f, g, g */
	EAR_DO_FTOX,     /* writes an x register with a value that is not predicted */
	EAR_DO_FMVTOX,   /* fmv.x.w, fmv.x.d */
	EAR_DO_FMVTOF,   /* fmv.w.x, fmv.d.x */
	EAR_DO_COUNT
};

enum {
	EAR_OPERATION_IMMEDIATE = 1 << 0, /* b is imm, not rs2 */
	EAR_OPERATION_UNSIGNED = 1 << 1,  /* a load that zero-extends */
	EAR_OPERATION_MEMORY = 1 << 2,    /* has an address: EAR_DO_LOAD .. EAR_DO_AMOMAXU */
	EAR_OPERATION_READS = 1 << 3,     /* reads memory */
	EAR_OPERATION_WRITES = 1 << 4,    /* writes memory */
	EAR_OPERATION_FLAGS = 1 << 5,     /* may raise floating-point flags */
	EAR_OPERATION_FAST =
		1 << 6, /* x registers, loads, stores, branches: may take the fast path */
	EAR_OPERATION_JUMP = 1 << 7, /* jal, jalr: always taken */
};

/* A decoded opcode. Registers that are not used are 0. */
struct ear_operation {
	uint32_t insn;
	int32_t imm;
	uint8_t kind; /* enum ear_operation_kind */
	uint8_t rd, rs1, rs2;
	uint8_t frd, frs; /* f register written; f register that is stored, copied or moved */
	uint8_t size;     /* bytes of the opcode, 2 or 4 */
	uint8_t access;   /* bytes of the memory access or of the moved value, else 0 */
	uint8_t flags;    /* EAR_OPERATION_* */
	uint8_t function; /* CSR: funct3 */
	uint16_t csr;     /* CSR: number */
};

/* Decode one opcode for XLEN 32 or 64 and FLEN 0, 32 or 64. Of a compressed one the upper half of
 * insn is ignored. *operation is always filled in.
 */
void ear_operation_decode(
	struct ear_operation *operation, uint32_t insn, unsigned xlen, unsigned flen);

/* For a geometry with base: make *operation unknown, unless it is of RV32I, RV64I or their C. */
void ear_operation_keep_base(struct ear_operation *operation);

#endif
