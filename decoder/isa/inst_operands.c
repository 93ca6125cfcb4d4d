/* The operands of an instruction.
 *
 * Each format is a list of fields (inst_format.def), and one loop over the list makes the operands:
 * a table is shorter than one function a format, and can be compared with the manual line by line.
 * A register field is five or three bits of the opcode, or none for a register that the instruction
 * implies; an immediate is assembled from the bits that volume I scatters over the opcode.
 */
#include "decoder/isa/inst_table.h"

#include <string.h>

enum field {
	FIELD_END,
	WX_RD, /* x registers that are written: bits 11:7, 4:2, 9:7, and implied ones */
	WX_LOW,
	WX_HIGH,
	WX_0,
	WX_1,
	WX_2,
	WX_10,
	WX_11,
	RX_RD, /* x registers that are read */
	RX_RS1,
	RX_RS2,
	RX_CRS2,
	RX_LOW,
	RX_HIGH,
	RX_0,
	RX_1,
	RX_2,
	RX_5,
	RX_10,
	RX_11,
	UX_RD, /* x registers that are read and written */
	UX_2,
	WF_RD, /* f registers */
	WF_LOW,
	RF_RS1,
	RF_RS2,
	RF_RS3,
	RF_CRS2,
	RF_LOW,
	WV_RD, /* v registers */
	RV_RD,
	UV_RD, /* read and written, and a source to no tool */
	RV_RS1,
	RV_RS2,
	RV_0,
	CSR,
	FIELD_OTHER,          /* registers that are not just bits from here on */
	WXP_RD = FIELD_OTHER, /* pairs, of which the first is even */
	WXP_LOW,
	RXP_RS2,
	RXP_LOW,
	RXP_CRS2,
	UXP_RD,
	WX_SREG1, /* s0 to s7 in three bits */
	WX_SREG2,
	RX_SREG1,
	RX_SREG2,
	WX_LIST, /* ra and s0 to s11: up to three operands */
	RX_LIST,
	IMM_PUSH, /* immediates that depend on XLEN */
	IMM_POP,
	FIELD_IMM, /* immediates from here on */
	ZERO = FIELD_IMM,
	IMM_I,
	IMM_S,
	IMM_B,
	IMM_U,
	IMM_J,
	SHAMT,
	UIMM,
	PRED,
	SUCC,
	IMM_CIW,
	IMM_CL_B,
	IMM_CL_H,
	IMM_CL_W,
	IMM_CL_D,
	SHAMT_C,
	IMM_CI,
	IMM_CLUI,
	IMM_CADDI16SP,
	IMM_CJ,
	IMM_CB,
	IMM_CLSP_W,
	IMM_CLSP_D,
	IMM_CSSP_W,
	IMM_CSSP_D,
	IMM_PREFETCH,
	BS,
	RNUM_4,
	CM_INDEX,
	SIMM5, /* of vector instructions: bits 19:15 */
	UIMM6, /* with bit 26 above */
	VTYPE_10,
	VTYPE_11,
};

#define LIST(...) \
	{ \
		__VA_ARGS__ \
	}

/* One longer than the longest, so that each ends with FIELD_END. */
static const uint8_t layouts[FORMAT_COUNT][EAR_OPERAND_MAX + 1] = {
#define FORMAT(name, fields) [FORMAT_##name] = LIST fields,
#include "decoder/isa/inst_format.def"
#undef FORMAT
};

#define READ  EAR_OPERAND_READ
#define WRITE EAR_OPERAND_WRITE
#define ASIDE EAR_OPERAND_ASIDE

#define OPERAND(what, how, base) \
	{ \
		.kind = EAR_OPERAND_##what, .access = (how), .count = 1, .value = (base) \
	}

