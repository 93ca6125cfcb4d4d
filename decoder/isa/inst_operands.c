/* The operands of an instruction.
 *
 * Each format is a list of fields, and one loop over the list makes the operands: a table is
 * shorter than one function a format, and can be compared with the manual line by line. A register
 * field is five or three bits of the opcode, or none for a register that the instruction implies;
 * an immediate is assembled from the bits that volume I scatters over the opcode.
 */
#include "decoder/isa/inst_table.h"

enum field {
	FIELD_END,
	WX_RD, /* x registers that are written: bits 11:7, 4:2, 9:7, and implied ones */
	WX_LOW,
	WX_HIGH,
	WX_0,
	WX_1,
	WX_2,
	RX_RD, /* x registers that are read */
	RX_RS1,
	RX_RS2,
	RX_CRS2,
	RX_LOW,
	RX_HIGH,
	RX_0,
	RX_2,
	WF_RD, /* f registers */
	WF_LOW,
	RF_RS1,
	RF_RS2,
	RF_RS3,
	RF_CRS2,
	RF_LOW,
	CSR,
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
};

static const uint8_t layouts[][EAR_OPERAND_MAX + 1] = {
	[FORMAT_NONE] = {FIELD_END},
	[FORMAT_R] = {WX_RD, RX_RS1, RX_RS2},
	[FORMAT_R2] = {WX_RD, RX_RS1},
	[FORMAT_ZEXT] = {WX_RD, RX_RS1, RX_RS2},
	[FORMAT_I] = {WX_RD, RX_RS1, IMM_I},
	[FORMAT_SHIFT] = {WX_RD, RX_RS1, SHAMT},
	[FORMAT_LOAD] = {WX_RD, RX_RS1, IMM_I},
	[FORMAT_FLOAD] = {WF_RD, RX_RS1, IMM_I},
	[FORMAT_STORE] = {RX_RS2, RX_RS1, IMM_S},
	[FORMAT_FSTORE] = {RF_RS2, RX_RS1, IMM_S},
	[FORMAT_BRANCH] = {RX_RS1, RX_RS2, IMM_B},
	[FORMAT_LUI] = {WX_RD, IMM_U},
	[FORMAT_AUIPC] = {WX_RD, IMM_U},
	[FORMAT_JAL] = {WX_RD, IMM_J},
	[FORMAT_JALR] = {WX_RD, RX_RS1, IMM_I},
	[FORMAT_CSR] = {WX_RD, RX_RS1, CSR},
	[FORMAT_CSRI] = {WX_RD, UIMM, CSR},
	[FORMAT_FENCE] = {PRED, SUCC},
	[FORMAT_RS1_RS2] = {RX_RS1, RX_RS2},
	[FORMAT_CBO] = {RX_RS1},
	[FORMAT_AMO] = {WX_RD, RX_RS1, RX_RS2},
	[FORMAT_LR] = {WX_RD, RX_RS1},
	[FORMAT_HLV] = {WX_RD, RX_RS1},
	[FORMAT_HSV] = {RX_RS2, RX_RS1},
	[FORMAT_FFF] = {WF_RD, RF_RS1, RF_RS2},
	[FORMAT_FFFF] = {WF_RD, RF_RS1, RF_RS2, RF_RS3},
	[FORMAT_FF] = {WF_RD, RF_RS1},
	[FORMAT_XFF] = {WX_RD, RF_RS1, RF_RS2},
	[FORMAT_XF] = {WX_RD, RF_RS1},
	[FORMAT_FX] = {WF_RD, RX_RS1},
	[FORMAT_CIW] = {WX_LOW, RX_2, IMM_CIW},
	[FORMAT_CL_B] = {WX_LOW, RX_HIGH, IMM_CL_B},
	[FORMAT_CL_H] = {WX_LOW, RX_HIGH, IMM_CL_H},
	[FORMAT_CL_W] = {WX_LOW, RX_HIGH, IMM_CL_W},
	[FORMAT_CL_D] = {WX_LOW, RX_HIGH, IMM_CL_D},
	[FORMAT_CFL_W] = {WF_LOW, RX_HIGH, IMM_CL_W},
	[FORMAT_CFL_D] = {WF_LOW, RX_HIGH, IMM_CL_D},
	[FORMAT_CS_B] = {RX_LOW, RX_HIGH, IMM_CL_B},
	[FORMAT_CS_H] = {RX_LOW, RX_HIGH, IMM_CL_H},
	[FORMAT_CS_W] = {RX_LOW, RX_HIGH, IMM_CL_W},
	[FORMAT_CS_D] = {RX_LOW, RX_HIGH, IMM_CL_D},
	[FORMAT_CFS_W] = {RF_LOW, RX_HIGH, IMM_CL_W},
	[FORMAT_CFS_D] = {RF_LOW, RX_HIGH, IMM_CL_D},
	[FORMAT_CI] = {WX_RD, RX_RD, IMM_CI},
	[FORMAT_CLI] = {WX_RD, RX_0, IMM_CI},
	[FORMAT_CLUI] = {WX_RD, IMM_CLUI},
	[FORMAT_CADDI16SP] = {WX_2, RX_2, IMM_CADDI16SP},
	[FORMAT_CSLLI] = {WX_RD, RX_RD, SHAMT_C},
	[FORMAT_CB_SHIFT] = {WX_HIGH, RX_HIGH, SHAMT_C},
	[FORMAT_CB_ANDI] = {WX_HIGH, RX_HIGH, IMM_CI},
	[FORMAT_CA] = {WX_HIGH, RX_HIGH, RX_LOW},
	[FORMAT_CU] = {WX_HIGH, RX_HIGH},
	[FORMAT_CJ] = {RX_0, IMM_CJ},
	[FORMAT_CJAL] = {WX_1, IMM_CJ},
	[FORMAT_CB] = {RX_HIGH, RX_0, IMM_CB},
	[FORMAT_CLSP_W] = {WX_RD, RX_2, IMM_CLSP_W},
	[FORMAT_CLSP_D] = {WX_RD, RX_2, IMM_CLSP_D},
	[FORMAT_CFLSP_W] = {WF_RD, RX_2, IMM_CLSP_W},
	[FORMAT_CFLSP_D] = {WF_RD, RX_2, IMM_CLSP_D},
	[FORMAT_CSSP_W] = {RX_CRS2, RX_2, IMM_CSSP_W},
	[FORMAT_CSSP_D] = {RX_CRS2, RX_2, IMM_CSSP_D},
	[FORMAT_CFSSP_W] = {RF_CRS2, RX_2, IMM_CSSP_W},
	[FORMAT_CFSSP_D] = {RF_CRS2, RX_2, IMM_CSSP_D},
	[FORMAT_CJR] = {WX_0, RX_RD, ZERO},
	[FORMAT_CJALR] = {WX_1, RX_RD, ZERO},
	[FORMAT_CMV] = {WX_RD, RX_0, RX_CRS2},
	[FORMAT_CADD] = {WX_RD, RX_RD, RX_CRS2},
};

