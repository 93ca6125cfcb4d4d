/* What a record computed a value from, by the operands of its opcode. Values are those that the
 * record shows; others are found where they were written.
 */
#include "library/why/origins.h"

#include <string.h>

static bool read_value(
	const struct ear_record *record, const struct ear_value_place *place, uint64_t *value)
{
	const struct ear_record_extra *extra = record->extra;

	for (size_t i = 0; extra && i < extra->read_count; i++) {
		const struct ear_record_register *reg = &extra->reads[i];
		if (reg->reg_class == place->reg_class && reg->number == place->number) {
			*value = reg->value;
			return true;
		}
	}
	return false;
}

static void add(struct ear_origins *origins, struct ear_value_source source)
{
	if (origins->count == EAR_ORIGINS_MAX)
		origins->end = EAR_VALUE_OPAQUE;
	else
		origins->sources[origins->count++] = source;
}

static void add_register(struct ear_origins *origins, const struct ear_record *record,
	unsigned reg_class, unsigned number, bool is_address)
{
	struct ear_value_source source = {.place = {.kind = EAR_VALUE_REGISTER,
						  .reg_class = (uint8_t)reg_class,
						  .number = (uint16_t)number,
						  .hart = record->hart},
		.is_address = is_address,
		.node = EAR_VALUE_NO_NODE};

	if (reg_class == EAR_REGISTER_X && number == 0)
		return;
	source.value_known = read_value(record, &source.place, &source.value);
	add(origins, source);
}

/* The memory that an access read. */
static void add_access(struct ear_origins *origins, const struct ear_record_access *access)
{
	if (access->size == 0 || access->size > 8) {
		origins->end = EAR_VALUE_OPAQUE;
		return;
	}
	add(origins, (struct ear_value_source){.place = {.kind = EAR_VALUE_MEMORY,
						       .size = access->size,
						       .address = access->address},
			     .value_known = ear_access_is_known(access),
			     .value = access->value,
			     .node = EAR_VALUE_NO_NODE});
}

static bool is_x_read(const struct ear_instruction_operand *operand)
{
	return !operand->is_immediate && operand->reg_class == EAR_REGISTER_X &&
	       operand->access & EAR_OPERAND_IS_READ;
}

/* Index of the operand that is the base of the accesses: the last x register read, of atomics the
 * first that is not written as well (amocas). */
static int base_of(const struct ear_instruction *instruction)
{
	const unsigned kind = instruction->instruction_class;
	const bool is_atomic = kind == EAR_CLASS_AMO || kind == EAR_CLASS_SC;
	int found = -1;

	for (int i = 0; i < instruction->operand_count; i++) {
		const struct ear_instruction_operand *operand = &instruction->operands[i];
		if (!is_x_read(operand) || (is_atomic && operand->access & EAR_OPERAND_IS_WRITTEN))
			continue;
		if (is_atomic)
			return i;
		found = i;
	}
	return found;
}

static void add_operand(struct ear_origins *origins, const struct ear_record *record,
	const struct ear_instruction_operand *operand, bool is_address)
{
	if (operand->is_immediate || !(operand->access & EAR_OPERAND_IS_READ))
		return;
	if (operand->reg_class == EAR_REGISTER_V) {
		origins->end = EAR_VALUE_OPAQUE;
		return;
	}
	for (unsigned i = 0; i < operand->count; i++)
		add_register(origins, record, operand->reg_class, operand->number + i, is_address);
}

/* Registers that are read; which: a set of 1 << enum ear_register_class; but the one at skip. */
static void add_read(struct ear_origins *origins, const struct ear_record *record,
	const struct ear_instruction *instruction, unsigned which, int skip)
{
	for (int i = 0; i < instruction->operand_count; i++)
		if (i != skip && which >> instruction->operands[i].reg_class & 1)
			add_operand(origins, record, &instruction->operands[i], false);
}

static void add_base(struct ear_origins *origins, const struct ear_record *record,
	const struct ear_instruction *instruction)
{
	int base = base_of(instruction);

	if (base >= 0)
		add_operand(origins, record, &instruction->operands[base], true);
}

#define X_AND_F (1u << EAR_REGISTER_X | 1u << EAR_REGISTER_F)
#define ANY_REG (X_AND_F | 1u << EAR_REGISTER_CSR | 1u << EAR_REGISTER_V)

static uint64_t written_value(
	const struct ear_record *record, const struct ear_value_place *place, bool *known)
{
	*known = false;
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class == place->reg_class && reg->number == place->number) {
			*known = true;
			return reg->value;
		}
	}
	return 0;
}