/* An operand, whose register number is value + (opcode >> low & mask). */
static const struct {
	struct ear_operand operand;
	uint16_t mask;
	uint8_t low;
} registers[FIELD_OTHER] = {
	[WX_RD] = {OPERAND(X, WRITE, 0), 31, 7},
	[WX_LOW] = {OPERAND(X, WRITE, 8), 7, 2},
	[WX_HIGH] = {OPERAND(X, WRITE, 8), 7, 7},
	[WX_0] = {OPERAND(X, WRITE, 0), 0, 0},
	[WX_1] = {OPERAND(X, WRITE, 1), 0, 0},
	[WX_2] = {OPERAND(X, WRITE, 2), 0, 0},
	[WX_10] = {OPERAND(X, WRITE, 10), 0, 0},
	[WX_11] = {OPERAND(X, WRITE, 11), 0, 0},
	[RX_RD] = {OPERAND(X, READ, 0), 31, 7},
	[RX_RS1] = {OPERAND(X, READ, 0), 31, 15},
	[RX_RS2] = {OPERAND(X, READ, 0), 31, 20},
	[RX_CRS2] = {OPERAND(X, READ, 0), 31, 2},
	[RX_LOW] = {OPERAND(X, READ, 8), 7, 2},
	[RX_HIGH] = {OPERAND(X, READ, 8), 7, 7},
	[RX_0] = {OPERAND(X, READ, 0), 0, 0},
	[RX_1] = {OPERAND(X, READ, 1), 0, 0},
	[RX_2] = {OPERAND(X, READ, 2), 0, 0},
	[RX_5] = {OPERAND(X, READ, 5), 0, 0},
	[RX_10] = {OPERAND(X, READ, 10), 0, 0},
	[RX_11] = {OPERAND(X, READ, 11), 0, 0},
	[UX_RD] = {OPERAND(X, READ | WRITE, 0), 31, 7},
	[UX_2] = {OPERAND(X, READ | WRITE, 2), 0, 0},
	[WF_RD] = {OPERAND(F, WRITE, 0), 31, 7},
	[WF_LOW] = {OPERAND(F, WRITE, 8), 7, 2},
	[RF_RS1] = {OPERAND(F, READ, 0), 31, 15},
	[RF_RS2] = {OPERAND(F, READ, 0), 31, 20},
	[RF_RS3] = {OPERAND(F, READ, 0), 31, 27},
	[RF_CRS2] = {OPERAND(F, READ, 0), 31, 2},
	[RF_LOW] = {OPERAND(F, READ, 8), 7, 2},
	[WV_RD] = {OPERAND(V, WRITE, 0), 31, 7},
	[RV_RD] = {OPERAND(V, READ, 0), 31, 7},
	[UV_RD] = {OPERAND(V, READ | WRITE | ASIDE, 0), 31, 7},
	[RV_RS1] = {OPERAND(V, READ, 0), 31, 15},
	[RV_RS2] = {OPERAND(V, READ, 0), 31, 20},
	[RV_0] = {OPERAND(V, READ | ASIDE, 0), 0, 0},
	[CSR] = {OPERAND(CSR, READ | WRITE, 0), 4095, 20},
};

/* Bits high .. low of an opcode, moved to bit to and up: how immediates are put together. */
static inline uint32_t bits(uint32_t opcode, unsigned high, unsigned low, unsigned to)
{
	return (opcode >> low & ((UINT32_C(2) << (high - low)) - 1)) << to;
}

/* The low width bits of value as a signed number, in two's complement. */
static inline uint32_t sign_extend(uint32_t value, unsigned width)
{
	uint32_t sign = UINT32_C(1) << (width - 1);

	value &= (sign << 1) - 1;
	return (value ^ sign) - sign;
}

static uint32_t imm_i(uint32_t opcode)
{
	return sign_extend(bits(opcode, 31, 20, 0), 12);
}

static uint32_t imm_s(uint32_t opcode)
{
	return sign_extend(bits(opcode, 31, 25, 5) | bits(opcode, 11, 7, 0), 12);
}

