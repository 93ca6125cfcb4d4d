/* Opcode to struct ear_semantics. Encodings: RISC-V unprivileged specification, chapter "RV32/64G
 * instruction set listings", and the bit manipulation specification 1.0.
 *
 * A reserved or unknown encoding stays EAR_SEM_ILLEGAL: each function sets the kind only of what it
 * knows.
 */
#include "library/check/semantics/semantics.h"

#include <stddef.h>

/* Major opcodes, bits 6:0. */
#define OP_LOAD     0x03
#define OP_LOAD_FP  0x07
#define OP_FENCE    0x0f
#define OP_IMM      0x13
#define OP_AUIPC    0x17
#define OP_IMM_32   0x1b
#define OP_STORE    0x23
#define OP_STORE_FP 0x27
#define OP_AMO      0x2f
#define OP_REG      0x33
#define OP_LUI      0x37
#define OP_REG_32   0x3b
#define OP_FMADD    0x43
#define OP_FMSUB    0x47
#define OP_FNMSUB   0x4b
#define OP_FNMADD   0x4f
#define OP_FP       0x53
#define OP_BRANCH   0x63
#define OP_JALR     0x67
#define OP_JAL      0x6f
#define OP_SYSTEM   0x73

struct decoder {
	uint32_t insn;
	unsigned xlen;
	uint32_t extensions;
	unsigned funct3, funct7, rd, rs1, rs2;
};

static bool has(const struct decoder *d, uint32_t extension)
{
	return (d->extensions & extension) != 0;
}

static int32_t immediate_i(uint32_t insn)
{
	return (int32_t)insn >> 20;
}

static int32_t immediate_s(uint32_t insn)
{
	return ((int32_t)insn >> 25) * 32 + (int32_t)ear_semantics_bits(insn, 7, 5);
}

static int32_t immediate_b(uint32_t insn)
{
	uint32_t low = ear_semantics_bits(insn, 8, 4) << 1 | ear_semantics_bits(insn, 25, 6) << 5 |
		       ear_semantics_bits(insn, 7, 1) << 11;

	return (int32_t)low - (int32_t)(insn >> 31 << 12);
}

static int32_t immediate_j(uint32_t insn)
{
	uint32_t low = ear_semantics_bits(insn, 21, 10) << 1 |
		       ear_semantics_bits(insn, 20, 1) << 11 |
		       ear_semantics_bits(insn, 12, 8) << 12;

	return (int32_t)low - (int32_t)(insn >> 31 << 20);
}

static void set_binary(
	struct ear_semantics *op, const struct decoder *d, enum ear_semantics_kind kind)
{
	op->kind = (uint8_t)kind;
	op->rd = (uint8_t)d->rd;
	op->rs1 = (uint8_t)d->rs1;
	op->rs2 = (uint8_t)d->rs2;
}

/* One register operand and an immediate, which may be 0 and mean nothing. */
static void set_unary(struct ear_semantics *op, const struct decoder *d,
	enum ear_semantics_kind kind, int32_t immediate)
{
	op->kind = (uint8_t)kind;
	op->rd = (uint8_t)d->rd;
	op->rs1 = (uint8_t)d->rs1;
	op->imm = immediate;
}

static void decode_branch(struct ear_semantics *op, const struct decoder *d)
{
	static const uint8_t kinds[8] = {EAR_SEM_BEQ, EAR_SEM_BNE, 0, 0, EAR_SEM_BLT, EAR_SEM_BGE,
		EAR_SEM_BLTU, EAR_SEM_BGEU};

	if (!kinds[d->funct3])
		return;
	op->kind = kinds[d->funct3];
	op->rs1 = (uint8_t)d->rs1;
	op->rs2 = (uint8_t)d->rs2;
	op->imm = immediate_b(d->insn);
}

