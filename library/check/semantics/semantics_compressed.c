/* Compressed instructions to the 32-bit ones they stand for. RISC-V unprivileged specification,
 * chapters "C" and "Zcb". Reserved encodings and those of absent extensions give 0.
 *
 * The immediates of this extension are scattered over the opcode in an order of their own: a
 * place is written as "count bits of the opcode at `from` go to bit `to`".
 */
#include "library/check/semantics/semantics.h"

#define OP_LOAD     0x03u
#define OP_LOAD_FP  0x07u
#define OP_IMM      0x13u
#define OP_IMM_32   0x1bu
#define OP_STORE    0x23u
#define OP_STORE_FP 0x27u
#define OP_REG      0x33u
#define OP_LUI      0x37u
#define OP_REG_32   0x3bu
#define OP_BRANCH   0x63u
#define OP_JALR     0x67u
#define OP_JAL      0x6fu
#define EBREAK      0x00100073u

#define PLACE(from, count, to) (ear_semantics_bits(half, from, count) << (to))

static uint32_t form_i(uint32_t op, uint32_t f3, uint32_t rd, uint32_t rs1, uint32_t imm)
{
	return imm << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}

static uint32_t form_r(
	uint32_t op, uint32_t f7, uint32_t f3, uint32_t rd, uint32_t rs1, uint32_t rs2)
{
	return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}

static uint32_t form_s(uint32_t op, uint32_t f3, uint32_t rs1, uint32_t rs2, uint32_t imm)
{
	return imm >> 5 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (imm & 31) << 7 | op;
}

static uint32_t form_b(uint32_t f3, uint32_t rs1, uint32_t offset)
{
	return ear_semantics_bits(offset, 12, 1) << 31 | ear_semantics_bits(offset, 5, 6) << 25 |
	       rs1 << 15 | f3 << 12 | ear_semantics_bits(offset, 1, 4) << 8 |
	       ear_semantics_bits(offset, 11, 1) << 7 | OP_BRANCH;
}

static uint32_t form_j(uint32_t rd, uint32_t offset)
{
	return ear_semantics_bits(offset, 20, 1) << 31 | ear_semantics_bits(offset, 1, 10) << 21 |
	       ear_semantics_bits(offset, 11, 1) << 20 | ear_semantics_bits(offset, 12, 8) << 12 |
	       rd << 7 | OP_JAL;
}

/* Bit `sign` of value is its sign. */
static uint32_t extend(uint32_t value, unsigned sign)
{
	return value >> sign & 1 ? value | ~0u << sign : value;
}

/* Bit 12 and bits 6:2: the six-bit immediate of most of quadrant 1. */
static uint32_t immediate_6(uint32_t half)
{
	return PLACE(2, 5, 0) | PLACE(12, 1, 5);
}

/* Offsets of quadrant 0: words and doublewords. */
static uint32_t offset_word(uint32_t half)
{
	return PLACE(6, 1, 2) | PLACE(10, 3, 3) | PLACE(5, 1, 6);
}

static uint32_t offset_double(uint32_t half)
{
	return PLACE(10, 3, 3) | PLACE(5, 2, 6);
}

/* Zcb: c.lbu, c.lhu, c.lh, c.sb, c.sh */
static uint32_t expand_narrow(uint32_t half, uint32_t base, uint32_t low)
{
	uint32_t byte = PLACE(6, 1, 0) | PLACE(5, 1, 1), offset = PLACE(5, 1, 1);

	switch (ear_semantics_bits(half, 10, 3)) {
	case 0: return form_i(OP_LOAD, 4, low, base, byte);
	case 1: return form_i(OP_LOAD, half >> 6 & 1 ? 1 : 5, low, base, offset);
	case 2: return form_s(OP_STORE, 0, base, low, byte);
	case 3: return half >> 6 & 1 ? 0 : form_s(OP_STORE, 1, base, low, offset);
	default: return 0;
	}
}

/* Zcb: the forms with one register, and c.mul. What they stand for is often an instruction of
 * another extension, and exists only with that. */