static uint32_t imm_b(uint32_t opcode)
{
	return sign_extend(bits(opcode, 31, 31, 12) | bits(opcode, 7, 7, 11) |
				   bits(opcode, 30, 25, 5) | bits(opcode, 11, 8, 1),
		13);
}

static uint32_t imm_j(uint32_t opcode)
{
	return sign_extend(bits(opcode, 31, 31, 20) | bits(opcode, 19, 12, 12) |
				   bits(opcode, 20, 20, 11) | bits(opcode, 30, 21, 1),
		21);
}

static uint32_t imm_ciw(uint32_t opcode)
{
	return bits(opcode, 12, 11, 4) | bits(opcode, 10, 7, 6) | bits(opcode, 6, 6, 2) |
	       bits(opcode, 5, 5, 3);
}

static uint32_t imm_cl_b(uint32_t opcode)
{
	return bits(opcode, 6, 6, 0) | bits(opcode, 5, 5, 1);
}

static uint32_t imm_cl_h(uint32_t opcode)
{
	return bits(opcode, 5, 5, 1);
}

static uint32_t imm_cl_w(uint32_t opcode)
{
	return bits(opcode, 12, 10, 3) | bits(opcode, 6, 6, 2) | bits(opcode, 5, 5, 6);
}

static uint32_t imm_cl_d(uint32_t opcode)
{
	return bits(opcode, 12, 10, 3) | bits(opcode, 6, 5, 6);
}

static uint32_t shamt_c(uint32_t opcode)
{
	return bits(opcode, 12, 12, 5) | bits(opcode, 6, 2, 0);
}

static uint32_t imm_ci(uint32_t opcode)
{
	return sign_extend(shamt_c(opcode), 6);
}

static uint32_t imm_caddi16sp(uint32_t opcode)
{
	return sign_extend(bits(opcode, 12, 12, 9) | bits(opcode, 6, 6, 4) | bits(opcode, 5, 5, 6) |
				   bits(opcode, 4, 3, 7) | bits(opcode, 2, 2, 5),
		10);
}

static uint32_t imm_cj(uint32_t opcode)
{
	return sign_extend(bits(opcode, 12, 12, 11) | bits(opcode, 11, 11, 4) |
				   bits(opcode, 10, 9, 8) | bits(opcode, 8, 8, 10) |
				   bits(opcode, 7, 7, 6) | bits(opcode, 6, 6, 7) |
				   bits(opcode, 5, 3, 1) | bits(opcode, 2, 2, 5),
		12);
}

static uint32_t imm_cb(uint32_t opcode)
{
	return sign_extend(bits(opcode, 12, 12, 8) | bits(opcode, 11, 10, 3) |
				   bits(opcode, 6, 5, 6) | bits(opcode, 4, 3, 1) |
				   bits(opcode, 2, 2, 5),
		9);
}

static uint32_t imm_clsp_w(uint32_t opcode)
{
	return bits(opcode, 12, 12, 5) | bits(opcode, 6, 4, 2) | bits(opcode, 3, 2, 6);
}

static uint32_t imm_clsp_d(uint32_t opcode)
{
	return bits(opcode, 12, 12, 5) | bits(opcode, 6, 5, 3) | bits(opcode, 4, 2, 6);
}

static uint32_t imm_cssp_w(uint32_t opcode)
{
	return bits(opcode, 12, 9, 2) | bits(opcode, 8, 7, 6);
}

static uint32_t imm_cssp_d(uint32_t opcode)
{
	return bits(opcode, 12, 10, 3) | bits(opcode, 9, 7, 6);
}

/* Zcmp: bits 7:4 of an opcode are 4 for ra, 5 for ra and s0, 6 for ra, s0 and s1 ... and 15 for ra
 * and s0 to s11.
 */
static unsigned saved_count(uint32_t opcode)
{
	unsigned list = bits(opcode, 7, 4, 0);

	return list == 15 ? 12 : list - 4;
}