static void decode_load(struct ear_semantics *op, const struct decoder *d)
{
	static const uint8_t kinds[8] = {EAR_SEM_LB, EAR_SEM_LH, EAR_SEM_LW, EAR_SEM_LD,
		EAR_SEM_LBU, EAR_SEM_LHU, EAR_SEM_LWU, 0};
	enum ear_semantics_kind kind = kinds[d->funct3];

	if (!kind || (d->xlen == 32 && (kind == EAR_SEM_LD || kind == EAR_SEM_LWU)))
		return;
	set_unary(op, d, kind, immediate_i(d->insn));
}

static void decode_store(struct ear_semantics *op, const struct decoder *d)
{
	static const uint8_t kinds[8] = {EAR_SEM_SB, EAR_SEM_SH, EAR_SEM_SW, EAR_SEM_SD};
	enum ear_semantics_kind kind = kinds[d->funct3];

	if (!kind || (d->xlen == 32 && kind == EAR_SEM_SD))
		return;
	op->kind = (uint8_t)kind;
	op->rs1 = (uint8_t)d->rs1;
	op->rs2 = (uint8_t)d->rs2;
	op->imm = immediate_s(d->insn);
}

/* Shifts and their like with an immediate amount. word: the *W form of RV64. */
static enum ear_semantics_kind shift_left_kind(
	const struct decoder *d, unsigned function, bool word)
{
	switch (function) {
	case 0x00: return word ? EAR_SEM_SLLW : EAR_SEM_SLL;
	case 0x0a: return has(d, EAR_SEMANTICS_ZBS) && !word ? EAR_SEM_BSET : EAR_SEM_ILLEGAL;
	case 0x12: return has(d, EAR_SEMANTICS_ZBS) && !word ? EAR_SEM_BCLR : EAR_SEM_ILLEGAL;
	case 0x1a: return has(d, EAR_SEMANTICS_ZBS) && !word ? EAR_SEM_BINV : EAR_SEM_ILLEGAL;
	default: return EAR_SEM_ILLEGAL;
	}
}

static enum ear_semantics_kind shift_right_kind(
	const struct decoder *d, unsigned function, bool word)
{
	switch (function) {
	case 0x00: return word ? EAR_SEM_SRLW : EAR_SEM_SRL;
	case 0x10: return word ? EAR_SEM_SRAW : EAR_SEM_SRA;
	case 0x18:
		return !has(d, EAR_SEMANTICS_ZBB) ? EAR_SEM_ILLEGAL
		       : word                     ? EAR_SEM_RORW
						  : EAR_SEM_ROR;
	case 0x12: return has(d, EAR_SEMANTICS_ZBS) && !word ? EAR_SEM_BEXT : EAR_SEM_ILLEGAL;
	default: return EAR_SEM_ILLEGAL;
	}
}

/* The operations of Zbb with one operand whose opcode looks like a shift to the left. */
static enum ear_semantics_kind count_kind(const struct decoder *d, bool word)
{
	if (!has(d, EAR_SEMANTICS_ZBB) || d->funct7 != 0x30)
		return EAR_SEM_ILLEGAL;
	switch (d->rs2) {
	case 0: return word ? EAR_SEM_CLZW : EAR_SEM_CLZ;
	case 1: return word ? EAR_SEM_CTZW : EAR_SEM_CTZ;
	case 2: return word ? EAR_SEM_CPOPW : EAR_SEM_CPOP;
	case 4: return word ? EAR_SEM_ILLEGAL : EAR_SEM_SEXT_B;
	case 5: return word ? EAR_SEM_ILLEGAL : EAR_SEM_SEXT_H;
	default: return EAR_SEM_ILLEGAL;
	}
}

/* rev8 and orc.b, among the shifts to the right. */
static enum ear_semantics_kind byte_kind(const struct decoder *d)
{
	uint32_t high = d->insn >> 20;

	if (!has(d, EAR_SEMANTICS_ZBB))
		return EAR_SEM_ILLEGAL;
	if (high == 0x287)
		return EAR_SEM_ORC_B;
	return high == (d->xlen == 32 ? 0x698u : 0x6b8u) ? EAR_SEM_REV8 : EAR_SEM_ILLEGAL;
}