/* Of several loads in one instruction (cm.pop) the one whose value it is, if it is one alone. Those
 * of an f register are its parts. */
static void add_loads(struct ear_origins *origins, const struct ear_record *record,
	const struct ear_value_place *place)
{
	bool known;
	uint64_t value = written_value(record, place, &known);
	const bool is_one = place->reg_class == EAR_REGISTER_X;
	size_t reads = 0, same = 0;

	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		reads += !access->write;
		same += !access->write && ear_access_is_known(access) && access->value == value;
	}
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (access->write ||
			(is_one && reads > 1 && same == 1 && known && access->value != value))
			continue;
		add_access(origins, access);
	}
}

/* What a load wrote: nothing is known if the source lists no access. */
static void of_load(struct ear_origins *origins, const struct ear_record *record,
	const struct ear_instruction *instruction, const struct ear_value_place *place)
{
	const int base = base_of(instruction);
	const struct ear_instruction_operand *operand =
		base >= 0 ? &instruction->operands[base] : NULL;

	/* cm.pop moves sp as well. */
	if (operand && place->reg_class == EAR_REGISTER_X && operand->number == place->number &&
		operand->access & EAR_OPERAND_IS_WRITTEN) {
		add_operand(origins, record, operand, false);
		return;
	}
	add_loads(origins, record, place);
	if (origins->count == 0)
		origins->end = EAR_VALUE_OPAQUE;
	add_base(origins, record, instruction);
}

/* What a store wrote; of several registers (cm.push) the one with that value, if it is one alone.
 */
static void of_store(struct ear_origins *origins, const struct ear_record *record,
	const struct ear_instruction *instruction, const struct ear_value_place *place)
{
	add_read(origins, record, instruction, X_AND_F, base_of(instruction));
	if (origins->count > 1) {
		uint64_t value = 0;
		size_t same = 0, at = 0;
		for (size_t i = 0; i < record->memory_count; i++)
			if (record->memory[i].address <= place->address &&
				place->address - record->memory[i].address < record->memory[i].size)
				value = record->memory[i].value;
		for (size_t i = 0; i < origins->count; i++)
			if (origins->sources[i].value_known && origins->sources[i].value == value) {
				at = i;
				same++;
			}
		if (same == 1) {
			origins->sources[0] = origins->sources[at];
			origins->count = 1;
		}
	}
	if (origins->count == 0)
		origins->end = EAR_VALUE_CONSTANT; /* zero */
	add_base(origins, record, instruction);
}

static bool is_mnemonic(const struct ear_instruction *instruction, const char *begin)
{
	return strncmp(instruction->mnemonic, begin, strlen(begin)) == 0;
}

static void of_amo(struct ear_origins *origins, const struct ear_record *record,
	const struct ear_instruction *instruction, bool is_memory)
{
	if (is_memory)
		add_read(origins, record, instruction, X_AND_F, base_of(instruction));
	if (!is_memory || !is_mnemonic(instruction, "amoswap"))
		for (size_t i = 0; i < record->memory_count; i++)
			if (!record->memory[i].write)
				add_access(origins, &record->memory[i]);
	if (origins->count == 0)
		origins->end = is_memory ? EAR_VALUE_CONSTANT : EAR_VALUE_OPAQUE;
	add_base(origins, record, instruction);
}

/* csrrw: the register; csrrs, csrrc: what was in the CSR, too. */
static void of_csr(struct ear_origins *origins, const struct ear_record *record,
	const struct ear_instruction *instruction, const struct ear_value_place *place)
{
	const unsigned operation = (unsigned)(record->opcode >> 12 & 3);

	if (place->reg_class == EAR_REGISTER_X) {
		for (int i = 0; i < instruction->operand_count; i++)
			if (instruction->operands[i].reg_class == EAR_REGISTER_CSR &&
				!instruction->operands[i].is_immediate)
				add_register(origins, record, EAR_REGISTER_CSR,
					instruction->operands[i].number, false);
		return;
	}
	add_read(origins, record, instruction, 1u << EAR_REGISTER_X, -1);
	if (operation != 1)
		add_register(origins, record, EAR_REGISTER_CSR, place->number, false);
	if (origins->count == 0)
		origins->end = EAR_VALUE_CONSTANT;
}

