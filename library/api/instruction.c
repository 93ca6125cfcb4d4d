/* Instructions for users: the instruction table's decoder, in structs that do not change with the
 * table. The set of legal instructions is the object's, not the process's.
 */
#include <earshot/instruction.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/versioned.h"
#include "decoder/isa/disassembly.h"
#include "decoder/isa/inst.h"

struct ear_instructions {
	bool restricted;
	struct ear_inst_set set;
	struct ear_disassembler *disassembler;
};

int ear_instructions_new(struct ear_instructions **instructions, const char *set, char *error)
{
	struct ear_instructions *made = calloc(1, sizeof(*made));
	const char *at;
	size_t size;

	if (error)
		error[0] = '\0';
	if (!made)
		return EAR_E_NO_MEMORY;
	if (set && ear_inst_set_parse(&made->set, set, &at, &size)) {
		if (error)
			snprintf(error, EAR_INSTRUCTIONS_ERROR_MAX,
				"'%.*s' in '%.64s' is not known as an extension or ISA string",
				size < 32 ? (int)size : 32, at, set);
		free(made);
		return EAR_E_BAD_ARGUMENT;
	}
	made->restricted = set;
	made->disassembler = ear_disassembler_new();
	if (!made->disassembler) {
		free(made);
		return EAR_E_NO_MEMORY;
	}
	*instructions = made;
	return 0;
}

void ear_instructions_free(struct ear_instructions *instructions)
{
	if (!instructions)
		return;
	ear_disassembler_free(instructions->disassembler);
	free(instructions);
}

/* The public numbers do not change; those of the table may. */
static const uint8_t class_of_kind[] = {
	[EAR_KIND_ILLEGAL] = EAR_CLASS_ILLEGAL,
	[EAR_KIND_ALU] = EAR_CLASS_ALU,
	[EAR_KIND_MUL] = EAR_CLASS_MUL,
	[EAR_KIND_DIV] = EAR_CLASS_DIV,
	[EAR_KIND_LOAD] = EAR_CLASS_LOAD,
	[EAR_KIND_STORE] = EAR_CLASS_STORE,
	[EAR_KIND_AMO] = EAR_CLASS_AMO,
	[EAR_KIND_LR] = EAR_CLASS_LR,
	[EAR_KIND_SC] = EAR_CLASS_SC,
	[EAR_KIND_BRANCH] = EAR_CLASS_BRANCH,
	[EAR_KIND_JUMP] = EAR_CLASS_JUMP,
	[EAR_KIND_CSR] = EAR_CLASS_CSR,
	[EAR_KIND_FP] = EAR_CLASS_FP,
	[EAR_KIND_FENCE] = EAR_CLASS_FENCE,
	[EAR_KIND_CACHE] = EAR_CLASS_CACHE,
	[EAR_KIND_SYSTEM] = EAR_CLASS_SYSTEM,
	[EAR_KIND_VLOAD] = EAR_CLASS_VLOAD,
	[EAR_KIND_VSTORE] = EAR_CLASS_VSTORE,
	[EAR_KIND_VECTOR] = EAR_CLASS_VECTOR,
};

_Static_assert(sizeof(class_of_kind) == EAR_KIND_VECTOR + 1, "every kind has a class");
_Static_assert(EAR_OPERAND_MAX <= EAR_INSTRUCTION_OPERANDS_MAX, "all operands have room");

const char *ear_instruction_class_name(unsigned instruction_class)
{
	for (unsigned kind = 0; kind < sizeof(class_of_kind); kind++)
		if (class_of_kind[kind] == instruction_class)
			return ear_inst_kind_name(kind);
	return NULL;
}

static uint32_t flags_of(const struct ear_inst *inst)
{
	static const struct {
		unsigned table, own;
	} flags[] = {
		{EAR_INST_CALL, EAR_INSTRUCTION_CALL},
		{EAR_INST_RETURN, EAR_INSTRUCTION_RETURN},
		{EAR_INST_INDIRECT, EAR_INSTRUCTION_INDIRECT},
		{EAR_INST_FLOAT, EAR_INSTRUCTION_FLOAT},
		{EAR_INST_ACQUIRE, EAR_INSTRUCTION_ACQUIRE},
		{EAR_INST_RELEASE, EAR_INSTRUCTION_RELEASE},
		{EAR_INST_MASKED, EAR_INSTRUCTION_MASKED},
	};
	uint32_t found = 0;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		found |= inst->flags & flags[i].table ? flags[i].own : 0;
	return found;
}

static struct ear_instruction_operand operand_of(const struct ear_operand *operand)
{
	struct ear_instruction_operand own = {
		.access = (uint8_t)((operand->access & EAR_OPERAND_READ ? EAR_OPERAND_IS_READ : 0) |
				    (operand->access & EAR_OPERAND_WRITE ? EAR_OPERAND_IS_WRITTEN
									 : 0)),
		.count = operand->count,
		.number = (uint16_t)operand->value,
	};

	switch (operand->kind) {
	case EAR_OPERAND_X: own.reg_class = EAR_REGISTER_X; break;
	case EAR_OPERAND_F: own.reg_class = EAR_REGISTER_F; break;
	case EAR_OPERAND_V: own.reg_class = EAR_REGISTER_V; break;
	case EAR_OPERAND_CSR: own.reg_class = EAR_REGISTER_CSR; break;
	default:
		own.is_immediate = true;
		own.number = 0;
		own.immediate = operand->value;
	}
	return own;
}