unsigned ear_inst_list_size(uint32_t opcode)
{
	return 1 + saved_count(opcode);
}

/* The registers, rounded up to 16 bytes, and up to 48 more. */
static uint32_t stack_adjustment(uint32_t opcode, unsigned xlen)
{
	unsigned size = ear_inst_list_size(opcode) * xlen / 8;

	return ((size + 15) & ~15u) + bits(opcode, 3, 2, 4);
}

static inline uint32_t immediate(enum field field, uint32_t opcode)
{
	switch (field) {
	case IMM_I: return imm_i(opcode);
	case IMM_S: return imm_s(opcode);
	case IMM_B: return imm_b(opcode);
	case IMM_U: return opcode & 0xfffff000;
	case IMM_J: return imm_j(opcode);
	case SHAMT: return bits(opcode, 26, 20, 0); /* bit 26 is 0, but see LOOSE */
	case UIMM: return bits(opcode, 19, 15, 0);
	case PRED: return bits(opcode, 27, 24, 0);
	case SUCC: return bits(opcode, 23, 20, 0);
	case IMM_CIW: return imm_ciw(opcode);
	case IMM_CL_B: return imm_cl_b(opcode);
	case IMM_CL_H: return imm_cl_h(opcode);
	case IMM_CL_W: return imm_cl_w(opcode);
	case IMM_CL_D: return imm_cl_d(opcode);
	case SHAMT_C: return shamt_c(opcode);
	case IMM_CI: return imm_ci(opcode);
	case IMM_CLUI: return imm_ci(opcode) << 12;
	case IMM_CADDI16SP: return imm_caddi16sp(opcode);
	case IMM_CJ: return imm_cj(opcode);
	case IMM_CB: return imm_cb(opcode);
	case IMM_CLSP_W: return imm_clsp_w(opcode);
	case IMM_CLSP_D: return imm_clsp_d(opcode);
	case IMM_CSSP_W: return imm_cssp_w(opcode);
	case IMM_CSSP_D: return imm_cssp_d(opcode);
	case IMM_PREFETCH: return imm_i(opcode) & ~UINT32_C(31);
	case BS: return bits(opcode, 31, 30, 0);
	case RNUM_4: return bits(opcode, 23, 20, 0);
	case CM_INDEX: return bits(opcode, 9, 2, 0);
	case SIMM5: return sign_extend(opcode >> 15, 5);
	case UIMM6: return bits(opcode, 26, 26, 5) | bits(opcode, 19, 15, 0);
	case VTYPE_10: return bits(opcode, 29, 20, 0);
	case VTYPE_11: return bits(opcode, 30, 20, 0);
	default: return 0;
	}
}

/* A pair of x0 is x0 alone: it reads as zero, and writes nothing. */
static void set_pair(struct ear_operand *operand, uint8_t access, uint32_t first)
{
	operand->kind = EAR_OPERAND_X;
	operand->access = access;
	operand->count = first == 0 ? 1 : 2;
	operand->value = (int32_t)first;
}

/* s0 and s1 are x8 and x9, s2 to s7 are x18 to x23. */
static void set_saved(struct ear_operand *operand, uint8_t access, uint32_t number)
{
	operand->kind = EAR_OPERAND_X;
	operand->access = access;
	operand->count = 1;
	operand->value = (int32_t)(number < 2 ? 8 + number : 16 + number);
}

/* ra, s0 and s1, s2 to s11: returns how many operands these are. */
static unsigned add_list(struct ear_operand *operand, uint8_t access, uint32_t opcode)
{
	static const uint8_t first[3] = {1, 8, 18};
	static const uint8_t size[3] = {1, 2, 10};
	unsigned left = ear_inst_list_size(opcode);
	unsigned count = 0;

	for (; left != 0; count++) {
		unsigned here = left < size[count] ? left : size[count];

		operand[count] = (struct ear_operand){.kind = EAR_OPERAND_X,
			.access = access,
			.count = (uint8_t)here,
			.value = first[count]};
		left -= here;
	}
	return count;
}