static void decode_shift_immediate(struct ear_semantics *op, const struct decoder *d, bool word)
{
	unsigned amount_bits = d->xlen == 64 && !word ? 6 : 5;
	unsigned amount = ear_semantics_bits(d->insn, 20, amount_bits);
	unsigned function = d->insn >> 26; /* bits 31:26; bit 25 belongs to the amount on RV64 */
	enum ear_semantics_kind kind;

	if (amount_bits == 5 && (d->funct7 & 1)) {
		kind = EAR_SEM_ILLEGAL;
	} else {
		kind = d->funct3 == 1 ? shift_left_kind(d, function, word)
				      : shift_right_kind(d, function, word);
	}
	if (kind != EAR_SEM_ILLEGAL) {
		set_unary(op, d, kind, (int32_t)amount);
		return;
	}
	kind = d->funct3 == 1 ? count_kind(d, word) : word ? EAR_SEM_ILLEGAL : byte_kind(d);
	if (kind != EAR_SEM_ILLEGAL)
		set_unary(op, d, kind, 0);
}

static void decode_immediate(struct ear_semantics *op, const struct decoder *d)
{
	static const uint8_t kinds[8] = {
		EAR_SEM_ADD, 0, EAR_SEM_SLT, EAR_SEM_SLTU, EAR_SEM_XOR, 0, EAR_SEM_OR, EAR_SEM_AND};

	if (d->funct3 == 1 || d->funct3 == 5)
		decode_shift_immediate(op, d, false);
	else
		set_unary(op, d, kinds[d->funct3], immediate_i(d->insn));
}

static void decode_immediate_32(struct ear_semantics *op, const struct decoder *d)
{
	if (d->xlen == 32)
		return;
	if (d->funct3 == 0) {
		set_unary(op, d, EAR_SEM_ADDW, immediate_i(d->insn));
	} else if (d->funct3 == 1 && d->insn >> 26 == 0x02) {
		if (has(d, EAR_SEMANTICS_ZBA))
			set_unary(op, d, EAR_SEM_SLLI_UW,
				(int32_t)ear_semantics_bits(d->insn, 20, 6));
	} else if (d->funct3 == 1 || d->funct3 == 5) {
		decode_shift_immediate(op, d, true);
	}
}

/* What OP and OP-32 mean, by funct7 and funct3. need 0: always there. */
struct register_row {
	uint8_t funct7, funct3, kind;
	uint16_t need;
};

