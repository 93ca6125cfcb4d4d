/* Ordinary opcodes, from the operands and the class of the instruction table. */
#include "decoder/isa/ordinary_opcode.h"

#include <earshot/record.h>

#include "decoder/isa/inst.h"
#include "decoder/isa/plain_opcode.h"

/* The x register that the instruction writes; 32: more than one, or of another kind. */
static unsigned find_rd(const struct ear_inst *inst)
{
	unsigned rd = 0;

	for (size_t i = 0; i < inst->operand_count; i++) {
		const struct ear_operand *operand = &inst->operands[i];
		bool x = operand->kind == EAR_OPERAND_X;
		if (operand->kind != EAR_OPERAND_IMM && (!x || operand->count > 1))
			return 32;
		if (!x || !(operand->access & EAR_OPERAND_WRITE))
			continue;
		if (rd != 0)
			return 32;
		rd = (unsigned)operand->value;
	}
	return rd;
}

struct ear_ordinary_opcode ear_ordinary_opcode_find(uint32_t opcode, uint8_t xlen)
{
	struct ear_ordinary_opcode found = {
		.opcode = opcode, .xlen = xlen, .size = EAR_COMPACT_NO_ACCESS};
	struct ear_inst inst;

	ear_inst_decode_within(&inst, opcode, xlen, NULL);
	unsigned rd = find_rd(&inst);
	if (rd > 31 || ear_inst_may_be(&inst) || inst.flags & EAR_INST_POPS ||
		inst.extension == EAR_EXT_H || ear_plain_class(opcode, xlen == 64) == EAR_PLAIN_NOT)
		return found;
	found.rd = (uint8_t)rd;
	switch (inst.kind) {
	case EAR_KIND_ALU:
	case EAR_KIND_MUL:
	case EAR_KIND_DIV: break;
	case EAR_KIND_BRANCH: found.flags = EAR_ORDINARY_MOVES; break;
	case EAR_KIND_JUMP: found.flags = EAR_ORDINARY_MOVES | EAR_ORDINARY_JUMP; break;
	case EAR_KIND_STORE: found.flags = EAR_ORDINARY_STORE; /* fall through */
	case EAR_KIND_LOAD:
		if (inst.access_size == 0 || inst.access_size > 8)
			return found;
		found.size = inst.access_size;
		break;
	default: return found;
	}
	found.flags |= EAR_ORDINARY;
	return found;
}
