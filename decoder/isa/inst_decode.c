/* From an opcode to its row in the instruction table.
 *
 * inst_list.def has one row an instruction, sorted by major opcode; an index gives the rows of each
 * major opcode or compressed quadrant, and a linear search compares bits under a mask. The spans
 * are short, so no tree is worth its code; fast paths elsewhere cache what is decoded here.
 */
#include "decoder/isa/inst_table.h"

#include <assert.h>

#include "decoder/isa/opcode.h"

#define FLAGS_0  0
#define FLAGS_U  EAR_INST_UNSIGNED
#define FLAGS_F  EAR_INST_FLOAT
#define FLAGS_RF (EAR_INST_ROUNDS | EAR_INST_FLOAT)

#define MASK_BOTH(mask) \
	{ \
		(mask), (mask) \
	}
#define MASK_RV32(mask) \
	{ \
		(mask), 0 \
	}
#define MASK_RV64(mask) \
	{ \
		0, (mask) \
	}
#define MASK_SHIFT(mask) \
	{ \
		(mask) | UINT32_C(1) << 25, (mask) \
	}
#define MASK_CSHIFT(mask) \
	{ \
		(mask) | UINT32_C(1) << 12, (mask) \
	}

const struct ear_inst_row ear_inst_rows[EAR_INST_COUNT] = {
	[EAR_INST_ILLEGAL] = {.match = 1, .kind = EAR_KIND_ILLEGAL, .name = "illegal"},
#define INST(id, mnemonic, bits, care, where, some, layout, what, bytes, set, ext) \
	[EAR_INST_##id] = { \
		.match = (bits), \
		.mask = MASK_##where(care), \
		.nonzero = (some), \
		.format = FORMAT_##layout, \
		.kind = EAR_KIND_##what, \
		.extension = EAR_EXT_##ext, \
		.access_size = (bytes), \
		.flags = FLAGS_##set, \
		.name = (mnemonic), \
	},
#include "decoder/isa/inst_list.def"
#undef INST
};

/* The major opcode is bits 6:2 of a 32-bit instruction (volume I, "RV32/64G Instruction Set
 * Listings", the opcode map).
 */
static const struct ear_inst_span spans[32] = {
	[EAR_OPCODE_LOAD >> 2] = {EAR_INST_LB, EAR_INST_LWU},
	[EAR_OPCODE_LOAD_FP >> 2] = {EAR_INST_FLW, EAR_INST_FLD},
	[EAR_OPCODE_MISC_MEM >> 2] = {EAR_INST_PAUSE, EAR_INST_CBO_ZERO},
	[EAR_OPCODE_OP_IMM >> 2] = {EAR_INST_ADDI, EAR_INST_UNZIP},
	[EAR_OPCODE_AUIPC >> 2] = {EAR_INST_AUIPC, EAR_INST_AUIPC},
	[EAR_OPCODE_OP_IMM_32 >> 2] = {EAR_INST_ADDIW, EAR_INST_RORIW},
	[EAR_OPCODE_STORE >> 2] = {EAR_INST_SB, EAR_INST_SD},
	[EAR_OPCODE_STORE_FP >> 2] = {EAR_INST_FSW, EAR_INST_FSD},
	[EAR_OPCODE_AMO >> 2] = {EAR_INST_LR_W, EAR_INST_AMOMAXU_D},
	[EAR_OPCODE_OP >> 2] = {EAR_INST_ADD, EAR_INST_CZERO_NEZ},
	[EAR_OPCODE_LUI >> 2] = {EAR_INST_LUI, EAR_INST_LUI},
	[EAR_OPCODE_OP_32 >> 2] = {EAR_INST_ADDW, EAR_INST_PACKW},
	[EAR_OPCODE_MADD >> 2] = {EAR_INST_FMADD_S, EAR_INST_FMADD_D},
	[EAR_OPCODE_MSUB >> 2] = {EAR_INST_FMSUB_S, EAR_INST_FMSUB_D},
	[EAR_OPCODE_NMSUB >> 2] = {EAR_INST_FNMSUB_S, EAR_INST_FNMSUB_D},
	[EAR_OPCODE_NMADD >> 2] = {EAR_INST_FNMADD_S, EAR_INST_FNMADD_D},
	[EAR_OPCODE_OP_FP >> 2] = {EAR_INST_FADD_S, EAR_INST_FMV_D_X},
	[EAR_OPCODE_BRANCH >> 2] = {EAR_INST_BEQ, EAR_INST_BGEU},
	[EAR_OPCODE_JALR >> 2] = {EAR_INST_JALR, EAR_INST_JALR},
	[EAR_OPCODE_JAL >> 2] = {EAR_INST_JAL, EAR_INST_JAL},
	[EAR_OPCODE_SYSTEM >> 2] = {EAR_INST_CSRRW, EAR_INST_HSV_D},
};

