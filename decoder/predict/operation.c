/* Decodes opcodes for the predictor.
 *
 * A flat switch on the major opcode, then on the function fields, each row as in the opcode map of
 * volume I: the unit has the same in hdl/rtl/predict/ear_predict_decode.v, and one table per opcode
 * could not be compared with it line by line.
 */
#include "decoder/predict/operation.h"

#include <string.h>

#include "decoder/isa/opcode.h"

static uint32_t field(uint32_t insn, unsigned high, unsigned low)
{
	return insn >> low & ((2u << (high - low)) - 1);
}

/* Sign-extend the low bits of value. */
static int32_t extend(uint32_t value, unsigned bits)
{
	return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

static int32_t imm_i(uint32_t insn)
{
	return (int32_t)insn >> 20;
}

static int32_t imm_s(uint32_t insn)
{
	return extend(field(insn, 31, 25) << 5 | field(insn, 11, 7), 12);
}

static int32_t imm_b(uint32_t insn)
{
	return extend(field(insn, 31, 31) << 12 | field(insn, 7, 7) << 11 |
			      field(insn, 30, 25) << 5 | field(insn, 11, 8) << 1,
		13);
}

static int32_t imm_j(uint32_t insn)
{
	return extend(field(insn, 31, 31) << 20 | field(insn, 19, 12) << 12 |
			      field(insn, 20, 20) << 11 | field(insn, 30, 21) << 1,
		21);
}

/* rd = kind(rs1, rs2). */
static void set_register(
	struct ear_operation *op, unsigned kind, unsigned rd, unsigned rs1, unsigned rs2)
{
	op->kind = (uint8_t)kind;
	op->rd = (uint8_t)rd;
	op->rs1 = (uint8_t)rs1;
	op->rs2 = (uint8_t)rs2;
}

/* rd = kind(rs1, imm). */
static void set_immediate(
	struct ear_operation *op, unsigned kind, unsigned rd, unsigned rs1, int32_t imm)
{
	op->kind = (uint8_t)kind;
	op->rd = (uint8_t)rd;
	op->rs1 = (uint8_t)rs1;
	op->imm = imm;
	op->flags = EAR_OPERATION_IMMEDIATE;
}

static void set_branch(
	struct ear_operation *op, unsigned kind, unsigned rs1, unsigned rs2, int32_t imm)
{
	op->kind = (uint8_t)kind;
	op->rs1 = (uint8_t)rs1;
	op->rs2 = (uint8_t)rs2;
	op->imm = imm;
}

static void set_load(
	struct ear_operation *op, unsigned rd, unsigned rs1, int32_t imm, unsigned size, bool zero)
{
	op->kind = EAR_DO_LOAD;
	op->rd = (uint8_t)rd;
	op->rs1 = (uint8_t)rs1;
	op->imm = imm;
	op->access = (uint8_t)size;
	op->flags = (uint8_t)(EAR_OPERATION_MEMORY | EAR_OPERATION_READS |
			      (zero ? EAR_OPERATION_UNSIGNED : 0));
}

static void set_store(
	struct ear_operation *op, unsigned rs2, unsigned rs1, int32_t imm, unsigned size)
{
	op->kind = EAR_DO_STORE;
	op->rs1 = (uint8_t)rs1;
	op->rs2 = (uint8_t)rs2;
	op->imm = imm;
	op->access = (uint8_t)size;
	op->flags = EAR_OPERATION_MEMORY | EAR_OPERATION_WRITES;
}

static void set_float_load(
	struct ear_operation *op, unsigned frd, unsigned rs1, int32_t imm, unsigned size)
{
	op->kind = EAR_DO_FLOAD;
	op->frd = (uint8_t)frd;
	op->rs1 = (uint8_t)rs1;
	op->imm = imm;
	op->access = (uint8_t)size;
	op->flags = EAR_OPERATION_MEMORY | EAR_OPERATION_READS;
}

static void set_float_store(
	struct ear_operation *op, unsigned frs, unsigned rs1, int32_t imm, unsigned size)
{
	op->kind = EAR_DO_FSTORE;
	op->frs = (uint8_t)frs;
	op->rs1 = (uint8_t)rs1;
	op->imm = imm;
	op->access = (uint8_t)size;
	op->flags = EAR_OPERATION_MEMORY | EAR_OPERATION_WRITES;
}

static void decode_load(struct ear_operation *op, uint32_t insn, unsigned xlen)
{
	static const uint8_t sizes[8] = {1, 2, 4, 8, 1, 2, 4, 0};
	unsigned f3 = field(insn, 14, 12);

	if (f3 == 7 || (xlen == 32 && (f3 == 3 || f3 == 6)))
		return;
	set_load(op, field(insn, 11, 7), field(insn, 19, 15), imm_i(insn), sizes[f3], f3 >= 4);
}

static void decode_store(struct ear_operation *op, uint32_t insn, unsigned xlen)
{
	unsigned f3 = field(insn, 14, 12);

	if (f3 > 3 || (xlen == 32 && f3 == 3))
		return;
	set_store(op, field(insn, 24, 20), field(insn, 19, 15), imm_s(insn), 1u << f3);
}

static bool float_size_known(unsigned size, unsigned flen)
{
	return (size == 4 && flen >= 32) || (size == 8 && flen == 64);
}

static void decode_float_load(struct ear_operation *op, uint32_t insn, unsigned flen)
{
	unsigned f3 = field(insn, 14, 12), size = 1u << f3;

	if (float_size_known(size, flen))
		set_float_load(op, field(insn, 11, 7), field(insn, 19, 15), imm_i(insn), size);
}

static void decode_float_store(struct ear_operation *op, uint32_t insn, unsigned flen)
{
	unsigned f3 = field(insn, 14, 12), size = 1u << f3;

	if (float_size_known(size, flen))
		set_float_store(op, field(insn, 24, 20), field(insn, 19, 15), imm_s(insn), size);
}

/* OP-IMM with funct3 001 and 101: shifts, single bits, and functions of one operand. */
static void decode_shift_immediate(struct ear_operation *op, uint32_t insn, unsigned xlen)
{
	unsigned rd = field(insn, 11, 7), rs1 = field(insn, 19, 15), top = field(insn, 31, 26);
	unsigned f12 = field(insn, 31, 20);
	int32_t shift = (int32_t)field(insn, 25, 20);
	bool left = field(insn, 14, 12) == 1;
	unsigned kind = EAR_DO_UNKNOWN;

	switch (f12) {
	case 0x600: kind = left ? EAR_DO_CLZ : EAR_DO_UNKNOWN; break;
	case 0x601: kind = left ? EAR_DO_CTZ : EAR_DO_UNKNOWN; break;
	case 0x602: kind = left ? EAR_DO_CPOP : EAR_DO_UNKNOWN; break;
	case 0x604: kind = left ? EAR_DO_SEXTB : EAR_DO_UNKNOWN; break;
	case 0x605: kind = left ? EAR_DO_SEXTH : EAR_DO_UNKNOWN; break;
	case 0x287: kind = left ? EAR_DO_UNKNOWN : EAR_DO_ORCB; break;
	case 0x698: kind = left || xlen != 32 ? EAR_DO_UNKNOWN : EAR_DO_REV8; break;
	case 0x6B8: kind = left || xlen != 64 ? EAR_DO_UNKNOWN : EAR_DO_REV8; break;
	default: break;
	}
	if (kind != EAR_DO_UNKNOWN) {
		set_immediate(op, kind, rd, rs1, 0);
		return;
	}
	if (xlen == 32 && shift > 31)
		return;
	switch (top) {
	case 0x00: kind = left ? EAR_DO_SLL : EAR_DO_SRL; break;
	case 0x10: kind = left ? EAR_DO_UNKNOWN : EAR_DO_SRA; break;
	case 0x12: kind = left ? EAR_DO_BCLR : EAR_DO_BEXT; break;
	case 0x1A: kind = left ? EAR_DO_BINV : EAR_DO_UNKNOWN; break;
	case 0x0A: kind = left ? EAR_DO_BSET : EAR_DO_UNKNOWN; break;
	case 0x18: kind = left ? EAR_DO_UNKNOWN : EAR_DO_ROR; break;
	default: break;
	}
	if (kind != EAR_DO_UNKNOWN)
		set_immediate(op, kind, rd, rs1, shift);
}

static void decode_op_imm(struct ear_operation *op, uint32_t insn, unsigned xlen)
{
	static const uint8_t kinds[8] = {
		EAR_DO_ADD, 0, EAR_DO_SLT, EAR_DO_SLTU, EAR_DO_XOR, 0, EAR_DO_OR, EAR_DO_AND};
	unsigned f3 = field(insn, 14, 12);

	if (f3 == 1 || f3 == 5)
		decode_shift_immediate(op, insn, xlen);
	else
		set_immediate(op, kinds[f3], field(insn, 11, 7), field(insn, 19, 15), imm_i(insn));
}

static void decode_op_imm_32(struct ear_operation *op, uint32_t insn)
{
	unsigned rd = field(insn, 11, 7), rs1 = field(insn, 19, 15);
	int32_t shift = (int32_t)field(insn, 24, 20);

	switch (field(insn, 14, 12) << 7 | field(insn, 31, 25)) {
	case 1 << 7 | 0x00: set_immediate(op, EAR_DO_SLLW, rd, rs1, shift); return;
	case 1 << 7 | 0x04:
	case 1 << 7 | 0x05:
		set_immediate(op, EAR_DO_SLLUW, rd, rs1, (int32_t)field(insn, 25, 20));
		return;
	case 1 << 7 | 0x30:
		if (shift <= 2)
			set_immediate(op, EAR_DO_CLZW + (unsigned)shift, rd, rs1, 0);
		return;
	case 5 << 7 | 0x00: set_immediate(op, EAR_DO_SRLW, rd, rs1, shift); return;
	case 5 << 7 | 0x20: set_immediate(op, EAR_DO_SRAW, rd, rs1, shift); return;
	case 5 << 7 | 0x30: set_immediate(op, EAR_DO_RORW, rd, rs1, shift); return;
	default: break;
	}
	if (field(insn, 14, 12) == 0)
		set_immediate(op, EAR_DO_ADDW, rd, rs1, imm_i(insn));
}

static unsigned op_kind(unsigned f7, unsigned f3, unsigned rs2, unsigned xlen)
{
	switch (f7 << 3 | f3) {
	case 0x00 << 3 | 0: return EAR_DO_ADD;
	case 0x00 << 3 | 1: return EAR_DO_SLL;
	case 0x00 << 3 | 2: return EAR_DO_SLT;
	case 0x00 << 3 | 3: return EAR_DO_SLTU;
	case 0x00 << 3 | 4: return EAR_DO_XOR;
	case 0x00 << 3 | 5: return EAR_DO_SRL;
	case 0x00 << 3 | 6: return EAR_DO_OR;
	case 0x00 << 3 | 7: return EAR_DO_AND;
	case 0x20 << 3 | 0: return EAR_DO_SUB;
	case 0x20 << 3 | 4: return EAR_DO_XNOR;
	case 0x20 << 3 | 5: return EAR_DO_SRA;
	case 0x20 << 3 | 6: return EAR_DO_ORN;
	case 0x20 << 3 | 7: return EAR_DO_ANDN;
	case 0x01 << 3 | 0: return EAR_DO_MUL;
	case 0x01 << 3 | 1: return EAR_DO_MULH;
	case 0x01 << 3 | 2: return EAR_DO_MULHSU;
	case 0x01 << 3 | 3: return EAR_DO_MULHU;
	case 0x01 << 3 | 4: return EAR_DO_DIV;
	case 0x01 << 3 | 5: return EAR_DO_DIVU;
	case 0x01 << 3 | 6: return EAR_DO_REM;
	case 0x01 << 3 | 7: return EAR_DO_REMU;
	case 0x10 << 3 | 2: return EAR_DO_SH1ADD;
	case 0x10 << 3 | 4: return EAR_DO_SH2ADD;
	case 0x10 << 3 | 6: return EAR_DO_SH3ADD;
	case 0x05 << 3 | 4: return EAR_DO_MIN;
	case 0x05 << 3 | 5: return EAR_DO_MINU;
	case 0x05 << 3 | 6: return EAR_DO_MAX;
	case 0x05 << 3 | 7: return EAR_DO_MAXU;
	case 0x30 << 3 | 1: return EAR_DO_ROL;
	case 0x30 << 3 | 5: return EAR_DO_ROR;
	case 0x24 << 3 | 1: return EAR_DO_BCLR;
	case 0x24 << 3 | 5: return EAR_DO_BEXT;
	case 0x34 << 3 | 1: return EAR_DO_BINV;
	case 0x14 << 3 | 1: return EAR_DO_BSET;
	case 0x04 << 3 | 4: return xlen == 32 && rs2 == 0 ? EAR_DO_ZEXTH : EAR_DO_UNKNOWN;
	default: return EAR_DO_UNKNOWN;
	}
}

static unsigned op_32_kind(unsigned f7, unsigned f3, unsigned rs2)
{
	switch (f7 << 3 | f3) {
	case 0x00 << 3 | 0: return EAR_DO_ADDW;
	case 0x00 << 3 | 1: return EAR_DO_SLLW;
	case 0x00 << 3 | 5: return EAR_DO_SRLW;
	case 0x20 << 3 | 0: return EAR_DO_SUBW;
	case 0x20 << 3 | 5: return EAR_DO_SRAW;
	case 0x01 << 3 | 0: return EAR_DO_MULW;
	case 0x01 << 3 | 4: return EAR_DO_DIVW;
	case 0x01 << 3 | 5: return EAR_DO_DIVUW;
	case 0x01 << 3 | 6: return EAR_DO_REMW;
	case 0x01 << 3 | 7: return EAR_DO_REMUW;
	case 0x04 << 3 | 0: return EAR_DO_ADDUW;
	case 0x04 << 3 | 4: return rs2 == 0 ? EAR_DO_ZEXTH : EAR_DO_UNKNOWN;
	case 0x10 << 3 | 2: return EAR_DO_SH1ADDUW;
	case 0x10 << 3 | 4: return EAR_DO_SH2ADDUW;
	case 0x10 << 3 | 6: return EAR_DO_SH3ADDUW;
	case 0x30 << 3 | 1: return EAR_DO_ROLW;
	case 0x30 << 3 | 5: return EAR_DO_RORW;
	default: return EAR_DO_UNKNOWN;
	}
}

static void decode_op(struct ear_operation *op, uint32_t insn, unsigned xlen, bool word)
{
	unsigned f7 = field(insn, 31, 25), f3 = field(insn, 14, 12), rs2 = field(insn, 24, 20);
	unsigned kind = word ? op_32_kind(f7, f3, rs2) : op_kind(f7, f3, rs2, xlen);

	if (kind != EAR_DO_UNKNOWN)
		set_register(op, kind, field(insn, 11, 7), field(insn, 19, 15), rs2);
}

static void decode_atomic(struct ear_operation *op, uint32_t insn, unsigned xlen)
{
	unsigned f3 = field(insn, 14, 12), kind;

	if (f3 != 2 && !(f3 == 3 && xlen == 64))
		return;
	switch (field(insn, 31, 27)) {
	case 0x02: kind = EAR_DO_LR; break;
	case 0x03: kind = EAR_DO_SC; break;
	case 0x01: kind = EAR_DO_AMOSWAP; break;
	case 0x00: kind = EAR_DO_AMOADD; break;
	case 0x04: kind = EAR_DO_AMOXOR; break;
	case 0x0C: kind = EAR_DO_AMOAND; break;
	case 0x08: kind = EAR_DO_AMOOR; break;
	case 0x10: kind = EAR_DO_AMOMIN; break;
	case 0x14: kind = EAR_DO_AMOMAX; break;
	case 0x18: kind = EAR_DO_AMOMINU; break;
	case 0x1C: kind = EAR_DO_AMOMAXU; break;
	default: return;
	}
	set_register(op, kind, field(insn, 11, 7), field(insn, 19, 15),
		kind == EAR_DO_LR ? 0 : field(insn, 24, 20));
	op->access = (uint8_t)(1u << f3);
	op->flags = (uint8_t)(EAR_OPERATION_MEMORY | (kind == EAR_DO_SC ? 0 : EAR_OPERATION_READS) |
			      (kind == EAR_DO_LR ? 0 : EAR_OPERATION_WRITES));
}

static void decode_branch(struct ear_operation *op, uint32_t insn)
{
	static const uint8_t kinds[8] = {
		EAR_DO_BEQ, EAR_DO_BNE, 0, 0, EAR_DO_BLT, EAR_DO_BGE, EAR_DO_BLTU, EAR_DO_BGEU};
	unsigned kind = kinds[field(insn, 14, 12)];

	if (kind)
		set_branch(op, kind, field(insn, 19, 15), field(insn, 24, 20), imm_b(insn));
}

static void decode_system(struct ear_operation *op, uint32_t insn)
{
	unsigned f3 = field(insn, 14, 12);

	switch (insn) {
	case EAR_OPCODE_ECALL: op->kind = EAR_DO_ECALL; return;
	case EAR_OPCODE_EBREAK: op->kind = EAR_DO_EBREAK; return;
	case EAR_OPCODE_MRET: op->kind = EAR_DO_MRET; return;
	case EAR_OPCODE_SRET: op->kind = EAR_DO_SRET; return;
	case EAR_OPCODE_WFI: op->kind = EAR_DO_NOTHING; return;
	default: break;
	}
	if (f3 == 0 || f3 == 4)
		return;
	op->kind = EAR_DO_CSR;
	op->function = (uint8_t)f3;
	op->csr = (uint16_t)field(insn, 31, 20);
	op->rd = (uint8_t)field(insn, 11, 7);
	op->imm = (int32_t)field(insn, 19, 15); /* also the number of rs1: 0 means no write */
	op->rs1 = (uint8_t)(f3 < 4 ? field(insn, 19, 15) : 0);
}

static void set_float_compute(struct ear_operation *op, unsigned frd)
{
	op->kind = EAR_DO_FCOMPUTE;
	op->frd = (uint8_t)frd;
	op->flags = EAR_OPERATION_FLAGS;
}

static void set_float_move(struct ear_operation *op, unsigned kind, uint32_t insn, unsigned size)
{
	op->kind = (uint8_t)kind;
	op->access = (uint8_t)size;
	if (kind == EAR_DO_FMVTOF) {
		op->frd = (uint8_t)field(insn, 11, 7);
		op->rs1 = (uint8_t)field(insn, 19, 15);
	} else {
		op->rd = (uint8_t)field(insn, 11, 7);
		op->frs = (uint8_t)field(insn, 19, 15);
	}
}

static void decode_op_fp(struct ear_operation *op, uint32_t insn, unsigned xlen, unsigned size)
{
	unsigned f3 = field(insn, 14, 12), rd = field(insn, 11, 7), rs1 = field(insn, 19, 15);
	unsigned rs2 = field(insn, 24, 20);
	bool move = rs2 == 0 && f3 == 0 && !(size == 8 && xlen == 32);

	switch (field(insn, 31, 27)) {
	case 0x00:
	case 0x01:
	case 0x02:
	case 0x03:
	case 0x05:
	case 0x08:
	case 0x0B: set_float_compute(op, rd); return;
	case 0x04:
		set_float_compute(op, rd);
		op->flags = 0;
		if (f3 == 0 && rs1 == rs2) {
			op->kind = EAR_DO_FCOPY;
			op->frs = (uint8_t)rs1;
			op->access = (uint8_t)size;
		}
		return;
	case 0x14:
	case 0x18:
		op->kind = EAR_DO_FTOX;
		op->rd = (uint8_t)rd;
		op->flags = EAR_OPERATION_FLAGS;
		return;
	case 0x1A:
		set_float_compute(op, rd);
		op->rs1 = (uint8_t)rs1;
		return;
	case 0x1C:
		if (move) {
			set_float_move(op, EAR_DO_FMVTOX, insn, size);
		} else if (rs2 == 0 && f3 == 1) {
			op->kind = EAR_DO_FTOX;
			op->rd = (uint8_t)rd;
		}
		return;
	case 0x1E:
		if (move)
			set_float_move(op, EAR_DO_FMVTOF, insn, size);
		return;
	default: return;
	}
}

static void decode_float(struct ear_operation *op, uint32_t insn, unsigned xlen, unsigned flen)
{
	unsigned format = field(insn, 26, 25), size = format == 0 ? 4 : 8;

	if (format > 1 || !float_size_known(size, flen))
		return;
	if (ear_opcode_major(insn) == EAR_OPCODE_OP_FP)
		decode_op_fp(op, insn, xlen, size);
	else
		set_float_compute(op, field(insn, 11, 7));
}

static void decode_word(struct ear_operation *op, uint32_t insn, unsigned xlen, unsigned flen)
{
	unsigned rd = field(insn, 11, 7), rs1 = field(insn, 19, 15), f3 = field(insn, 14, 12);

	switch (ear_opcode_major(insn)) {
	case EAR_OPCODE_LUI:
		set_immediate(op, EAR_DO_IMMEDIATE, rd, 0, (int32_t)(insn & ~0xFFFu));
		return;
	case EAR_OPCODE_AUIPC:
		set_immediate(op, EAR_DO_AUIPC, rd, 0, (int32_t)(insn & ~0xFFFu));
		return;
	case EAR_OPCODE_JAL: set_immediate(op, EAR_DO_JAL, rd, 0, imm_j(insn)); return;
	case EAR_OPCODE_JALR:
		if (f3 == 0)
			set_immediate(op, EAR_DO_JALR, rd, rs1, imm_i(insn));
		return;
	case EAR_OPCODE_BRANCH: decode_branch(op, insn); return;
	case EAR_OPCODE_LOAD: decode_load(op, insn, xlen); return;
	case EAR_OPCODE_STORE: decode_store(op, insn, xlen); return;
	case EAR_OPCODE_LOAD_FP: decode_float_load(op, insn, flen); return;
	case EAR_OPCODE_STORE_FP: decode_float_store(op, insn, flen); return;
	case EAR_OPCODE_OP_IMM: decode_op_imm(op, insn, xlen); return;
	case EAR_OPCODE_OP_IMM_32:
		if (xlen == 64)
			decode_op_imm_32(op, insn);
		return;
	case EAR_OPCODE_OP: decode_op(op, insn, xlen, false); return;
	case EAR_OPCODE_OP_32:
		if (xlen == 64)
			decode_op(op, insn, xlen, true);
		return;
	case EAR_OPCODE_MISC_MEM:
		if (f3 < 2)
			op->kind = EAR_DO_NOTHING;
		return;
	case EAR_OPCODE_AMO: decode_atomic(op, insn, xlen); return;
	case EAR_OPCODE_SYSTEM: decode_system(op, insn); return;
	case EAR_OPCODE_MADD:
	case EAR_OPCODE_MSUB:
	case EAR_OPCODE_NMSUB:
	case EAR_OPCODE_NMADD:
	case EAR_OPCODE_OP_FP: decode_float(op, insn, xlen, flen); return;
	default: return;
	}
}

/* Offsets of compressed loads and stores, for words and for doublewords. */
static int32_t offset_cl(uint32_t insn, unsigned size)
{
	uint32_t high = field(insn, 12, 10) << 3;

	return (int32_t)(size == 4 ? high | field(insn, 6, 6) << 2 | field(insn, 5, 5) << 6
				   : high | field(insn, 6, 5) << 6);
}

static int32_t offset_load_sp(uint32_t insn, unsigned size)
{
	uint32_t bit5 = field(insn, 12, 12) << 5;

	return (int32_t)(size == 4 ? bit5 | field(insn, 6, 4) << 2 | field(insn, 3, 2) << 6
				   : bit5 | field(insn, 6, 5) << 3 | field(insn, 4, 2) << 6);
}

static int32_t offset_store_sp(uint32_t insn, unsigned size)
{
	return (int32_t)(size == 4 ? field(insn, 12, 9) << 2 | field(insn, 8, 7) << 6
				   : field(insn, 12, 10) << 3 | field(insn, 9, 7) << 6);
}

static int32_t imm_ci(uint32_t insn)
{
	return extend(field(insn, 12, 12) << 5 | field(insn, 6, 2), 6);
}

static int32_t imm_cj(uint32_t insn)
{
	return extend(field(insn, 12, 12) << 11 | field(insn, 8, 8) << 10 |
			      field(insn, 10, 9) << 8 | field(insn, 6, 6) << 7 |
			      field(insn, 7, 7) << 6 | field(insn, 2, 2) << 5 |
			      field(insn, 11, 11) << 4 | field(insn, 5, 3) << 1,
		12);
}

static int32_t imm_cb(uint32_t insn)
{
	return extend(field(insn, 12, 12) << 8 | field(insn, 6, 5) << 6 | field(insn, 2, 2) << 5 |
			      field(insn, 11, 10) << 3 | field(insn, 4, 3) << 1,
		9);
}

static void decode_quadrant_0(struct ear_operation *op, uint32_t insn, unsigned xlen, unsigned flen)
{
	unsigned rd = 8 + field(insn, 4, 2), rs1 = 8 + field(insn, 9, 7), f3 = field(insn, 15, 13);
	/* funct3 001 and 101 are for f registers; on RV32 011 and 111, too. */
	bool wide = (f3 & 3) != 2 && !(xlen == 32 && (f3 & 3) == 3);
	bool flt = (f3 & 3) == 1 || (xlen == 32 && (f3 & 3) == 3);
	unsigned size = wide ? 8 : 4;

	if (f3 == 0) {
		uint32_t imm = field(insn, 12, 11) << 4 | field(insn, 10, 7) << 6 |
			       field(insn, 6, 6) << 2 | field(insn, 5, 5) << 3;
		if (imm)
			set_immediate(op, EAR_DO_ADD, rd, 2, (int32_t)imm);
		return;
	}
	if (f3 == 4 || (flt && !float_size_known(size, flen)))
		return;
	if (flt && f3 < 4)
		set_float_load(op, rd, rs1, offset_cl(insn, size), size);
	else if (flt)
		set_float_store(op, rd, rs1, offset_cl(insn, size), size);
	else if (f3 < 4)
		set_load(op, rd, rs1, offset_cl(insn, size), size, false);
	else
		set_store(op, rd, rs1, offset_cl(insn, size), size);
}

static void decode_compressed_alu(struct ear_operation *op, uint32_t insn, unsigned xlen)
{
	static const uint8_t kinds[8] = {EAR_DO_SUB, EAR_DO_XOR, EAR_DO_OR, EAR_DO_AND, EAR_DO_SUBW,
		EAR_DO_ADDW, EAR_DO_UNKNOWN, EAR_DO_UNKNOWN};
	unsigned rd = 8 + field(insn, 9, 7), form = field(insn, 11, 10);
	int32_t shift = (int32_t)(field(insn, 12, 12) << 5 | field(insn, 6, 2));

	if (form == 2) {
		set_immediate(op, EAR_DO_AND, rd, rd, imm_ci(insn));
	} else if (form < 2) {
		if (xlen == 64 || shift < 32)
			set_immediate(op, form == 0 ? EAR_DO_SRL : EAR_DO_SRA, rd, rd, shift);
	} else {
		unsigned index = field(insn, 12, 12) << 2 | field(insn, 6, 5);
		if (kinds[index] && (xlen == 64 || index < 4))
			set_register(op, kinds[index], rd, rd, 8 + field(insn, 4, 2));
	}
}

static void decode_quadrant_1(struct ear_operation *op, uint32_t insn, unsigned xlen)
{
	unsigned rd = field(insn, 11, 7), rs1 = 8 + field(insn, 9, 7);
	int32_t imm = imm_ci(insn);

	switch (field(insn, 15, 13)) {
	case 0: set_immediate(op, EAR_DO_ADD, rd, rd, imm); return;
	case 1:
		if (xlen == 32)
			set_immediate(op, EAR_DO_JAL, 1, 0, imm_cj(insn));
		else if (rd != 0)
			set_immediate(op, EAR_DO_ADDW, rd, rd, imm);
		return;
	case 2: set_immediate(op, EAR_DO_ADD, rd, 0, imm); return;
	case 3:
		if (imm == 0)
			return;
		if (rd == 2)
			set_immediate(op, EAR_DO_ADD, 2, 2,
				extend(field(insn, 12, 12) << 9 | field(insn, 6, 6) << 4 |
						field(insn, 5, 5) << 6 | field(insn, 4, 3) << 7 |
						field(insn, 2, 2) << 5,
					10));
		else
			set_immediate(op, EAR_DO_IMMEDIATE, rd, 0, (int32_t)((uint32_t)imm << 12));
		return;
	case 4: decode_compressed_alu(op, insn, xlen); return;
	case 5: set_immediate(op, EAR_DO_JAL, 0, 0, imm_cj(insn)); return;
	case 6: set_branch(op, EAR_DO_BEQ, rs1, 0, imm_cb(insn)); return;
	default: set_branch(op, EAR_DO_BNE, rs1, 0, imm_cb(insn)); return;
	}
}

static void decode_compressed_jump(struct ear_operation *op, uint32_t insn)
{
	unsigned rd = field(insn, 11, 7), rs2 = field(insn, 6, 2);
	bool bit12 = field(insn, 12, 12) != 0;

	if (rs2 != 0)
		set_register(op, EAR_DO_ADD, rd, bit12 ? rd : 0, rs2);
	else if (rd != 0)
		set_immediate(op, EAR_DO_JALR, bit12 ? 1 : 0, rd, 0);
	else if (bit12)
		op->kind = EAR_DO_EBREAK;
}

static void decode_quadrant_2(struct ear_operation *op, uint32_t insn, unsigned xlen, unsigned flen)
{
	unsigned rd = field(insn, 11, 7), rs2 = field(insn, 6, 2), f3 = field(insn, 15, 13);
	int32_t shift = (int32_t)(field(insn, 12, 12) << 5 | field(insn, 6, 2));
	bool wide = (f3 & 3) != 2 && !(xlen == 32 && (f3 & 3) == 3);
	bool flt = (f3 & 3) == 1 || (xlen == 32 && (f3 & 3) == 3);
	unsigned size = wide ? 8 : 4;

	if (f3 == 0) {
		if (xlen == 64 || shift < 32)
			set_immediate(op, EAR_DO_SLL, rd, rd, shift);
		return;
	}
	if (f3 == 4) {
		decode_compressed_jump(op, insn);
		return;
	}
	if (flt && !float_size_known(size, flen))
		return;
	if (flt && f3 < 4)
		set_float_load(op, rd, 2, offset_load_sp(insn, size), size);
	else if (flt)
		set_float_store(op, rs2, 2, offset_store_sp(insn, size), size);
	else if (f3 >= 4)
		set_store(op, rs2, 2, offset_store_sp(insn, size), size);
	else if (rd != 0)
		set_load(op, rd, 2, offset_load_sp(insn, size), size, false);
}

void ear_operation_keep_base(struct ear_operation *operation)
{
	unsigned kind = operation->kind;

	if (kind == EAR_DO_NOTHING || (kind >= EAR_DO_IMMEDIATE && kind <= EAR_DO_SRAW) ||
		(kind >= EAR_DO_JAL && kind <= EAR_DO_STORE))
		return;
	*operation = (struct ear_operation){.insn = operation->insn, .size = operation->size};
}

void ear_operation_decode(
	struct ear_operation *operation, uint32_t insn, unsigned xlen, unsigned flen)
{
	memset(operation, 0, sizeof(*operation));
	operation->insn = insn;
	operation->size = ear_opcode_size(insn);
	switch (insn & 3) {
	case 0: decode_quadrant_0(operation, insn, xlen, flen); break;
	case 1: decode_quadrant_1(operation, insn, xlen); break;
	case 2: decode_quadrant_2(operation, insn, xlen, flen); break;
	default: decode_word(operation, insn, xlen, flen);
	}
	bool branch = operation->kind >= EAR_DO_BEQ && operation->kind <= EAR_DO_BGEU;
	/* A branch to the next instruction is not fast: next_pc does not show whether it was taken.
	 */
	if (operation->kind >= EAR_DO_IMMEDIATE && operation->kind <= EAR_DO_STORE &&
		!(branch && operation->imm == operation->size))
		operation->flags |= EAR_OPERATION_FAST;
	if (operation->kind == EAR_DO_JAL || operation->kind == EAR_DO_JALR)
		operation->flags |= EAR_OPERATION_JUMP;
}
