/* From an opcode to its row in the instruction table.
 *
 * An index of three levels, as the manual lays opcodes out: major opcode and funct3 (of a
 * compressed opcode quadrant and funct3) select a group, its upper bits a list in the group, and a
 * linear search over the few rows of the list compares bits under a mask. The index is made from
 * the rows when the project is built (make_inst_index.c): sorting 1000 rows by hand would be an
 * invitation to mistakes, and sorting them at run time would be state.
 */
#include "decoder/isa/inst_index.h"
#include "decoder/isa/inst_table.h"
#include "decoder/isa/opcode.h"

#include <assert.h>

#include "inst_index.inc"

const uint16_t *ear_inst_candidates(uint32_t opcode)
{
	const struct ear_inst_group *group = &groups[ear_inst_group_of(opcode)];

	return &lists[starts[group->first + (opcode >> group->shift & group->mask)]];
}

static unsigned find_row(uint32_t opcode, unsigned wide)
{
	const uint16_t *id = ear_inst_candidates(opcode);

	while (*id != EAR_INST_ILLEGAL && !ear_inst_row_matches(&ear_inst_rows[*id], opcode, wide))
		id++;
	return *id;
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

static void begin(struct ear_inst *inst, uint32_t opcode, unsigned xlen)
{
	assert(xlen == 32 || xlen == 64);
	*inst = (struct ear_inst){.xlen = (uint8_t)xlen, .size = 4, .opcode = opcode};
	if (ear_opcode_is_compressed(opcode)) {
		inst->size = 2;
		inst->opcode = opcode & 0xffff;
	}
}

/* Everything that the row says. */
static void apply_row(struct ear_inst *inst, unsigned id)
{
	const struct ear_inst_row *row = &ear_inst_rows[id];
	uint32_t opcode = inst->opcode;

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
}

int ear_inst_decode(struct ear_inst *inst, uint32_t opcode, unsigned xlen)
{
	begin(inst, opcode, xlen);
	apply_row(inst, find_row(inst->opcode, xlen == 64));
	return inst->size;
}

int ear_inst_decode_reserved(struct ear_inst *inst, uint32_t opcode, unsigned xlen)
{
	begin(inst, opcode, xlen);
	const uint16_t *candidates = ear_inst_candidates(inst->opcode);
	unsigned found = EAR_INST_ILLEGAL;

	for (unsigned round = 0; round < 2 && !found; round++) {
		unsigned wide = (xlen == 64) != (round == 1);
		for (const uint16_t *id = candidates; *id != EAR_INST_ILLEGAL && !found; id++)
			if ((inst->opcode & ear_inst_rows[*id].mask[wide]) ==
				ear_inst_rows[*id].match)
				found = *id;
	}
	apply_row(inst, found);
	return inst->size;
}