static const struct register_row register_rows[] = {
	{0x00, 0, EAR_SEM_ADD, 0},
	{0x20, 0, EAR_SEM_SUB, 0},
	{0x00, 1, EAR_SEM_SLL, 0},
	{0x00, 2, EAR_SEM_SLT, 0},
	{0x00, 3, EAR_SEM_SLTU, 0},
	{0x00, 4, EAR_SEM_XOR, 0},
	{0x00, 5, EAR_SEM_SRL, 0},
	{0x20, 5, EAR_SEM_SRA, 0},
	{0x00, 6, EAR_SEM_OR, 0},
	{0x00, 7, EAR_SEM_AND, 0},
	{0x01, 0, EAR_SEM_MUL, EAR_SEMANTICS_M},
	{0x01, 1, EAR_SEM_MULH, EAR_SEMANTICS_M},
	{0x01, 2, EAR_SEM_MULHSU, EAR_SEMANTICS_M},
	{0x01, 3, EAR_SEM_MULHU, EAR_SEMANTICS_M},
	{0x01, 4, EAR_SEM_DIV, EAR_SEMANTICS_M},
	{0x01, 5, EAR_SEM_DIVU, EAR_SEMANTICS_M},
	{0x01, 6, EAR_SEM_REM, EAR_SEMANTICS_M},
	{0x01, 7, EAR_SEM_REMU, EAR_SEMANTICS_M},
	{0x10, 2, EAR_SEM_SH1ADD, EAR_SEMANTICS_ZBA},
	{0x10, 4, EAR_SEM_SH2ADD, EAR_SEMANTICS_ZBA},
	{0x10, 6, EAR_SEM_SH3ADD, EAR_SEMANTICS_ZBA},
	{0x20, 7, EAR_SEM_ANDN, EAR_SEMANTICS_ZBB},
	{0x20, 6, EAR_SEM_ORN, EAR_SEMANTICS_ZBB},
	{0x20, 4, EAR_SEM_XNOR, EAR_SEMANTICS_ZBB},
	{0x05, 4, EAR_SEM_MIN, EAR_SEMANTICS_ZBB},
	{0x05, 5, EAR_SEM_MINU, EAR_SEMANTICS_ZBB},
	{0x05, 6, EAR_SEM_MAX, EAR_SEMANTICS_ZBB},
	{0x05, 7, EAR_SEM_MAXU, EAR_SEMANTICS_ZBB},
	{0x30, 1, EAR_SEM_ROL, EAR_SEMANTICS_ZBB},
	{0x30, 5, EAR_SEM_ROR, EAR_SEMANTICS_ZBB},
	{0x24, 1, EAR_SEM_BCLR, EAR_SEMANTICS_ZBS},
	{0x24, 5, EAR_SEM_BEXT, EAR_SEMANTICS_ZBS},
	{0x34, 1, EAR_SEM_BINV, EAR_SEMANTICS_ZBS},
	{0x14, 1, EAR_SEM_BSET, EAR_SEMANTICS_ZBS},
	{0x05, 1, EAR_SEM_CLMUL, EAR_SEMANTICS_ZBC},
	{0x05, 2, EAR_SEM_CLMULR, EAR_SEMANTICS_ZBC},
	{0x05, 3, EAR_SEM_CLMULH, EAR_SEMANTICS_ZBC},
	{0x07, 5, EAR_SEM_CZERO_EQZ, EAR_SEMANTICS_ZICOND},
	{0x07, 7, EAR_SEM_CZERO_NEZ, EAR_SEMANTICS_ZICOND},
};

static const struct register_row register_32_rows[] = {
	{0x00, 0, EAR_SEM_ADDW, 0},
	{0x20, 0, EAR_SEM_SUBW, 0},
	{0x00, 1, EAR_SEM_SLLW, 0},
	{0x00, 5, EAR_SEM_SRLW, 0},
	{0x20, 5, EAR_SEM_SRAW, 0},
	{0x01, 0, EAR_SEM_MULW, EAR_SEMANTICS_M},
	{0x01, 4, EAR_SEM_DIVW, EAR_SEMANTICS_M},
	{0x01, 5, EAR_SEM_DIVUW, EAR_SEMANTICS_M},
	{0x01, 6, EAR_SEM_REMW, EAR_SEMANTICS_M},
	{0x01, 7, EAR_SEM_REMUW, EAR_SEMANTICS_M},
	{0x04, 0, EAR_SEM_ADD_UW, EAR_SEMANTICS_ZBA},
	{0x10, 2, EAR_SEM_SH1ADD_UW, EAR_SEMANTICS_ZBA},
	{0x10, 4, EAR_SEM_SH2ADD_UW, EAR_SEMANTICS_ZBA},
	{0x10, 6, EAR_SEM_SH3ADD_UW, EAR_SEMANTICS_ZBA},
	{0x30, 1, EAR_SEM_ROLW, EAR_SEMANTICS_ZBB},
	{0x30, 5, EAR_SEM_RORW, EAR_SEMANTICS_ZBB},
};

static void decode_rows(struct ear_semantics *op, const struct decoder *d,
	const struct register_row *rows, size_t count)
{
	for (size_t k = 0; k < count; k++) {
		if (rows[k].funct7 != d->funct7 || rows[k].funct3 != d->funct3)
			continue;
		if (!rows[k].need || has(d, rows[k].need))
			set_binary(op, d, rows[k].kind);
		return;
	}
}

static void decode_register(struct ear_semantics *op, const struct decoder *d)
{
	/* zext.h is in OP on RV32 and in OP-32 on RV64. */
	if (d->xlen == 32 && d->funct7 == 0x04 && d->funct3 == 4 && d->rs2 == 0) {
		if (has(d, EAR_SEMANTICS_ZBB))
			set_unary(op, d, EAR_SEM_ZEXT_H, 0);
		return;
	}
	decode_rows(op, d, register_rows, sizeof(register_rows) / sizeof(register_rows[0]));
}