#define READ  EAR_OPERAND_READ
#define WRITE EAR_OPERAND_WRITE

/* A register number is base + (opcode >> low & mask). */
static const struct {
	uint8_t kind;
	uint8_t access;
	uint8_t low;
	uint8_t base;
	uint16_t mask;
} registers[FIELD_IMM] = {
	[WX_RD] = {EAR_OPERAND_X, WRITE, 7, 0, 31},
	[WX_LOW] = {EAR_OPERAND_X, WRITE, 2, 8, 7},
	[WX_HIGH] = {EAR_OPERAND_X, WRITE, 7, 8, 7},
	[WX_0] = {EAR_OPERAND_X, WRITE, 0, 0, 0},
	[WX_1] = {EAR_OPERAND_X, WRITE, 0, 1, 0},
	[WX_2] = {EAR_OPERAND_X, WRITE, 0, 2, 0},
	[RX_RD] = {EAR_OPERAND_X, READ, 7, 0, 31},
	[RX_RS1] = {EAR_OPERAND_X, READ, 15, 0, 31},
	[RX_RS2] = {EAR_OPERAND_X, READ, 20, 0, 31},
	[RX_CRS2] = {EAR_OPERAND_X, READ, 2, 0, 31},
	[RX_LOW] = {EAR_OPERAND_X, READ, 2, 8, 7},
	[RX_HIGH] = {EAR_OPERAND_X, READ, 7, 8, 7},
	[RX_0] = {EAR_OPERAND_X, READ, 0, 0, 0},
	[RX_2] = {EAR_OPERAND_X, READ, 0, 2, 0},
	[WF_RD] = {EAR_OPERAND_F, WRITE, 7, 0, 31},
	[WF_LOW] = {EAR_OPERAND_F, WRITE, 2, 8, 7},
	[RF_RS1] = {EAR_OPERAND_F, READ, 15, 0, 31},
	[RF_RS2] = {EAR_OPERAND_F, READ, 20, 0, 31},
	[RF_RS3] = {EAR_OPERAND_F, READ, 27, 0, 31},
	[RF_CRS2] = {EAR_OPERAND_F, READ, 2, 0, 31},
	[RF_LOW] = {EAR_OPERAND_F, READ, 2, 8, 7},
	[CSR] = {EAR_OPERAND_CSR, READ | WRITE, 20, 0, 4095},
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

static uint32_t immediate(enum field field, uint32_t opcode)
{
	switch (field) {
	case IMM_I: return imm_i(opcode);
	case IMM_S: return imm_s(opcode);
	case IMM_B: return imm_b(opcode);
	case IMM_U: return opcode & 0xfffff000;
	case IMM_J: return imm_j(opcode);
	case SHAMT: return bits(opcode, 25, 20, 0);
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
	default: return 0;
	}
}

void ear_inst_add_operands(struct ear_inst *inst, unsigned format)
{
	uint32_t opcode = inst->opcode;
	unsigned count = 0;

	for (const uint8_t *field = layouts[format]; *field != FIELD_END; field++) {
		struct ear_operand *operand = &inst->operands[count++];

		if (*field >= FIELD_IMM) {
			operand->kind = EAR_OPERAND_IMM;
			operand->value = (int32_t)immediate(*field, opcode);
			inst->imm = operand->value;
		} else {
			operand->kind = registers[*field].kind;
			operand->access = registers[*field].access;
			operand->value =
				registers[*field].base +
				(int32_t)(opcode >> registers[*field].low & registers[*field].mask);
		}
	}
	inst->operand_count = (uint8_t)count;
}