static void of_register(struct ear_origins *origins, const struct ear_record *record,
	const struct ear_instruction *instruction, const struct ear_value_place *place)
{
	switch (instruction->instruction_class) {
	case EAR_CLASS_LOAD:
	case EAR_CLASS_LR: of_load(origins, record, instruction, place); return;
	case EAR_CLASS_AMO: of_amo(origins, record, instruction, false); return;
	case EAR_CLASS_SC: origins->end = EAR_VALUE_CORE; return;
	case EAR_CLASS_CSR: of_csr(origins, record, instruction, place); return;
	case EAR_CLASS_SYSTEM: /* xRET */
		if (place->reg_class == EAR_REGISTER_CSR)
			add_register(origins, record, EAR_REGISTER_CSR, place->number, false);
		return;
	case EAR_CLASS_JUMP: /* the link; cm.popret loads */
		if (record->memory_count > 0)
			of_load(origins, record, instruction, place);
		else
			origins->end = EAR_VALUE_CONSTANT;
		return;
	case EAR_CLASS_ALU:
	case EAR_CLASS_MUL:
	case EAR_CLASS_DIV:
	case EAR_CLASS_FP:
		if (place->reg_class == EAR_REGISTER_CSR) {
			origins->end = EAR_VALUE_CORE; /* flags */
			return;
		}
		add_read(origins, record, instruction, X_AND_F, -1);
		if (origins->count == 0)
			origins->end = EAR_VALUE_CONSTANT;
		return;
	case EAR_CLASS_STORE: /* cm.push moves sp */
		add_base(origins, record, instruction);
		if (origins->count > 0)
			origins->sources[0].is_address = false;
		return;
	default: origins->end = EAR_VALUE_OPAQUE;
	}
}

static bool decode(struct ear_instruction *instruction, const struct ear_instructions *instructions,
	const struct ear_record *record)
{
	*instruction = (struct ear_instruction){.size = sizeof(*instruction)};
	return ear_instruction_of(instructions, instruction, record) == 0 &&
	       instruction->instruction_class != EAR_CLASS_ILLEGAL;
}

void ear_origins_of(struct ear_origins *origins, const struct ear_instructions *instructions,
	const struct ear_record *record, const struct ear_value_place *place)
{
	struct ear_instruction instruction;

	*origins = (struct ear_origins){.end = EAR_VALUE_FOLLOWED};
	if (record->kind == EAR_RECORD_INSTRUCTION && record->isa == EAR_ISA_RISCV &&
		record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)) {
		origins->end = EAR_VALUE_CORE;
		return;
	}
	if (!decode(&instruction, instructions, record)) {
		origins->end = EAR_VALUE_OPAQUE;
		return;
	}
	if (place->kind == EAR_VALUE_REGISTER)
		of_register(origins, record, &instruction, place);
	else if (instruction.instruction_class == EAR_CLASS_STORE)
		of_store(origins, record, &instruction, place);
	else if (instruction.instruction_class == EAR_CLASS_AMO)
		of_amo(origins, record, &instruction, true);
	else if (instruction.instruction_class == EAR_CLASS_SC)
		of_store(origins, record, &instruction, place);
	else
		origins->end = EAR_VALUE_OPAQUE;
	if (origins->count == 0 && origins->end == EAR_VALUE_FOLLOWED)
		origins->end = EAR_VALUE_OPAQUE;
}

void ear_origins_read(struct ear_origins *origins, const struct ear_instructions *instructions,
	const struct ear_record *record)
{
	struct ear_instruction instruction;

	*origins = (struct ear_origins){.end = EAR_VALUE_OPAQUE};
	if (record->kind != EAR_RECORD_INSTRUCTION || !decode(&instruction, instructions, record))
		return;
	origins->end = EAR_VALUE_FOLLOWED;
	add_read(origins, record, &instruction, ANY_REG, -1);
}

bool ear_origins_base(struct ear_value_source *base, const struct ear_instructions *instructions,
	const struct ear_record *record)
{
	struct ear_origins origins = {0};
	struct ear_instruction instruction;

	if (record->kind != EAR_RECORD_INSTRUCTION || !decode(&instruction, instructions, record))
		return false;
	switch (instruction.instruction_class) {
	case EAR_CLASS_LOAD:
	case EAR_CLASS_STORE:
	case EAR_CLASS_LR:
	case EAR_CLASS_SC:
	case EAR_CLASS_AMO: break;
	case EAR_CLASS_JUMP:
		if (instruction.flags & EAR_INSTRUCTION_INDIRECT)
			break;
		return false;
	default: return false;
	}
	add_base(&origins, record, &instruction);
	if (origins.count == 0)
		return false;
	*base = origins.sources[origins.count - 1];
	return true;
}
