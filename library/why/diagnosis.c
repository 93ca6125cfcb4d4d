/* What the parts of a diagnosis share.
 */
#include "library/why/diagnosis.h"

#include <stdarg.h>
#include <stdio.h>

struct ear_why_place ear_diagnosis_place_of(
	const struct ear_record *record, uint64_t position, uint64_t number)
{
	struct ear_why_place place = {.known = true, .position = position, .number = number};

	if (record->kind != EAR_RECORD_INSTRUCTION)
		return place;
	place.pc = record->pc;
	place.next_pc = record->flags & EAR_RECORD_NO_NEXT_PC ? 0 : record->next_pc;
	place.opcode = record->opcode;
	const bool none = record->isa != EAR_ISA_RISCV || record->flags & EAR_RECORD_NO_OPCODE;
	place.opcode_size = none ? 0 : record->opcode_size;
	place.xlen = record->xlen;
	return place;
}

struct ear_why_place ear_diagnosis_place(const struct ear_past *past, uint64_t position)
{
	const struct ear_record *record = ear_past_in_window(past, position);

	return record ? ear_diagnosis_place_of(record, position, ear_past_number(past, position))
		      : (struct ear_why_place){.position = position};
}

void ear_diagnosis_value(struct ear_diagnosis *diagnosis, unsigned role,
	const struct ear_value_place *place, uint64_t before)
{
	struct ear_why *why = &diagnosis->why;

	if (why->value_count == EAR_WHY_VALUES_MAX)
		return;
	why->values[why->value_count++] = (struct ear_why_value){
		.role = (uint8_t)role, .source = {.place = *place, .before = before}};
}

void ear_diagnosis_operands(struct ear_diagnosis *diagnosis, const struct ear_record *record,
	unsigned role, uint64_t position)
{
	struct ear_origins origins;

	ear_origins_read(&origins, diagnosis->instructions, record);
	for (size_t i = 0; i < origins.count; i++)
		ear_diagnosis_value(diagnosis, role, &origins.sources[i].place, position);
}

void ear_diagnosis_say(struct ear_diagnosis *diagnosis, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(diagnosis->why.text, sizeof(diagnosis->why.text), format, list);
	va_end(list);
}

struct ear_instruction ear_diagnosis_decode(
	const struct ear_diagnosis *diagnosis, const struct ear_record *record)
{
	struct ear_instruction instruction = {.size = sizeof(instruction)};

	(void)ear_instruction_of(diagnosis->instructions, &instruction, record);
	return instruction;
}

bool ear_diagnosis_previous(
	const struct ear_past *past, uint16_t hart, uint64_t position, uint64_t *previous)
{
	const struct ear_record *at = ear_past_in_window(past, position);

	for (uint64_t i = position; i > past->first; i--) {
		const struct ear_record *record = ear_past_in_window(past, i - 1);
		if (record->kind == EAR_RECORD_GAP && record->hart == hart)
			return false;
		if (record->kind != EAR_RECORD_INSTRUCTION || record->hart != hart)
			continue;
		*previous = i - 1;
		/* Texts have no gap record where lines are left out. */
		return !at || at->kind != EAR_RECORD_INSTRUCTION || at->hart != hart ||
		       at->index <= record->index + 1;
	}
	return false;
}

static bool is_system_call(uint64_t cause)
{
	return cause >= 8 && cause <= 11;
}

/* A system call, by its cause or its opcode. */
static bool is_call(const struct ear_record *record)
{
	if (record->flags & EAR_RECORD_NO_CAUSE)
		return record->opcode == 0x73 && !(record->flags & EAR_RECORD_NO_OPCODE);
	return is_system_call(record->cause);
}

bool ear_diagnosis_is_fault(const struct ear_record *record)
{
	return record->kind == EAR_RECORD_INSTRUCTION && record->flags & EAR_RECORD_TRAP &&
	       !is_call(record);
}

bool ear_diagnosis_trap_value(const struct ear_record *record, uint64_t *value)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_CSR &&
			(record->registers[i].number == 0x343 ||
				record->registers[i].number == 0x143)) {
			*value = record->registers[i].value;
			return true;
		}
	if (record->extra && record->extra->has_trap_value) {
		*value = record->extra->trap_value;
		return true;
	}
	return false;
}

const char *ear_diagnosis_interrupt_name(uint64_t number)
{
	static const char *const names[] = {[1] = "supervisor software",
		[3] = "software",
		[5] = "supervisor timer",
		[7] = "timer",
		[9] = "supervisor external",
		[11] = "external"};

	return number < sizeof(names) / sizeof(names[0]) && names[number] ? names[number] : "";
}
