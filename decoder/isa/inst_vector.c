/* The register groups of vector instructions.
 *
 * A row of inst_list_vector.def has a letter for each v operand. EMUL follows from the letter,
 * vtype and a few bits of the opcode; it is counted in eighths of a register here, since it is 1/8
 * at least. What the manual reserves is collected as bits instead of being refused: a tool names
 * such an instruction too, and Whisper's text depends on which of the reasons hold.
 */
#include "decoder/isa/inst_table.h"

#include <ctype.h>
#include <string.h>

#define OPERANDS_MAX 3 /* v operands of a format */
#define ALL          (8 | 16 | 32 | 64)

struct groups {
	char letters[OPERANDS_MAX + 1];
	uint8_t sews; /* set of 8, 16, 32 and 64 */
};

#define FIRST EAR_INST_VLE8_V

static const struct groups rows[EAR_INST_COUNT - FIRST] = {
#define VECTOR(id, name, match, mask, format, groups, sews, flags, extension) \
	[EAR_INST_##id - FIRST] = {groups, sews},
#define VECTOR_MEMORY(id, name, match, mask, format, kind, size, groups, extension) \
	[EAR_INST_##id - FIRST] = {groups, ALL},
#include "decoder/isa/inst_list_vector.def"
#undef VECTOR
#undef VECTOR_MEMORY
};

/* The elements of an operand under a vtype. */
struct shape {
	unsigned emul8;  /* EMUL in eighths; 0 and more than 64 are reserved */
	unsigned eew;    /* bits of an element, 1 of a mask; 0: it does not matter */
	unsigned fields; /* groups */
};

/* LMUL in eighths, 0 if it is reserved. */
static unsigned lmul8_of(unsigned vtype)
{
	unsigned vlmul = vtype & 7;

	if (vlmul < 4)
		return 8u << vlmul;
	return vlmul == 4 ? 0 : 8u >> (8 - vlmul);
}

/* The element width that a load or store has in its opcode: funct3 (0, 5, 6 or 7), and mew above.
 * Of other instructions it is any width. */
static unsigned memory_eew(uint32_t opcode)
{
	return (8u << (opcode >> 12 & 3)) << ((opcode >> 28 & 1) * 4);
}

static struct shape shape_of(char letter, uint32_t opcode, unsigned vtype)
{
	unsigned sew = 8u << (vtype >> 3 & 7), lmul8 = lmul8_of(vtype);
	unsigned fields = (opcode >> 29 & 7) + 1, width = memory_eew(opcode);

	switch (letter) {
	case 's':
	case 'S': return (struct shape){lmul8, sew, 1};
	case 'd': return (struct shape){2 * lmul8, 2 * sew, 1};
	case 'q': return (struct shape){4 * lmul8, 4 * sew, 1};
	case 'z':
	case 'Z': return (struct shape){2 * lmul8, sew, 1};
	case 'h': return (struct shape){lmul8 / 2, sew / 2, 1};
	case 'f': return (struct shape){lmul8 / 4, sew / 4, 1};
	case 'e': return (struct shape){lmul8 / 8, sew / 8, 1};
	case 'i': return (struct shape){lmul8 * 16 / sew, 16, 1};
	case 'm': return (struct shape){lmul8 * width / sew, width, fields};
	case 'n': return (struct shape){lmul8, sew, fields};
	case 'x': return (struct shape){lmul8 * width / sew, width, 1};
	case 'w': return (struct shape){8, 0, fields};
	case 'r': return (struct shape){8, 0, (opcode >> 15 & 7) + 1};
	case 'b': return (struct shape){lmul8 == 8 ? 64 : 0, sew, 1};
	default: return (struct shape){8, 1, 1};
	}
}

static unsigned registers_of(struct shape shape)
{
	unsigned emul = shape.emul8 < 8 ? 1 : shape.emul8 > 64 ? 8 : shape.emul8 / 8;

	return emul * shape.fields;
}

/* Of the widths, and of how many registers that makes. vfrec7 and the like read one as wide as they
 * write; a fraction of SEW must still be an element.
 */
static unsigned check_shape(char letter, struct shape shape, unsigned elen)
{
	unsigned reserved = 0;

	if (shape.emul8 < 1 || shape.emul8 > 64 ||
		(strchr("mn", letter) != NULL && shape.emul8 * shape.fields > 64))
		reserved |= EAR_RESERVED_EMUL;
	if (shape.eew > elen || (strchr("hfe", letter) != NULL && shape.eew < 8))
		reserved |= EAR_RESERVED_SEW;
	return reserved;
}

static unsigned check_place(struct shape shape, unsigned first)
{
	unsigned emul = registers_of(shape) / shape.fields;
	/* A whole-register move or load of n registers is a group of n. */
	unsigned size = shape.eew == 0 ? shape.fields : emul;

	return (first % size != 0 ? EAR_RESERVED_GROUP : 0u) |
	       (first + registers_of(shape) > 32 ? EAR_RESERVED_BEYOND : 0u);
}

/* May the destination overlap a source as it does? "Vector Operands": of the same width anyhow; a
 * narrower one in the lowest register of the source; a wider one in the highest of its own.
 */
static bool may_overlap(
	char letter, struct shape destination, unsigned to, struct shape source, unsigned from)
{
	unsigned to_size = registers_of(destination), from_size = registers_of(source);

	if (to + to_size <= from || from + from_size <= to)
		return true;
	if (isupper((unsigned char)letter) || (destination.fields > 1 && letter == 'n'))
		return false;
	if (destination.eew == source.eew || destination.eew == 0)
		return true;
	if (destination.eew < source.eew)
		return to == from;
	return source.emul8 >= 8 && from + from_size == to + to_size;
}

static unsigned check_vtype(const struct ear_inst *inst, unsigned vtype, unsigned elen)
{
	unsigned sew = 8u << (vtype >> 3 & 7);

	if (!(vtype & EAR_VTYPE_KNOWN) || vtype & EAR_VTYPE_ILLEGAL || lmul8_of(vtype) == 0 ||
		sew > elen)
		return EAR_RESERVED_VTYPE;
	return rows[inst->id - FIRST].sews & sew ? 0 : EAR_RESERVED_SEW;
}

/* Is v0 another operand than the mask? A destination that is a mask may be. */
static bool is_also_mask(const struct ear_operand *operand, char letter)
{
	return operand->value == 0 &&
	       !(operand->access & EAR_OPERAND_WRITE && toupper((unsigned char)letter) == 'M') &&
	       !(operand->access & EAR_OPERAND_WRITE && letter == '1');
}

unsigned ear_inst_group(struct ear_inst *inst, unsigned vtype, unsigned elen)
{
	const char *letter;
	struct shape destination = {0};
	unsigned reserved, to = 0;

	if (!ear_inst_is_vector(inst))
		return 0;
	letter = rows[inst->id - FIRST].letters;
	if (*letter == '\0')
		return 0;
	reserved = check_vtype(inst, vtype, elen);
	if (inst->extension == EAR_EXT_RESERVED)
		reserved |= EAR_RESERVED_CODE;
	if (reserved & EAR_RESERVED_VTYPE)
		vtype = 0;
	for (unsigned i = 0; i < inst->operand_count && *letter != '\0'; i++) {
		struct ear_operand *operand = &inst->operands[i];
		struct shape shape = shape_of(*letter, inst->opcode, vtype);
		unsigned count = registers_of(shape);

		if (operand->kind != EAR_OPERAND_V)
			continue;
		if (*letter == 'b')
			operand->value &= ~7;
		reserved |= check_shape(*letter, shape, elen);
		reserved |= check_place(shape, (unsigned)operand->value);
		if (inst->flags & EAR_INST_MASKED && is_also_mask(operand, *letter))
			reserved |= EAR_RESERVED_MASK;
		if (operand->access & EAR_OPERAND_WRITE) {
			destination = shape;
			to = (unsigned)operand->value;
		} else if (destination.fields != 0 &&
			   !may_overlap(rows[inst->id - FIRST].letters[0], destination, to, shape,
				   (unsigned)operand->value)) {
			reserved |= EAR_RESERVED_OVERLAP;
		}
		if (count > 8)
			count = 8;
		if (count > 32 - (unsigned)operand->value)
			count = 32 - (unsigned)operand->value;
		operand->count = (uint8_t)count;
		letter++;
	}
	return reserved;
}

/* The reasons for which Whisper refuses an instruction before it notes its groups. It checks most
 * instructions for vtype, widths and mask first, then notes the groups while it checks their
 * places, then looks for overlaps; but some in another order.
 */
static unsigned reasons_before(const struct ear_inst *inst, const char *letters, unsigned vtype)
{
	unsigned most = EAR_RESERVED_VTYPE | EAR_RESERVED_EMUL | EAR_RESERVED_SEW |
			EAR_RESERVED_MASK | EAR_RESERVED_CODE;

	switch ((enum ear_inst_extension)inst->extension) {
	case EAR_EXT_ZVBC: return most & ~(unsigned)EAR_RESERVED_SEW;
	case EAR_EXT_ZVFBFMIN:
	case EAR_EXT_ZVFBFWMA: /* it finds late that 32 bits are too wide, if twice that exists */
		if (inst->xlen == 64 && (vtype >> 3 & 7) == 2)
			return most & ~(unsigned)EAR_RESERVED_SEW;
		return most;
	case EAR_EXT_ZVQWDOTA8I:
	case EAR_EXT_ZVQWBDOTA8I:
	case EAR_EXT_ZVFQWDOTA8F:
	case EAR_EXT_ZVFWDOTA16BF: return EAR_RESERVED_VTYPE | EAR_RESERVED_MASK;
	default: break;
	}
	if (inst->id == EAR_INST_VFMERGE_VFM)
		return most & ~(unsigned)EAR_RESERVED_SEW;
	if (strcmp(letters, "w") == 0) /* stores of whole registers */
		return EAR_RESERVED_CODE;
	if (strpbrk(letters, "hfe") != NULL) /* vzext.vf2 and the like */
		return ~(unsigned)EAR_RESERVED_SEW;
	if (strpbrk(letters, "ir") != NULL)
		return ~0u;
	if (strcmp(letters, "1s1") == 0) /* reductions */
		return most | EAR_RESERVED_GROUP;
	if (letters[0] == '1' && letters[1] == 's') /* comparisons */
		return (most & ~(unsigned)EAR_RESERVED_SEW) | EAR_RESERVED_GROUP |
		       EAR_RESERVED_OVERLAP;
	if (strchr(letters, 'x') != NULL)
		return (most & ~(unsigned)EAR_RESERVED_MASK) | EAR_RESERVED_GROUP;
	if (strcmp(letters, "Ss1") == 0) /* vcompress.vm */
		return EAR_RESERVED_VTYPE;
	if (strcmp(letters, "Sz") == 0) /* vunzipe.v, vunzipo.v */
		return most;
	if (inst->id == EAR_INST_VPAIRE_VV || inst->id == EAR_INST_VPAIRO_VV)
		return most | EAR_RESERVED_GROUP | EAR_RESERVED_OVERLAP;
	return letters[0] == 'S' ? most | EAR_RESERVED_OVERLAP : most;
}

static bool overlap(const struct ear_operand *one, const struct ear_operand *other)
{
	return one->value < other->value + other->count && other->value < one->value + one->count;
}

/* Does Whisper end an instruction before it notes the groups, for another reason? A rounding mode
 * that is reserved (comparisons look at it later), registers that overlap, a move to itself.
 */
static bool ends_before(
	const struct ear_inst *inst, const char *letters, const struct ear_inst_mode *mode)
{
	const struct ear_operand *operands = inst->operands;
	const bool compares = letters[0] == '1' && letters[1] == 's' && letters[2] != '1';

	switch (inst->id) {
	case EAR_INST_VMV2R_V:
	case EAR_INST_VMV4R_V:
	case EAR_INST_VMV8R_V: return operands[0].value == operands[1].value;
	case EAR_INST_VWREDSUMU_VS:
	case EAR_INST_VWREDSUM_VS:
	case EAR_INST_VFWREDUSUM_VS:
	case EAR_INST_VFWREDOSUM_VS:
		if (mode->trapped && overlap(&operands[1], &operands[2]))
			return true;
		break;
	case EAR_INST_VSM3C_VI:
	case EAR_INST_VSM3ME_VV: return mode->trapped && overlap(&operands[0], &operands[1]);
	case EAR_INST_VSHA2MS_VV:
	case EAR_INST_VSHA2CH_VV:
	case EAR_INST_VSHA2CL_VV:
		return mode->trapped &&
		       (overlap(&operands[0], &operands[1]) || overlap(&operands[0], &operands[2]));
	default: break;
	}
	return mode->trapped && mode->frm > 4 && inst->flags & EAR_INST_FLOAT && !compares;
}

/* The group of an operand, of one field. vunzipe.v and vunzipo.v read two groups of LMUL; an
 * operand of 8 registers has them whatever LMUL is.
 */
static unsigned shown_group(char letter, uint32_t opcode, unsigned vtype)
{
	struct shape shape = shape_of(letter == 'z' ? 's' : letter, opcode, vtype);

	if (letter == 'b')
		return 8;
	return shape.eew == 0 ? shape.fields : registers_of(shape) / shape.fields;
}

void ear_inst_shown_groups(uint8_t groups[EAR_OPERAND_MAX], const struct ear_inst *inst,
	const struct ear_inst_mode *mode)
{
	const char *letters = rows[inst->id - FIRST].letters, *letter = letters;
	struct ear_inst grouped = *inst;
	unsigned reserved = ear_inst_group(&grouped, mode->vtype, inst->xlen);
	unsigned vtype = reserved & EAR_RESERVED_VTYPE ? 0 : mode->vtype;

	if (mode->unexecuted || ends_before(&grouped, letters, mode) ||
		(mode->trapped && reserved & reasons_before(inst, letters, vtype)))
		return;
	for (unsigned i = 0; i < inst->operand_count && *letter != '\0'; i++)
		if (inst->operands[i].kind == EAR_OPERAND_V)
			groups[i] = (uint8_t)shown_group(*letter++, inst->opcode, vtype);
	if (inst->id == EAR_INST_VSM3ME_VV) /* it notes two of the three */
		groups[2] = 0;
}