static uint32_t expand_unary(uint32_t half, unsigned xlen, uint32_t extensions)
{
	uint32_t rd = 8 + ear_semantics_bits(half, 7, 3), rs2 = 8 + ear_semantics_bits(half, 2, 3);
	uint32_t zbb = extensions & EAR_SEMANTICS_ZBB;

	if (ear_semantics_bits(half, 5, 2) == 2)
		return extensions & EAR_SEMANTICS_M ? form_r(OP_REG, 1, 0, rd, rd, rs2) : 0;
	switch (ear_semantics_bits(half, 2, 3)) {
	case 0: return form_i(OP_IMM, 7, rd, rd, 0xff);            /* zext.b */
	case 1: return zbb ? form_i(OP_IMM, 1, rd, rd, 0x604) : 0; /* sext.b */
	case 2: return zbb ? form_r(xlen == 64 ? OP_REG_32 : OP_REG, 4, 4, rd, rd, 0) : 0;
	case 3: return zbb ? form_i(OP_IMM, 1, rd, rd, 0x605) : 0; /* sext.h */
	case 4:                                                    /* zext.w */
		return xlen == 64 && extensions & EAR_SEMANTICS_ZBA
			       ? form_r(OP_REG_32, 4, 0, rd, rd, 0)
			       : 0;
	case 5: return form_i(OP_IMM, 4, rd, rd, 0xfff); /* not */
	default: return 0;
	}
}

static uint32_t expand_0(uint32_t half, unsigned xlen, uint32_t extensions)
{
	uint32_t low = 8 + ear_semantics_bits(half, 2, 3),
		 base = 8 + ear_semantics_bits(half, 7, 3), imm;

	switch (half >> 13) {
	case 0: /* addi4spn */
		imm = PLACE(6, 1, 2) | PLACE(5, 1, 3) | PLACE(11, 2, 4) | PLACE(7, 4, 6);
		return imm ? form_i(OP_IMM, 0, low, 2, imm) : 0;
	case 1: /* fld */
		if (!(extensions & EAR_SEMANTICS_D))
			return 0;
		return form_i(OP_LOAD_FP, 3, low, base, offset_double(half));
	case 2: return form_i(OP_LOAD, 2, low, base, offset_word(half));
	case 3: /* ld, on RV32 flw */
		if (xlen == 64)
			return form_i(OP_LOAD, 3, low, base, offset_double(half));
		if (!(extensions & EAR_SEMANTICS_F))
			return 0;
		return form_i(OP_LOAD_FP, 2, low, base, offset_word(half));
	case 4: return extensions & EAR_SEMANTICS_ZCB ? expand_narrow(half, base, low) : 0;
	case 5: /* fsd */
		if (!(extensions & EAR_SEMANTICS_D))
			return 0;
		return form_s(OP_STORE_FP, 3, base, low, offset_double(half));
	case 6: return form_s(OP_STORE, 2, base, low, offset_word(half));
	case 7: /* sd, on RV32 fsw */
		if (xlen == 64)
			return form_s(OP_STORE, 3, base, low, offset_double(half));
		if (!(extensions & EAR_SEMANTICS_F))
			return 0;
		return form_s(OP_STORE_FP, 2, base, low, offset_word(half));
	default: return 0;
	}
}

/* c.srli, c.srai, c.andi and the operations on two registers. */
static uint32_t expand_arithmetic(uint32_t half, unsigned xlen, uint32_t extensions)
{
	static const uint8_t functions[4] = {0, 4, 6, 7}; /* sub, xor, or, and */
	uint32_t rd = 8 + ear_semantics_bits(half, 7, 3), rs2 = 8 + ear_semantics_bits(half, 2, 3);
	uint32_t imm = immediate_6(half), select = ear_semantics_bits(half, 5, 2);

	switch (ear_semantics_bits(half, 10, 2)) {
	case 0:
	case 1: /* srli, srai */
		if (xlen == 32 && imm >= 32)
			return 0;
		return form_i(OP_IMM, 5, rd, rd, imm | (half >> 10 & 1) << 10);
	case 2: return form_i(OP_IMM, 7, rd, rd, extend(imm, 5) & 0xfff);
	default: break;
	}
	if (!(half >> 12 & 1))
		return form_r(OP_REG, select == 0 ? 0x20 : 0, functions[select], rd, rd, rs2);
	if (select > 1)
		return extensions & EAR_SEMANTICS_ZCB ? expand_unary(half, xlen, extensions) : 0;
	if (xlen == 32)
		return 0;
	return form_r(OP_REG_32, select == 0 ? 0x20 : 0, 0, rd, rd, rs2); /* subw, addw */
}

