/* What Spike shows of an opcode. A trace holds few opcodes, again and again, so their texts are
 * kept in a cache, one entry for each value of a hash: the reader compares a text with the one of
 * the log, the writer copies it, and neither decodes.
 */
#include "decoder/formats/spike/spike_opcode.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define CACHE_BITS      10

struct ear_spike_opcodes {
	struct ear_spike_opcode entries[1 << CACHE_BITS];
};

struct ear_spike_opcodes *ear_spike_opcodes_new(void)
{
	return calloc(1, sizeof(struct ear_spike_opcodes));
}

void ear_spike_opcodes_free(struct ear_spike_opcodes *opcodes)
{
	free(opcodes);
}

static unsigned field(uint32_t opcode, unsigned from, unsigned bits)
{
	return opcode >> from & ((1u << bits) - 1);
}

/* Widths of LOAD-FP and STORE-FP: 1 to 4 are those of f registers. */
static bool is_vector_width(unsigned width)
{
	return width == 0 || width >= 5;
}

static uint8_t vset_flags(uint32_t opcode)
{
	bool immediate = opcode >> 30 == 3; /* vsetivli: its "rs1" is the length */
	bool keeps = !immediate && field(opcode, 7, 5) == 0 && field(opcode, 15, 5) == 0;

	return EAR_SPIKE_VSET | (keeps ? EAR_SPIKE_KEEPS_VL : 0);
}

static uint8_t flags_of(uint32_t opcode, unsigned xlen)
{
	unsigned width = field(opcode, 12, 3), format = field(opcode, 25, 2);

	if (ear_opcode_is_compressed(opcode)) /* c.flw, c.flwsp of RV32 */
		return xlen == 32 && (opcode & 1) == 0 && field(opcode, 13, 3) == 3
			       ? EAR_SPIKE_NARROW
			       : 0;
	switch (ear_opcode_major(opcode)) {
	case EAR_OPCODE_LOAD_FP:
	case EAR_OPCODE_STORE_FP:
		if (is_vector_width(width))
			return EAR_SPIKE_CONFIG | EAR_SPIKE_VECTOR_MEMORY;
		return width < 3 ? EAR_SPIKE_NARROW : 0;
	case EAR_OPCODE_MADD:
	case EAR_OPCODE_MSUB:
	case EAR_OPCODE_NMSUB:
	case EAR_OPCODE_NMADD:
	case EAR_OPCODE_OP_FP: return format % 2 == 0 ? EAR_SPIKE_NARROW : 0;
	case EAR_OPCODE_OP_V: return width == 7 ? vset_flags(opcode) : EAR_SPIKE_CONFIG;
	case EAR_OPCODE_OP_VE: return width == 2 ? EAR_SPIKE_CONFIG : 0;
	case EAR_OPCODE_SYSTEM: return width % 4 ? EAR_SPIKE_CSR : 0;
	default: return 0;
	}
}

/* Spike names what is of an extension that --isa lacks, reserved, or of the other XLEN, too.
 * Returns the length. */
static size_t spell(char text[EAR_SPIKE_TEXT_SIZE], struct ear_inst *inst)
{
	int length = 0;

	if (inst->kind == EAR_KIND_ILLEGAL)
		ear_inst_decode_within(inst, inst->opcode, inst->xlen, NULL);
	if (inst->kind == EAR_KIND_ILLEGAL)
		ear_inst_decode_reserved(inst, inst->opcode, inst->xlen);
	if (inst->size == 2 && inst->opcode == 0)
		return (size_t)(stpcpy(text, "c.unimp") - text);
	if (inst->kind != EAR_KIND_ILLEGAL)
		length = ear_inst_text(text, EAR_SPIKE_TEXT_SIZE, inst, EAR_INST_SPIKE);
	if (length == 0)
		length = (int)(stpcpy(text, "unknown") - text);
	return (size_t)length;
}

/* Of one access: an instruction of Zcmp has several, of a register each. */
static uint8_t access_size(const struct ear_inst *inst)
{
	if (inst->extension == EAR_EXT_ZCMP)
		return inst->xlen / 8;
	return ear_inst_record_size(inst); /* 0: flq, amocas.q */
}

/* A register that a commit line shows in all versions of Spike. */
static bool writes(const struct ear_inst *inst)
{
	for (unsigned i = 0; i < inst->operand_count; i++) {
		const struct ear_operand *operand = &inst->operands[i];
		if (operand->access & EAR_OPERAND_WRITE &&
			(operand->kind == EAR_OPERAND_F ||
				(operand->kind == EAR_OPERAND_X && operand->value != 0)))
			return true;
	}
	return false;
}

static void fill(struct ear_spike_opcode *entry, uint32_t opcode, unsigned xlen)
{
	struct ear_inst inst;

	ear_inst_decode(&inst, opcode, xlen);
	entry->opcode = opcode;
	entry->xlen = (uint8_t)xlen;
	entry->flags = flags_of(opcode, xlen);
	if (inst.kind == EAR_KIND_CACHE)
		entry->flags = inst.id == EAR_INST_CBO_ZERO ? EAR_SPIKE_BYTES : EAR_SPIKE_NO_ACCESS;
	entry->access_size = access_size(&inst);
	entry->kind = inst.kind;
	entry->writes = writes(&inst);
	entry->text_size = (uint8_t)spell(entry->text, &inst);
}

const struct ear_spike_opcode *ear_spike_opcode(
	struct ear_spike_opcodes *opcodes, uint32_t opcode, unsigned xlen)
{
	struct ear_spike_opcode *entry = &opcodes->entries[ear_hash_slot32(opcode, CACHE_BITS)];

	if (entry->opcode != opcode || entry->xlen != xlen)
		fill(entry, opcode, xlen);
	return entry;
}
