#include "cli/commands/coverage/coverage_isa_mnemonics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHERE_RV32 = 1, WHERE_RV64 = 2, WHERE_BOTH = 3, WHERE_SHIFT = 3, WHERE_CSHIFT = 3 };

static const struct row {
	const char *name;
	uint32_t match, mask;
	uint8_t extension; /* enum ear_inst_extension */
	uint8_t xlens;     /* WHERE_... */
	bool rounds;
} rows[] = {
#define INST(id, mnemonic, bits, care, where, some, layout, what, bytes, set, ext) \
	{mnemonic, (bits), (care), EAR_EXT_##ext, WHERE_##where, #set[0] == 'R'},
#include "decoder/isa/inst_list.def"
#undef INST
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static const char *const isa_names[EAR_EXT_COUNT] = {
#define EXTENSION(id, name) [EAR_EXT_##id] = (name),
#define IMPLIES(...)
#define BOTH(...)
#define BOTH_RV32(...)
#define SILENT(...)
#define PROFILE(...)
#include "decoder/isa/inst_extension.def"
#undef EXTENSION
#undef IMPLIES
#undef BOTH
#undef BOTH_RV32
#undef SILENT
#undef PROFILE
};

/* ---- What there is. ---- */

static struct isa_mnemonic *find_mnemonic(
	const struct isa_mnemonics *mnemonics, const struct ear_instruction *instruction)
{
	for (size_t i = 0; i < mnemonics->count; i++)
		if (mnemonics->list[i].sample.opcode_size == instruction->opcode_size &&
			(mnemonics->list[i].name == instruction->mnemonic ||
				strcmp(mnemonics->list[i].name, instruction->mnemonic) == 0))
			return &mnemonics->list[i];
	return NULL;
}

/* There is at most one for each row. */
static struct isa_mnemonic *add_mnemonic(struct isa_mnemonics *mnemonics,
	const struct ear_instruction *instruction, uint32_t opcode, const struct row *row)
{
	struct isa_mnemonic *own = find_mnemonic(mnemonics, instruction);
	struct ear_isa_opcode decoded;

	if (own || mnemonics->count == ROW_COUNT)
		return own;
	own = &mnemonics->list[mnemonics->count++];
	own->name = instruction->mnemonic;
	own->sample = *instruction;
	own->extension = row->extension;
	own->rounds = row->rounds;
	own->masks = instruction->instruction_class >= EAR_CLASS_VLOAD && !(row->mask >> 25 & 1) &&
		     (row->match & 0x707F) != 0x7057;
	own->word = opcode;
	ear_isa_opcode_init(&decoded, mnemonics->instructions, opcode, (uint8_t)mnemonics->xlen);
	memcpy(own->formats, decoded.formats, sizeof(own->formats));
	isa_section_of(own->section, instruction, row->extension);
	return own;
}

static const int64_t *immediate_of(const struct ear_instruction *instruction)
{
	for (unsigned i = 0; i < instruction->operand_count; i++)
		if (instruction->operands[i].is_immediate)
			return &instruction->operands[i].immediate;
	return NULL;
}

static void take_possible(struct isa_mnemonic *mnemonic, const struct ear_instruction *instruction)
{
	const struct ear_isa_operands operands = ear_isa_operands_of(instruction);
	const uint8_t registers[ISA_OPERANDS] = {
		operands.rd, operands.rs1, operands.rs2, operands.rs3};
	const int64_t *immediate = immediate_of(instruction);

	mnemonic->apart = mnemonic->apart || operands.rd != operands.rs1;
	for (unsigned i = 0; i < ISA_OPERANDS; i++)
		if (registers[i] != EAR_ISA_NO_REGISTER)
			mnemonic->possible[i][registers[i] / 64] |= UINT64_C(1)
								    << registers[i] % 64;
	if (!immediate)
		return;
	if (!mnemonic->has_immediate || *immediate < mnemonic->min)
		mnemonic->min = *immediate;
	if (!mnemonic->has_immediate || *immediate > mnemonic->max)
		mnemonic->max = *immediate;
	mnemonic->has_immediate = true;
}

static bool decode(
	const struct isa_mnemonics *mnemonics, struct ear_instruction *instruction, uint32_t opcode)
{
	*instruction = (struct ear_instruction){.size = sizeof(*instruction)};
	return ear_instruction_decode(
		       mnemonics->instructions, instruction, opcode, mnemonics->xlen) == 0 &&
	       instruction->instruction_class != EAR_CLASS_ILLEGAL;
}

static bool exists(const struct isa_mnemonics *mnemonics, const struct row *row)
{
	return row->xlens & (mnemonics->xlen == 32 ? WHERE_RV32 : WHERE_RV64);
}

static const struct row *row_of(
	const struct isa_mnemonics *mnemonics, uint32_t opcode, const char *name)
{
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (exists(mnemonics, &rows[i]) && (opcode & rows[i].mask) == rows[i].match &&
			strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

/* The row with these bits where it has none of its own. */
static void try_long(struct isa_mnemonics *mnemonics, const struct row *row, uint32_t bits)
{
	const uint32_t opcode = row->match | (bits & ~row->mask);
	struct ear_instruction instruction;

	if (!decode(mnemonics, &instruction, opcode) ||
		strcmp(instruction.mnemonic, row->name) != 0)
		return;
	struct isa_mnemonic *mnemonic = add_mnemonic(mnemonics, &instruction, opcode, row);
	if (mnemonic)
		take_possible(mnemonic, &instruction);
}

/* All registers in all fields; and immediates, whose least and greatest one have all bits but the
 * sign in common. */
static void find_long(struct isa_mnemonics *mnemonics, const struct row *row)
{
	static const unsigned fields[] = {7, 15, 20, 27};
	const uint32_t others = UINT32_C(1) << 7 | UINT32_C(2) << 15 | UINT32_C(4) << 20;

	for (unsigned i = 0; i < 4; i++)
		for (uint32_t number = 0; number < 32; number++)
			try_long(mnemonics, row,
				(others & ~(UINT32_C(31) << fields[i])) | number << fields[i]);
	for (unsigned shift = 20; shift < 32; shift++) {
		const uint32_t low = ((UINT32_C(1) << shift) - 1) & ~UINT32_C(0x7F);
		try_long(mnemonics, row, low);
		try_long(mnemonics, row, ~low);
		try_long(mnemonics, row, UINT32_C(1) << shift);
	}
	try_long(mnemonics, row, 0x7FFFFFFF);
	try_long(mnemonics, row, UINT32_MAX);
}

static void find_all(struct isa_mnemonics *mnemonics)
{
	for (uint32_t opcode = 0; opcode < 0x10000; opcode++) {
		struct ear_instruction instruction;
		if ((opcode & 3) == 3 || !decode(mnemonics, &instruction, opcode))
			continue;
		struct isa_mnemonic *mnemonic = find_mnemonic(mnemonics, &instruction);
		const struct row *row =
			mnemonic ? NULL : row_of(mnemonics, opcode, instruction.mnemonic);
		if (row && mnemonics->wanted[row->extension])
			mnemonic = add_mnemonic(mnemonics, &instruction, opcode, row);
		if (mnemonic)
			take_possible(mnemonic, &instruction);
	}
	for (size_t i = 0; i < ROW_COUNT; i++)
		if ((rows[i].match & 3) == 3 && exists(mnemonics, &rows[i]) &&
			mnemonics->wanted[rows[i].extension])
			find_long(mnemonics, &rows[i]);
}

/* ---- What was hit. ---- */

unsigned isa_distance_group(int64_t distance)
{
	const uint64_t size = distance < 0 ? 0 - (uint64_t)distance : (uint64_t)distance;

	return size < 16 ? 0 : size < 256 ? 1 : size < 4096 ? 2 : 3;
}

static void sum_immediate(
	struct isa_mnemonic *sum, const struct ear_isa_opcode *opcode, int64_t immediate)
{
	const unsigned what = opcode->instruction.instruction_class;
	const bool back = immediate < 0;
	const unsigned bin = immediate == 0          ? ISA_IMMEDIATE_ZERO
			     : immediate == sum->min ? ISA_IMMEDIATE_MIN
			     : immediate == sum->max ? ISA_IMMEDIATE_MAX
			     : back                  ? ISA_IMMEDIATE_NEGATIVE
						     : ISA_IMMEDIATE_POSITIVE;

	sum->immediates[bin] += opcode->executed;
	sum->distances[isa_distance_group(immediate)] += opcode->executed;
	if (what == EAR_CLASS_BRANCH) {
		sum->branches[back] += opcode->bins[EAR_ISA_TAKEN];
		sum->branches[2 + back] += opcode->bins[EAR_ISA_NOT_TAKEN];
	} else {
		sum->branches[back] += opcode->executed;
	}
}

static void sum_opcode(struct isa_mnemonic *sum, const struct ear_isa_opcode *opcode)
{
	const struct ear_isa_operands *operands = &opcode->operands;
	const uint8_t registers[ISA_OPERANDS] = {
		operands->rd, operands->rs1, operands->rs2, operands->rs3};
	static const uint8_t sames[ISA_SAMES][2] = {
		{ISA_RD, ISA_RS1}, {ISA_RD, ISA_RS2}, {ISA_RD, ISA_RS3}, {ISA_RS1, ISA_RS2}};
	const int64_t *immediate = immediate_of(&opcode->instruction);

	sum->executed += opcode->executed;
	for (unsigned i = 0; i < ISA_OPERANDS; i++)
		if (registers[i] != EAR_ISA_NO_REGISTER)
			sum->registers[i][registers[i]] += opcode->executed;
	for (unsigned i = 0; i < ISA_SAMES; i++)
		if (registers[sames[i][0]] != EAR_ISA_NO_REGISTER &&
			registers[sames[i][0]] == registers[sames[i][1]])
			sum->same[i] += opcode->executed;
	for (unsigned i = 0; i < EAR_ISA_BINS; i++)
		sum->bins[i] += opcode->bins[i];
	if (immediate)
		sum_immediate(sum, opcode, *immediate);
	sum->rounding[opcode->opcode >> 12 & 7] += opcode->executed;
	sum->masked[(opcode->instruction.flags & EAR_INSTRUCTION_MASKED) != 0] += opcode->executed;
}

static void sum_opcodes(struct isa_mnemonics *mnemonics)
{
	for (size_t i = 0; i < ear_isa_coverage_count(mnemonics->coverage); i++) {
		const struct ear_isa_opcode *opcode =
			ear_isa_coverage_opcode(mnemonics->coverage, i);
		struct isa_mnemonic *sum = opcode->xlen == mnemonics->xlen
						   ? find_mnemonic(mnemonics, &opcode->instruction)
						   : NULL;
		if (sum)
			sum_opcode(sum, opcode);
	}
}

unsigned isa_operand_choices(const struct isa_mnemonic *mnemonic, unsigned operand)
{
	return (unsigned)(__builtin_popcountll(mnemonic->possible[operand][0]) +
			  __builtin_popcountll(mnemonic->possible[operand][1]));
}

/* ---- Which extensions. ---- */

static void choose_xlen(struct isa_mnemonics *mnemonics)
{
	uint64_t executed[2] = {0};

	for (size_t i = 0; i < ear_isa_coverage_count(mnemonics->coverage); i++) {
		const struct ear_isa_opcode *opcode =
			ear_isa_coverage_opcode(mnemonics->coverage, i);
		executed[opcode->xlen == 64] += opcode->executed;
	}
	if (mnemonics->xlen == 0)
		mnemonics->xlen = executed[1] > executed[0] ? 64 : 32;
	mnemonics->other_xlen = executed[mnemonics->xlen == 32] > 0;
}

/* What the extensions imply that are wanted. */
static void close_extensions(struct isa_mnemonics *mnemonics)
{
	char text[1024];
	size_t used = (size_t)snprintf(text, sizeof(text), "rv%ui", mnemonics->xlen);
	struct ear_inst_set set;
	const char *at;
	size_t size;

	for (unsigned i = 0; i < EAR_EXT_COUNT; i++) {
		if (!mnemonics->wanted[i] || !isa_names[i] || !isa_names[i][0] || i == EAR_EXT_I)
			continue;
		const size_t length = strlen(isa_names[i]);
		if (used + length + 2 > sizeof(text))
			break;
		text[used++] = '_';
		memcpy(text + used, isa_names[i], length + 1);
		used += length;
	}
	if (ear_inst_set_parse(&set, text, &at, &size) == 0)
		for (unsigned i = 0; i < EAR_EXT_COUNT; i++)
			mnemonics->wanted[i] =
				mnemonics->wanted[i] || set.bits[i / 64] >> i % 64 & 1;
}

static void choose_extensions(struct isa_mnemonics *mnemonics, const char *march)
{
	const struct ear_isa_coverage *coverage = mnemonics->coverage;
	struct ear_inst_set set;
	const char *at;
	size_t size;

	if (march && ear_inst_set_parse(&set, march, &at, &size) == 0) {
		mnemonics->xlen = set.xlen;
		for (unsigned i = 0; i < EAR_EXT_COUNT; i++)
			mnemonics->wanted[i] = set.bits[i / 64] >> i % 64 & 1;
	}
	choose_xlen(mnemonics);
	mnemonics->wanted[EAR_EXT_I] = true;
	bool supervisor = ear_isa_coverage_sums(coverage)->privileges[EAR_PRIVILEGE_S] > 0;
	for (size_t i = 0; i < ear_isa_coverage_count(coverage); i++) {
		const struct ear_isa_opcode *opcode = ear_isa_coverage_opcode(coverage, i);
		if (opcode->xlen != mnemonics->xlen || opcode->executed == 0)
			continue;
		const struct row *row =
			row_of(mnemonics, opcode->opcode, opcode->instruction.mnemonic);
		if (row && !march)
			mnemonics->wanted[row->extension] = true;
		supervisor = supervisor || (row && row->extension == EAR_EXT_S);
	}
	if (!march)
		close_extensions(mnemonics);
	mnemonics->wanted[EAR_EXT_S] = supervisor; /* no name of an ISA says it */
}

bool isa_mnemonics_make(struct isa_mnemonics *mnemonics, const struct ear_isa_coverage *coverage,
	const struct ear_instructions *instructions, const char *march)
{
	*mnemonics = (struct isa_mnemonics){.instructions = instructions, .coverage = coverage};
	mnemonics->list = calloc(ROW_COUNT, sizeof(*mnemonics->list));
	if (!mnemonics->list)
		return false;
	choose_extensions(mnemonics, march);
	find_all(mnemonics);
	sum_opcodes(mnemonics);
	return true;
}

void isa_mnemonics_free(struct isa_mnemonics *mnemonics)
{
	free(mnemonics->list);
	mnemonics->list = NULL;
}