static uint32_t expand_1(uint32_t half, unsigned xlen, uint32_t extensions)
{
	uint32_t rd = ear_semantics_bits(half, 7, 5), base = 8 + ear_semantics_bits(half, 7, 3);
	uint32_t imm = extend(immediate_6(half), 5);
	uint32_t jump = extend(PLACE(3, 3, 1) | PLACE(11, 1, 4) | PLACE(2, 1, 5) | PLACE(7, 1, 6) |
				       PLACE(6, 1, 7) | PLACE(9, 2, 8) | PLACE(8, 1, 10) |
				       PLACE(12, 1, 11),
		11);
	uint32_t branch = extend(PLACE(3, 2, 1) | PLACE(10, 2, 3) | PLACE(2, 1, 5) |
					 PLACE(5, 2, 6) | PLACE(12, 1, 8),
		8);

	switch (half >> 13) {
	case 0: return form_i(OP_IMM, 0, rd, rd, imm & 0xfff);
	case 1: /* jal, on RV64 addiw */
		if (xlen == 32)
			return form_j(1, jump);
		return rd ? form_i(OP_IMM_32, 0, rd, rd, imm & 0xfff) : 0;
	case 2: return form_i(OP_IMM, 0, rd, 0, imm & 0xfff);
	case 3: /* lui, with x2 addi16sp */
		if (imm == 0)
			return 0;
		if (rd != 2)
			return (imm & 0xfffff) << 12 | rd << 7 | OP_LUI;
		imm = PLACE(6, 1, 4) | PLACE(2, 1, 5) | PLACE(5, 1, 6) | PLACE(3, 2, 7) |
		      PLACE(12, 1, 9);
		return form_i(OP_IMM, 0, 2, 2, extend(imm, 9) & 0xfff);
	case 4: return expand_arithmetic(half, xlen, extensions);
	case 5: return form_j(0, jump);
	case 6: return form_b(0, base, branch);
	default: return form_b(1, base, branch);
	}
}

/* jr, jalr, ebreak, mv, add */
static uint32_t expand_register(uint32_t half)
{
	uint32_t rd = ear_semantics_bits(half, 7, 5), rs2 = ear_semantics_bits(half, 2, 5),
		 adds = half >> 12 & 1;

	if (rs2)
		return form_r(OP_REG, 0, 0, rd, adds ? rd : 0, rs2);
	if (rd)
		return form_i(OP_JALR, 0, adds, rd, 0);
	return adds ? EBREAK : 0;
}

static uint32_t expand_2(uint32_t half, unsigned xlen, uint32_t extensions)
{
	uint32_t rd = ear_semantics_bits(half, 7, 5), rs2 = ear_semantics_bits(half, 2, 5),
		 imm = immediate_6(half);
	uint32_t load_word = PLACE(4, 3, 2) | PLACE(12, 1, 5) | PLACE(2, 2, 6);
	uint32_t load_double = PLACE(5, 2, 3) | PLACE(12, 1, 5) | PLACE(2, 3, 6);
	uint32_t store_word = PLACE(9, 4, 2) | PLACE(7, 2, 6);
	uint32_t store_double = PLACE(10, 3, 3) | PLACE(7, 3, 6);
	bool single = (extensions & EAR_SEMANTICS_F) != 0,
	     twice = (extensions & EAR_SEMANTICS_D) != 0;

	switch (half >> 13) {
	case 0: /* slli */
		if (xlen == 32 && imm >= 32)
			return 0;
		return form_i(OP_IMM, 1, rd, rd, imm);
	case 1: return twice ? form_i(OP_LOAD_FP, 3, rd, 2, load_double) : 0;
	case 2: return rd ? form_i(OP_LOAD, 2, rd, 2, load_word) : 0;
	case 3:
		if (xlen == 64)
			return rd ? form_i(OP_LOAD, 3, rd, 2, load_double) : 0;
		return single ? form_i(OP_LOAD_FP, 2, rd, 2, load_word) : 0;
	case 4: return expand_register(half);
	case 5: return twice ? form_s(OP_STORE_FP, 3, 2, rs2, store_double) : 0;
	case 6: return form_s(OP_STORE, 2, 2, rs2, store_word);
	default:
		if (xlen == 64)
			return form_s(OP_STORE, 3, 2, rs2, store_double);
		return single ? form_s(OP_STORE_FP, 2, 2, rs2, store_word) : 0;
	}
}

uint32_t ear_semantics_expand(uint32_t half, unsigned xlen, uint32_t extensions)
{
	switch (half & 3) {
	case 0: return expand_0(half, xlen, extensions);
	case 1: return expand_1(half, xlen, extensions);
	case 2: return expand_2(half, xlen, extensions);
	default: return 0;
	}
}