static void decode_register_32(struct ear_semantics *op, const struct decoder *d)
{
	if (d->xlen == 32)
		return;
	if (d->funct7 == 0x04 && d->funct3 == 4 && d->rs2 == 0) {
		if (has(d, EAR_SEMANTICS_ZBB))
			set_unary(op, d, EAR_SEM_ZEXT_H, 0);
		return;
	}
	decode_rows(
		op, d, register_32_rows, sizeof(register_32_rows) / sizeof(register_32_rows[0]));
}

static void decode_amo(struct ear_semantics *op, const struct decoder *d)
{
	unsigned function = d->funct7 >> 2; /* the low bits are aq and rl */

	if (!has(d, EAR_SEMANTICS_A) || (d->funct3 != 2 && (d->funct3 != 3 || d->xlen == 32)))
		return;
	switch (function) {
	case 0x02:
		if (d->rs2 == 0)
			set_unary(op, d, EAR_SEM_LR, 0);
		return;
	case 0x03: set_binary(op, d, EAR_SEM_SC); return;
	case 0x00: /* add */
	case 0x01: /* swap */
	case 0x04: /* xor */
	case 0x08: /* or */
	case 0x0c: /* and */
	case 0x10: /* min */
	case 0x14: /* max */
	case 0x18: /* minu */
	case 0x1c: /* maxu */ set_binary(op, d, EAR_SEM_AMO); return;
	default: return;
	}
}

static void decode_system(struct ear_semantics *op, const struct decoder *d)
{
	switch (d->insn) {
	case 0x00000073: op->kind = EAR_SEM_ECALL; return;
	case 0x00100073: op->kind = EAR_SEM_EBREAK; return;
	case 0x30200073: op->kind = EAR_SEM_MRET; return;
	case 0x10500073: op->kind = EAR_SEM_WFI; return;
	default: break;
	}
	if ((d->funct3 & 3) == 0)
		return;
	op->kind = EAR_SEM_CSR;
	op->rd = (uint8_t)d->rd;
	op->rs1 = d->funct3 & 4 ? 0 : (uint8_t)d->rs1;
}

/* Width of the format field: 0 single, 1 double. */
static bool float_format(const struct decoder *d, unsigned format)
{
	return format == 0 ? has(d, EAR_SEMANTICS_F) : format == 1 && has(d, EAR_SEMANTICS_D);
}

static void decode_float_memory(struct ear_semantics *op, const struct decoder *d, bool store)
{
	if (!(d->funct3 == 2 && has(d, EAR_SEMANTICS_F)) &&
		!(d->funct3 == 3 && has(d, EAR_SEMANTICS_D)))
		return;
	op->kind = store ? EAR_SEM_FSTORE : EAR_SEM_FLOAD;
	op->rs1 = (uint8_t)d->rs1;
	op->imm = store ? immediate_s(d->insn) : immediate_i(d->insn);
}

/* OP-FP: which integer registers take part, and what is reserved. Rounding modes are looked at
 * when the instruction runs, because the dynamic one can be reserved too. */