/* A compressed opcode is found by its quadrant (bits 1:0) and funct3 (bits 15:13). */
static const struct ear_inst_span compressed_spans[3][8] = {
	{
		{EAR_INST_C_ADDI4SPN, EAR_INST_C_ADDI4SPN},
		{EAR_INST_C_FLD, EAR_INST_C_FLD},
		{EAR_INST_C_LW, EAR_INST_C_LW},
		{EAR_INST_C_FLW, EAR_INST_C_LD},
		{EAR_INST_C_LBU, EAR_INST_C_SH},
		{EAR_INST_C_FSD, EAR_INST_C_FSD},
		{EAR_INST_C_SW, EAR_INST_C_SW},
		{EAR_INST_C_FSW, EAR_INST_C_SD},
	},
	{
		{EAR_INST_C_ADDI, EAR_INST_C_ADDI},
		{EAR_INST_C_JAL, EAR_INST_C_ADDIW},
		{EAR_INST_C_LI, EAR_INST_C_LI},
		{EAR_INST_C_ADDI16SP, EAR_INST_C_LUI},
		{EAR_INST_C_SRLI, EAR_INST_C_NOT},
		{EAR_INST_C_J, EAR_INST_C_J},
		{EAR_INST_C_BEQZ, EAR_INST_C_BEQZ},
		{EAR_INST_C_BNEZ, EAR_INST_C_BNEZ},
	},
	{
		{EAR_INST_C_SLLI, EAR_INST_C_SLLI},
		{EAR_INST_C_FLDSP, EAR_INST_C_FLDSP},
		{EAR_INST_C_LWSP, EAR_INST_C_LWSP},
		{EAR_INST_C_FLWSP, EAR_INST_C_LDSP},
		{EAR_INST_C_JR, EAR_INST_C_ADD},
		{EAR_INST_C_FSDSP, EAR_INST_C_FSDSP},
		{EAR_INST_C_SWSP, EAR_INST_C_SWSP},
		{EAR_INST_C_FSWSP, EAR_INST_C_SDSP},
	},
};

const struct ear_inst_span *ear_inst_find_span(uint32_t opcode)
{
	if (!ear_opcode_is_compressed(opcode))
		return &spans[opcode >> 2 & 31];
	return &compressed_spans[opcode & 3][opcode >> 13 & 7];
}

static unsigned find_row(uint32_t opcode, unsigned wide)
{
	const struct ear_inst_span *span = ear_inst_find_span(opcode);

	for (unsigned id = span->first; id <= span->last; id++) {
		if (ear_inst_row_matches(&ear_inst_rows[id], opcode, wide))
			return id;
	}
	return EAR_INST_ILLEGAL;
}

/* Calls and returns as the link register conventions define them (volume I, "Unconditional
 * Jumps"), reduced to what Whisper calls so: a return is exactly "jalr x0, 0(x1)".
 */
static void classify_jump(struct ear_inst *inst)
{
	const struct ear_operand *link = &inst->operands[0];

	if (inst->operands[1].kind == EAR_OPERAND_X)
		inst->flags |= EAR_INST_INDIRECT;
	if (link->value == 1 || link->value == 5)
		inst->flags |= EAR_INST_CALL;
	else if (link->value == 0 && (inst->flags & EAR_INST_INDIRECT) &&
		 inst->operands[1].value == 1 && inst->imm == 0)
		inst->flags |= EAR_INST_RETURN;
}

static void note_ordering(struct ear_inst *inst)
{
	if (inst->opcode >> 26 & 1)
		inst->flags |= EAR_INST_ACQUIRE;
	if (inst->opcode >> 25 & 1)
		inst->flags |= EAR_INST_RELEASE;
}

int ear_inst_decode(struct ear_inst *inst, uint32_t opcode, unsigned xlen)
{
	const struct ear_inst_row *row;
	unsigned id;

	assert(xlen == 32 || xlen == 64);
	*inst = (struct ear_inst){.xlen = (uint8_t)xlen, .size = 4};
	if (ear_opcode_is_compressed(opcode)) {
		inst->size = 2;
		opcode &= 0xffff;
	}
	inst->opcode = opcode;

	id = find_row(opcode, xlen == 64);
	row = &ear_inst_rows[id];
	inst->id = (uint16_t)id;
	inst->kind = row->kind;
	inst->extension = row->extension;
	inst->access_size = row->access_size;
	inst->flags = row->flags;
	if (row->flags & EAR_INST_ROUNDS)
		inst->rm = (uint8_t)(opcode >> 12 & 7);
	ear_inst_add_operands(inst, row->format);
	if (row->kind == EAR_KIND_JUMP)
		classify_jump(inst);
	else if (row->kind == EAR_KIND_CSR)
		inst->csr = (uint16_t)(opcode >> 20);
	else if (row->kind == EAR_KIND_FENCE && row->format == FORMAT_FENCE)
		inst->imm = opcode >> 20;
	else if (row->format == FORMAT_AMO || row->format == FORMAT_LR)
		note_ordering(inst);
	return inst->size;
}

const char *ear_inst_name(unsigned id)
{
	return ear_inst_rows[id < EAR_INST_COUNT ? id : EAR_INST_ILLEGAL].name;
}