static int give(struct ear_instruction *instruction, const struct ear_inst *inst)
{
	struct ear_instruction own = {
		.mnemonic = ear_inst_name(inst->id),
		.instruction_class = class_of_kind[inst->kind],
		.opcode_size = inst->size,
		.access_size = inst->access_size,
		.operand_count = inst->operand_count,
		.flags = flags_of(inst),
	};

	for (size_t i = 0; i < inst->operand_count; i++)
		own.operands[i] = operand_of(&inst->operands[i]);
	return ear_versioned_write(instruction, &own, sizeof(own));
}

int ear_instruction_decode(const struct ear_instructions *instructions,
	struct ear_instruction *instruction, uint32_t opcode, unsigned xlen)
{
	struct ear_inst inst;

	if (xlen != 32 && xlen != 64)
		return EAR_E_BAD_ARGUMENT;
	ear_inst_decode_within(
		&inst, opcode, xlen, instructions->restricted ? &instructions->set : NULL);
	return give(instruction, &inst);
}

int ear_instruction_of(const struct ear_instructions *instructions,
	struct ear_instruction *instruction, const struct ear_record *record)
{
	const struct ear_inst none = {.id = EAR_INST_ILLEGAL, .size = record->opcode_size};

	if (record->kind != EAR_RECORD_INSTRUCTION || record->isa != EAR_ISA_RISCV ||
		record->flags & EAR_RECORD_NO_OPCODE || (record->xlen != 32 && record->xlen != 64))
		return give(instruction, &none);
	return ear_instruction_decode(
		instructions, instruction, (uint32_t)record->opcode, record->xlen);
}

/* Texts of RISC-V instructions come from the set, too: what is not legal has no name. */
static bool is_excluded(
	const struct ear_instructions *instructions, const struct ear_record *record)
{
	struct ear_instruction instruction = {.size = sizeof(instruction)};

	return instructions->restricted && record->isa == EAR_ISA_RISCV &&
	       !(record->flags & EAR_RECORD_NO_OPCODE) &&
	       ear_instruction_of(instructions, &instruction, record) == 0 &&
	       instruction.instruction_class == EAR_CLASS_ILLEGAL;
}

int ear_instruction_text(struct ear_instructions *instructions, const struct ear_record *record,
	char *text, size_t size)
{
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return snprintf(text, size, "%s", "");
	if (is_excluded(instructions, record))
		return snprintf(text, size, "illegal");
	struct ear_text found = ear_disassembler_text(instructions->disassembler, record);
	return snprintf(text, size, "%.*s", (int)found.size, found.text);
}

int ear_register_name(enum ear_register_class reg_class, unsigned number, char *text, size_t size)
{
	const char *name = NULL;

	switch (reg_class) {
	case EAR_REGISTER_X:
	case EAR_REGISTER_F:
		if (number < 32)
			name = ear_inst_abi_name(reg_class == EAR_REGISTER_F, number);
		return name ? snprintf(text, size, "%s", name)
			    : snprintf(text, size, "%c%u", reg_class == EAR_REGISTER_F ? 'f' : 'x',
				      number);
	case EAR_REGISTER_CSR:
		name = number < 4096 ? ear_csr_name(number) : NULL;
		return name ? snprintf(text, size, "%s", name)
			    : snprintf(text, size, "c%u", number);
	case EAR_REGISTER_V: return snprintf(text, size, "v%u", number);
	default: return snprintf(text, size, "%s", "");
	}
}

/* "x12": the letter of a class and a number of it. */
static bool find_numbered(const char *name, enum ear_register_class *reg_class, unsigned *number)
{
	static const struct {
		char letter;
		enum ear_register_class reg_class;
		unsigned count;
	} classes[] = {
		{'x', EAR_REGISTER_X, 32},
		{'f', EAR_REGISTER_F, 32},
		{'c', EAR_REGISTER_CSR, 4096},
		{'v', EAR_REGISTER_V, 32},
	};
	char *end;

	if (!name[0] || name[1] < '0' || name[1] > '9')
		return false;
	unsigned long found = strtoul(name + 1, &end, 10);
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (name[0] == classes[i].letter && *end == '\0' && found < classes[i].count) {
			*reg_class = classes[i].reg_class;
			*number = (unsigned)found;
			return true;
		}
	return false;
}

int ear_register_find(const char *name, enum ear_register_class *reg_class, unsigned *number)
{
	if (find_numbered(name, reg_class, number))
		return 0;
	if (strcmp(name, "fp") == 0)
		name = "s0";
	for (unsigned i = 0; i < 64; i++)
		if (strcmp(name, ear_inst_abi_name(i >= 32, i % 32)) == 0) {
			*reg_class = i >= 32 ? EAR_REGISTER_F : EAR_REGISTER_X;
			*number = i % 32;
			return 0;
		}
	for (unsigned i = 0; i < 4096; i++)
		if (ear_csr_name(i) && strcmp(name, ear_csr_name(i)) == 0) {
			*reg_class = EAR_REGISTER_CSR;
			*number = i;
			return 0;
		}
	return EAR_E_BAD_ARGUMENT;
}