static void set_adjustment(struct ear_inst *inst, struct ear_operand *operand, bool push)
{
	uint32_t size = stack_adjustment(inst->opcode, inst->xlen);

	operand->kind = EAR_OPERAND_IMM;
	operand->value = (int32_t)(push ? 0 - size : size);
	inst->imm = operand->value;
}

/* A field from FIELD_OTHER on. Returns how many operands it is. */
static unsigned add_other(struct ear_inst *inst, struct ear_operand *operand, enum field field)
{
	uint32_t opcode = inst->opcode;

	switch (field) {
	case WXP_RD: set_pair(operand, WRITE, bits(opcode, 11, 7, 0)); break;
	case WXP_LOW: set_pair(operand, WRITE, 8 + bits(opcode, 4, 2, 0)); break;
	case RXP_RS2: set_pair(operand, READ, bits(opcode, 24, 20, 0)); break;
	case RXP_LOW: set_pair(operand, READ, 8 + bits(opcode, 4, 2, 0)); break;
	case RXP_CRS2: set_pair(operand, READ, bits(opcode, 6, 2, 0)); break;
	case UXP_RD: set_pair(operand, READ | WRITE, bits(opcode, 11, 7, 0)); break;
	case WX_SREG1: set_saved(operand, WRITE, bits(opcode, 9, 7, 0)); break;
	case WX_SREG2: set_saved(operand, WRITE, bits(opcode, 4, 2, 0)); break;
	case RX_SREG1: set_saved(operand, READ, bits(opcode, 9, 7, 0)); break;
	case RX_SREG2: set_saved(operand, READ, bits(opcode, 4, 2, 0)); break;
	case IMM_PUSH: set_adjustment(inst, operand, true); break;
	case IMM_POP: set_adjustment(inst, operand, false); break;
	case WX_LIST: return add_list(operand, WRITE, opcode);
	default: return add_list(operand, READ, opcode);
	}
	return 1;
}

static void add_register(struct ear_operand *operand, enum field field, uint32_t opcode)
{
	const struct ear_operand *base = &registers[field].operand;

	memcpy(operand, base, offsetof(struct ear_operand, value));
	operand->value =
		base->value + (int32_t)(opcode >> registers[field].low & registers[field].mask);
}

static void add_immediate(struct ear_inst *inst, struct ear_operand *operand, enum field field)
{
	operand->kind = EAR_OPERAND_IMM;
	operand->value = (int32_t)immediate(field, inst->opcode);
	inst->imm = operand->value;
}

/* The fields from one that is more than bits on: few instructions come here. */
static void add_rest(struct ear_inst *inst, const uint8_t *field, unsigned count)
{
	for (; *field != FIELD_END; field++) {
		struct ear_operand *operand = &inst->operands[count];

		if (*field >= FIELD_IMM)
			add_immediate(inst, operand, *field);
		else if (*field < FIELD_OTHER)
			add_register(operand, *field, inst->opcode);
		count += *field >= FIELD_OTHER && *field < FIELD_IMM
				 ? add_other(inst, operand, *field)
				 : 1;
	}
	inst->operand_count = (uint8_t)count;
}

void ear_inst_add_operands(struct ear_inst *inst, unsigned format)
{
	const uint8_t *field = layouts[format];
	unsigned count = 0;

	for (; *field != FIELD_END; field++) {
		struct ear_operand *operand = &inst->operands[count];

		if (*field >= FIELD_IMM) {
			add_immediate(inst, operand, *field);
		} else if (*field >= FIELD_OTHER) {
			add_rest(inst, field, count);
			return;
		} else {
			add_register(operand, *field, inst->opcode);
		}
		count++;
	}
	if (inst->flags & EAR_INST_MASKED)
		inst->operands[count++] = registers[RV_0].operand;
	inst->operand_count = (uint8_t)count;
}
