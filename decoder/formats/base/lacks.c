/* What a text does not carry: read its beginning, and count for each field the records that should
 * have it by their opcode, and those that have it. No line is looked at here, so what a tool leaves
 * out is found in the same way for every format.
 */
#include "decoder/formats/base/lacks.h"

#include "decoder/formats/base/beginning.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"
#include "decoder/record/field.h"

struct evidence {
	uint64_t wanted, shown; /* sets of EAR_FIELD_BIT */
};

static void note(struct evidence *evidence, enum ear_field field, bool shown)
{
	evidence->wanted |= EAR_FIELD_BIT(field);
	evidence->shown |= shown ? EAR_FIELD_BIT(field) : 0;
}

static bool lists(const struct ear_record *record, enum ear_register_class reg_class)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == reg_class)
			return true;
	return false;
}

static void note_registers(
	struct evidence *evidence, const struct ear_record *record, const struct ear_inst *inst)
{
	for (size_t i = 0; i < inst->operand_count; i++) {
		const struct ear_operand *operand = &inst->operands[i];
		if (!(operand->access & EAR_OPERAND_WRITE))
			continue;
		if (operand->kind == EAR_OPERAND_X && operand->value != 0)
			note(evidence, EAR_FIELD_X_WRITE, lists(record, EAR_REGISTER_X));
		else if (operand->kind == EAR_OPERAND_F)
			note(evidence, EAR_FIELD_F_WRITE, lists(record, EAR_REGISTER_F));
		else if (operand->kind == EAR_OPERAND_V)
			note(evidence, EAR_FIELD_V_WRITE, lists(record, EAR_REGISTER_V));
	}
	/* csrrs and csrrc with x0 or 0 only read. */
	bool writes = (inst->opcode >> 12 & 3) == 1 || (inst->opcode >> 15 & 31) != 0;
	if (inst->kind == EAR_KIND_CSR && writes)
		note(evidence, EAR_FIELD_CSR_WRITE, lists(record, EAR_REGISTER_CSR));
}

static void note_access(
	struct evidence *evidence, const struct ear_record *record, const struct ear_inst *inst)
{
	const struct ear_record_access *access = record->memory;
	bool has = record->memory_count > 0;

	if (inst->kind == EAR_KIND_LOAD)
		note(evidence, EAR_FIELD_LOAD_ADDRESS, has);
	if (inst->kind != EAR_KIND_STORE)
		return;
	note(evidence, EAR_FIELD_STORE_ADDRESS, has);
	note(evidence, EAR_FIELD_STORE_VALUE, has && access->has_value);
}

static void note_record(struct evidence *evidence, const struct ear_record *record)
{
	const uint32_t none = EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT | EAR_RECORD_NO_OPCODE;
	struct ear_inst inst;

	if (record->kind != EAR_RECORD_INSTRUCTION || record->isa != EAR_ISA_RISCV)
		return;
	evidence->shown |= ear_record_fields(record);
	if (record->flags & none)
		return;
	note(evidence, EAR_FIELD_PRIVILEGE, !(record->flags & EAR_RECORD_NO_PRIVILEGE));
	ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	note_registers(evidence, record, &inst);
	note_access(evidence, record, &inst);
}

uint64_t ear_reader_lacks(const struct ear_reader_format *format,
	const struct ear_reader_options *options, const char *bytes, size_t size)
{
	struct ear_reader_options own = *options;
	struct ear_beginning beginning;
	struct evidence evidence = {0};
	const struct ear_record *record;

	if (!format->dialects || !ear_beginning_open(&beginning, bytes, size))
		return 0;
	own.report = NULL;
	own.light = false;
	struct ear_reader *reader = format->make(beginning.input, &own);
	while (reader && ear_reader_next(reader, &record) == 1)
		note_record(&evidence, record);
	uint64_t lacks = (reader ? reader->lacks : 0) | (evidence.wanted & ~evidence.shown);
	ear_reader_free(reader);
	ear_beginning_close(&beginning);
	return lacks;
}
