#ifndef EAR_INST_TABLE_H
#define EAR_INST_TABLE_H

#include "decoder/isa/inst.h"

/* The table on which inst.h is built, for this library and its tests only. */

/* Where the operands of an opcode are (inst_operands.c) and how its text is laid out
 * (inst_text.c). The names follow the formats of volume I where it has one; rs1' and the
 * like are the three-bit fields that name x8 to x15.
 */
enum ear_inst_format {
	FORMAT_NONE,
	FORMAT_R,         /* x rd, x rs1, x rs2 */
	FORMAT_R2,        /* x rd, x rs1 */
	FORMAT_ZEXT,      /* as R, but rs2 (x0) is not in the text: zext.h is a pack */
	FORMAT_I,         /* x rd, x rs1, imm[11:0] */
	FORMAT_SHIFT,     /* x rd, x rs1, shamt */
	FORMAT_LOAD,      /* x rd, x rs1, imm[11:0] */
	FORMAT_FLOAD,     /* f rd, x rs1, imm[11:0] */
	FORMAT_STORE,     /* x rs2, x rs1, imm[11:0] */
	FORMAT_FSTORE,    /* f rs2, x rs1, imm[11:0] */
	FORMAT_BRANCH,    /* x rs1, x rs2, imm[12:1] */
	FORMAT_LUI,       /* x rd, imm[31:12] */
	FORMAT_AUIPC,     /* x rd, imm[31:12] */
	FORMAT_JAL,       /* x rd, imm[20:1] */
	FORMAT_JALR,      /* x rd, x rs1, imm[11:0] */
	FORMAT_CSR,       /* x rd, x rs1, csr */
	FORMAT_CSRI,      /* x rd, uimm[4:0], csr */
	FORMAT_FENCE,     /* pred, succ */
	FORMAT_RS1_RS2,   /* x rs1, x rs2 */
	FORMAT_CBO,       /* x rs1 */
	FORMAT_AMO,       /* x rd, x rs1, x rs2 */
	FORMAT_LR,        /* x rd, x rs1 */
	FORMAT_HLV,       /* x rd, x rs1: hypervisor load */
	FORMAT_HSV,       /* x rs2, x rs1: hypervisor store */
	FORMAT_FFF,       /* f rd, f rs1, f rs2 */
	FORMAT_FFFF,      /* f rd, f rs1, f rs2, f rs3 */
	FORMAT_FF,        /* f rd, f rs1 */
	FORMAT_XFF,       /* x rd, f rs1, f rs2 */
	FORMAT_XF,        /* x rd, f rs1 */
	FORMAT_FX,        /* f rd, x rs1 */
	FORMAT_CIW,       /* x rd', x2, nzuimm[9:2] */
	FORMAT_CL_B,      /* x rd', x rs1', uimm[1:0] */
	FORMAT_CL_H,      /* x rd', x rs1', uimm[1] */
	FORMAT_CL_W,      /* x rd', x rs1', uimm[6:2] */
	FORMAT_CL_D,      /* x rd', x rs1', uimm[7:3] */
	FORMAT_CFL_W,     /* f rd', x rs1', uimm[6:2] */
	FORMAT_CFL_D,     /* f rd', x rs1', uimm[7:3] */
	FORMAT_CS_B,      /* x rs2', x rs1', uimm[1:0] */
	FORMAT_CS_H,      /* x rs2', x rs1', uimm[1] */
	FORMAT_CS_W,      /* x rs2', x rs1', uimm[6:2] */
	FORMAT_CS_D,      /* x rs2', x rs1', uimm[7:3] */
	FORMAT_CFS_W,     /* f rs2', x rs1', uimm[6:2] */
	FORMAT_CFS_D,     /* f rs2', x rs1', uimm[7:3] */
	FORMAT_CI,        /* x rd, x rd, imm[5:0] */
	FORMAT_CLI,       /* x rd, x0, imm[5:0] */
	FORMAT_CLUI,      /* x rd, nzimm[17:12] */
	FORMAT_CADDI16SP, /* x2, x2, nzimm[9:4] */
	FORMAT_CSLLI,     /* x rd, x rd, shamt */
	FORMAT_CB_SHIFT,  /* x rd', x rd', shamt */
	FORMAT_CB_ANDI,   /* x rd', x rd', imm[5:0] */
	FORMAT_CA,        /* x rd', x rd', x rs2' */
	FORMAT_CU,        /* x rd', x rd' */
	FORMAT_CJ,        /* x0 (read), imm[11:1] */
	FORMAT_CJAL,      /* x1, imm[11:1] */
	FORMAT_CB,        /* x rs1', x0, imm[8:1] */
	FORMAT_CLSP_W,    /* x rd, x2, uimm[7:2] */
	FORMAT_CLSP_D,    /* x rd, x2, uimm[8:3] */
	FORMAT_CFLSP_W,   /* f rd, x2, uimm[7:2] */
	FORMAT_CFLSP_D,   /* f rd, x2, uimm[8:3] */
	FORMAT_CSSP_W,    /* x rs2, x2, uimm[7:2] */
	FORMAT_CSSP_D,    /* x rs2, x2, uimm[8:3] */
	FORMAT_CFSSP_W,   /* f rs2, x2, uimm[7:2] */
	FORMAT_CFSSP_D,   /* f rs2, x2, uimm[8:3] */
	FORMAT_CJR,       /* x0, x rs1, 0 */
	FORMAT_CJALR,     /* x1, x rs1, 0 */
	FORMAT_CMV,       /* x rd, x0, x rs2 */
	FORMAT_CADD,      /* x rd, x rd, x rs2 */
};

/* One row of inst_list.def. */
struct ear_inst_row {
	uint32_t match;
	uint32_t mask[2];    /* for RV32 and RV64; 0 where the instruction does not exist, and
			      * then match is not 0, so that nothing matches */
	uint16_t nonzero;    /* one of these bits must be 1, unless this is 0 */
	uint8_t format;      /* enum ear_inst_format */
	uint8_t kind;        /* enum ear_inst_kind */
	uint8_t extension;   /* enum ear_inst_extension */
	uint8_t access_size; /* bytes */
	uint16_t flags;      /* EAR_INST_ROUNDS | EAR_INST_UNSIGNED | EAR_INST_FLOAT */
	char name[16];
};

/* The rows of one major opcode or compressed quadrant, both ends included. */
struct ear_inst_span {
	uint16_t first;
	uint16_t last;
};

/* Indexed by enum ear_inst_id. Row 0 matches nothing. */
extern const struct ear_inst_row ear_inst_rows[EAR_INST_COUNT];

/* Where to search for an opcode. An empty group is row 0 alone. */
const struct ear_inst_span *ear_inst_find_span(uint32_t opcode);

/* Fill in operands, operand_count and imm from inst->opcode. */
void ear_inst_add_operands(struct ear_inst *inst, unsigned format);

/* True if the opcode (16 bits of it when compressed) is the instruction of this row.
 * wide is 1 for RV64, 0 for RV32.
 */
static inline bool ear_inst_row_matches(
	const struct ear_inst_row *row, uint32_t opcode, unsigned wide)
{
	return (opcode & row->mask[wide]) == row->match &&
	       (row->nonzero == 0 || (opcode & row->nonzero) != 0);
}

#endif
