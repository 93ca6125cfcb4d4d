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

/* A name of its own for what is called from here: in a library that others may replace functions
 * of, no function with an external name can be inlined.
 */
static inline const struct ear_inst_list *find_list(uint32_t opcode)
{
	const struct ear_inst_group *group = &groups[ear_inst_group_of(opcode)];

	return &heads[group->first + (opcode >> group->shift & group->mask)];
}

const uint16_t *ear_inst_candidates(uint32_t opcode)
{
	return &lists[find_list(opcode)->place];
}

/* A reserved encoding of a row that is not reserved as a whole. */
static bool is_reserved(unsigned id, uint32_t opcode)
{
	static const struct {
		uint32_t mask;
		uint32_t match;
		uint16_t id;
	} reserved[] = {
#define RESERVED(inst, care, bits) {(care), (bits), EAR_INST_##inst},
#include "decoder/isa/inst_reserved.def"
#undef RESERVED
	};

	for (unsigned i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (reserved[i].id == id && (opcode & reserved[i].mask) == reserved[i].match)
			return true;
	return false;
}

static bool has_extension(const struct ear_inst_set *set, unsigned extension)
{
	if (extension == EAR_EXT_RESERVED)
		return false;
	return set == NULL || (set->bits[extension / 64] >> extension % 64 & 1) != 0;
}

static inline unsigned find_row(uint32_t opcode, unsigned wide, const struct ear_inst_set *set)
{
	const struct ear_inst_list *list = find_list(opcode);
	const uint16_t *rest = &lists[list->place];

	for (unsigned id = list->first; id != EAR_INST_ILLEGAL; id = *++rest) {
		const struct ear_inst_row *row = &ear_inst_rows[id];

		if (!ear_inst_row_matches(row, opcode, wide) || !has_extension(set, row->extension))
			continue;
		if (row->flags & ROW_CHECKED && is_reserved(id, opcode))
			break;
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

static void note_csr(struct ear_inst *inst)
{
	inst->csr = (uint16_t)(inst->opcode >> 20);
}

static void note_fence(struct ear_inst *inst)
{
	inst->imm = inst->opcode >> 20;
}

static void note_xlen_access(struct ear_inst *inst)
{
	inst->access_size = inst->xlen / 8;
}

/* cm.push and its like access all registers of the list, and some of them return. */
static void note_list(struct ear_inst *inst)
{
	inst->access_size = (uint8_t)(ear_inst_list_size(inst->opcode) * (inst->xlen / 8));
	if (inst->kind == EAR_KIND_JUMP)
		inst->flags |= EAR_INST_INDIRECT | EAR_INST_RETURN | EAR_INST_POPS;
}

static void note_table_jump(struct ear_inst *inst)
{
	inst->flags |= EAR_INST_INDIRECT;
}

static void note_table_call(struct ear_inst *inst)
{
	inst->flags |= EAR_INST_INDIRECT | EAR_INST_CALL;
}

/* What a row does not say, by its format. */
static void (*const completions[FORMAT_COUNT])(struct ear_inst *inst) = {
	[FORMAT_JAL] = classify_jump,
	[FORMAT_JALR] = classify_jump,
	[FORMAT_CJ] = classify_jump,
	[FORMAT_CJAL] = classify_jump,
	[FORMAT_CJR] = classify_jump,
	[FORMAT_CJALR] = classify_jump,
	[FORMAT_AMO] = note_ordering,
	[FORMAT_AMOCAS] = note_ordering,
	[FORMAT_AMOCAS_PAIR] = note_ordering,
	[FORMAT_SSAMO] = note_ordering,
	[FORMAT_LR] = note_ordering,
	[FORMAT_LOAD_AQ] = note_ordering,
	[FORMAT_STORE_RL] = note_ordering,
	[FORMAT_CSR] = note_csr,
	[FORMAT_CSRI] = note_csr,
	[FORMAT_FENCE] = note_fence,
	[FORMAT_SSPUSH] = note_xlen_access,
	[FORMAT_SSPOPCHK] = note_xlen_access,
	[FORMAT_C_SSPUSH] = note_xlen_access,
	[FORMAT_C_SSPOPCHK] = note_xlen_access,
	[FORMAT_CM_PUSH] = note_list,
	[FORMAT_CM_POP] = note_list,
	[FORMAT_CM_POPRETZ] = note_list,
	[FORMAT_CM_JT] = note_table_jump,
	[FORMAT_CM_JALT] = note_table_call,
};

static inline void fill_in(struct ear_inst *inst, unsigned id)
{
	const struct ear_inst_row *row = &ear_inst_rows[id];

	inst->id = (uint16_t)id;
	inst->kind = row->kind;
	inst->extension = row->extension;
	inst->access_size = row->access_size;
	inst->flags = row->flags & (uint16_t)~ROW_FLAGS;
	if (row->flags & (EAR_INST_ROUNDS | ROW_MASKABLE)) {
		if (row->flags & EAR_INST_ROUNDS)
			inst->rm = (uint8_t)(inst->opcode >> 12 & 7);
		else if ((inst->opcode >> 25 & 1) == 0)
			inst->flags |= EAR_INST_MASKED;
	}
	ear_inst_add_operands(inst, row->format);
	if (row->flags & ROW_OPEN && completions[row->format] != NULL)
		completions[row->format](inst);
}

static inline void begin(struct ear_inst *inst, uint32_t opcode, unsigned xlen)
{
	assert(xlen == 32 || xlen == 64);
	*inst = (struct ear_inst){.xlen = (uint8_t)xlen, .size = 4, .opcode = opcode};
	if (ear_opcode_is_compressed(opcode)) {
		inst->size = 2;
		inst->opcode = opcode & 0xffff;
	}
}

static inline int decode(
	struct ear_inst *inst, uint32_t opcode, unsigned xlen, const struct ear_inst_set *set)
{
	begin(inst, opcode, xlen);
	fill_in(inst, find_row(inst->opcode, xlen == 64, set));
	return inst->size;
}

/* What ear_inst_restrict says; NULL: everything. Written before threads start. */
static const struct ear_inst_set *legal;

void ear_inst_restrict(const struct ear_inst_set *set)
{
	legal = set;
}

int ear_inst_decode(struct ear_inst *inst, uint32_t opcode, unsigned xlen)
{
	return decode(inst, opcode, xlen, legal);
}

int ear_inst_decode_within(
	struct ear_inst *inst, uint32_t opcode, unsigned xlen, const struct ear_inst_set *set)
{
	return decode(inst, opcode, xlen, set);
}

static bool is_strict(unsigned id)
{
	const uint16_t *at = ear_inst_whisper_strict;

	while (*at != EAR_INST_ILLEGAL && *at != id)
		at++;
	return *at == id;
}

/* What Whisper calls an opcode that is illegal. */
static unsigned find_whisper_row(uint32_t opcode, unsigned wide)
{
	const struct ear_inst_alias *loose = ear_inst_whisper_loose;
	const uint16_t *id = ear_inst_candidates(opcode);

	if (!ear_opcode_is_compressed(opcode))
		for (; *id != EAR_INST_ILLEGAL; id++)
			if (ear_inst_row_matches(&ear_inst_rows[*id], opcode, !wide) &&
				!is_strict(*id))
				return *id;
	while (loose->id != EAR_INST_ILLEGAL && (opcode & loose->mask) != loose->match)
		loose++;
	return loose->id;
}

void ear_inst_decode_as_whisper(struct ear_inst *inst, uint32_t opcode, unsigned xlen)
{
	ear_inst_decode(inst, opcode, xlen);
	if (inst->id == EAR_INST_ILLEGAL && legal == NULL)
		fill_in(inst, find_whisper_row(inst->opcode, xlen == 64));
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
					ear_inst_rows[*id].match &&
				(round == 0 || ear_inst_rows[*id].format != FORMAT_ZEXT))
				found = *id;
	}
	fill_in(inst, found);
	return inst->size;
}