static void decode_float(struct ear_semantics *op, const struct decoder *d)
{
	unsigned format = d->funct7 & 3, function = d->funct7 >> 2;
	bool long_ok = d->xlen == 64 || d->rs2 < 2; /* conversions from and to 64 bits */
	bool legal, to_integer = false, from_integer = false;

	switch (function) {
	case 0x00: /* add */
	case 0x01: /* sub */
	case 0x02: /* mul */
	case 0x03: /* div */ legal = true; break;
	case 0x0b: /* sqrt */ legal = d->rs2 == 0; break;
	case 0x04: /* sign injection */ legal = d->funct3 < 3; break;
	case 0x05: /* min, max */ legal = d->funct3 < 2; break;
	case 0x08: /* between formats */
		legal = has(d, EAR_SEMANTICS_D) && d->rs2 < 2 && d->rs2 != format;
		break;
	case 0x14: /* comparisons */
		legal = d->funct3 < 3;
		to_integer = true;
		break;
	case 0x18: /* to integer */
		legal = d->rs2 < 4 && long_ok;
		to_integer = true;
		break;
	case 0x1a: /* from integer */
		legal = d->rs2 < 4 && long_ok;
		from_integer = true;
		break;
	case 0x1c: /* fmv.x, fclass */
		legal = d->rs2 == 0 &&
			(d->funct3 == 1 || (d->funct3 == 0 && (format == 0 || d->xlen == 64)));
		to_integer = true;
		break;
	case 0x1e: /* fmv from x */
		legal = d->rs2 == 0 && d->funct3 == 0 && (format == 0 || d->xlen == 64);
		from_integer = true;
		break;
	default: legal = false; break;
	}
	if (!legal || !float_format(d, format))
		return;
	op->kind = EAR_SEM_FLOAT;
	op->rd = to_integer ? (uint8_t)d->rd : 0;
	op->rs1 = from_integer ? (uint8_t)d->rs1 : 0;
}

static void decode_wide(struct ear_semantics *op, const struct decoder *d)
{
	switch (d->insn & 0x7f) {
	case OP_LUI:
		op->kind = EAR_SEM_ADD;
		op->rd = (uint8_t)d->rd;
		op->imm = (int32_t)(d->insn & 0xfffff000);
		return;
	case OP_AUIPC:
		op->kind = EAR_SEM_AUIPC;
		op->rd = (uint8_t)d->rd;
		op->imm = (int32_t)(d->insn & 0xfffff000);
		return;
	case OP_JAL:
		op->kind = EAR_SEM_JAL;
		op->rd = (uint8_t)d->rd;
		op->imm = immediate_j(d->insn);
		return;
	case OP_JALR:
		if (d->funct3 == 0)
			set_unary(op, d, EAR_SEM_JALR, immediate_i(d->insn));
		return;
	case OP_FENCE:
		if (d->funct3 < 2)
			op->kind = EAR_SEM_FENCE;
		return;
	case OP_BRANCH: decode_branch(op, d); return;
	case OP_LOAD: decode_load(op, d); return;
	case OP_STORE: decode_store(op, d); return;
	case OP_IMM: decode_immediate(op, d); return;
	case OP_IMM_32: decode_immediate_32(op, d); return;
	case OP_REG: decode_register(op, d); return;
	case OP_REG_32: decode_register_32(op, d); return;
	case OP_AMO: decode_amo(op, d); return;
	case OP_SYSTEM: decode_system(op, d); return;
	case OP_LOAD_FP: decode_float_memory(op, d, false); return;
	case OP_STORE_FP: decode_float_memory(op, d, true); return;
	case OP_FMADD:
	case OP_FMSUB:
	case OP_FNMSUB:
	case OP_FNMADD:
		if (float_format(d, d->funct7 & 3))
			op->kind = EAR_SEM_FLOAT;
		return;
	case OP_FP: decode_float(op, d); return;
	default: return;
	}
}

void ear_semantics_decode(
	struct ear_semantics *op, uint32_t insn, unsigned xlen, uint32_t extensions)
{
	bool compressed = (insn & 3) != 3;
	struct decoder d;

	*op = (struct ear_semantics){.insn = insn, .wide = insn, .size = compressed ? 2 : 4};
	if (compressed)
		op->wide = extensions & EAR_SEMANTICS_C
				   ? ear_semantics_expand(insn, xlen, extensions)
				   : 0;
	d.insn = op->wide;
	d.xlen = xlen;
	d.extensions = extensions;
	d.funct3 = ear_semantics_bits(d.insn, 12, 3);
	d.funct7 = d.insn >> 25;
	d.rd = ear_semantics_bits(d.insn, 7, 5);
	d.rs1 = ear_semantics_bits(d.insn, 15, 5);
	d.rs2 = ear_semantics_bits(d.insn, 20, 5);
	if ((d.insn & 3) == 3)
		decode_wide(op, &d);
}
