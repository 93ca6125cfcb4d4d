/* A register that the handler of an interrupt changed and did not restore: a link of a chain leads
 * from an instruction of the interrupted code to one of the handler. A scheduler does that on
 * purpose, so the handler must have returned to the same instruction with the same sp.
 */
#include "library/why/diagnosis.h"

#define NEAR  4096 /* records between the write and the read */
#define DEPTH 16   /* handlers in each other */

static bool is_xret(const struct ear_record *record)
{
	return !(record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)) &&
	       (record->opcode == 0x30200073 || record->opcode == 0x10200073);
}

static bool enters(const struct ear_record *record)
{
	return record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
}

/* The return from the handler in which the record at write is, before read. */
static bool find_return(
	const struct ear_diagnosis *diagnosis, uint64_t write, uint64_t read, uint64_t *found)
{
	unsigned depth = 0;

	for (*found = write + 1; *found < read; ++*found) {
		const struct ear_record *record = ear_past_in_window(diagnosis->past, *found);
		if (!record || record->kind == EAR_RECORD_GAP)
			return false;
		if (record->kind != EAR_RECORD_INSTRUCTION || record->hart != diagnosis->why.hart)
			continue;
		if (enters(record) && ++depth == DEPTH)
			return false;
		if (is_xret(record) && depth-- == 0)
			return true;
	}
	return false;
}

/* The interrupt whose handler the record at write is in. */
static bool find_interrupt(const struct ear_diagnosis *diagnosis, uint64_t write, uint64_t *found)
{
	const struct ear_past *past = diagnosis->past;
	unsigned depth = 0;

	for (*found = write; *found > past->first;) {
		const struct ear_record *record = ear_past_in_window(past, --*found);
		if (!record || record->kind == EAR_RECORD_GAP)
			return false;
		if (record->kind != EAR_RECORD_INSTRUCTION || record->hart != diagnosis->why.hart)
			continue;
		if (is_xret(record) && ++depth == DEPTH)
			return false;
		if (enters(record) && depth-- == 0)
			return record->flags & EAR_RECORD_INTERRUPT;
	}
	return false;
}

/* The value of a register of the hart at two moments. Returns 1 if both are known, 0 or an error.
 */
static int compare(struct ear_diagnosis *diagnosis, const struct ear_value_place *place,
	const uint64_t positions[2], uint64_t values[2])
{
	int result = ear_past_value(diagnosis->past, place, positions[0], &values[0]);

	return result == 1 ? ear_past_value(diagnosis->past, place, positions[1], &values[1])
			   : result;
}

/* Did a handler write what the record at read reads of a register? Returns 1, 0 or an error. */
static int look_at(struct ear_diagnosis *diagnosis, const struct ear_value_place *place,
	uint64_t write, uint64_t read)
{
	const struct ear_value_place sp = {
		.kind = EAR_VALUE_REGISTER, .number = 2, .hart = diagnosis->why.hart};
	struct ear_why_changed *changed = &diagnosis->why.changed;
	const struct ear_past *past = diagnosis->past;
	const struct ear_record *record;
	uint64_t moments[2], values[2], begin, end;

	if (read - write > NEAR)
		return 0;
	int result = ear_past_at(diagnosis->past, read - 1, &record);
	if (result != 1 || !ear_past_in_window(past, write) ||
		!find_return(diagnosis, write, read, &end) ||
		!find_interrupt(diagnosis, write, &begin))
		return result < 0 ? result : 0;
	const uint64_t pc = ear_past_in_window(past, begin)->pc;
	record = ear_past_in_window(past, end);
	if (record->flags & EAR_RECORD_NO_NEXT_PC || record->next_pc != pc)
		return 0;
	const struct ear_why_place interrupt = ear_diagnosis_place(past, begin);
	const struct ear_why_place writer = ear_diagnosis_place(past, write);
	moments[0] = begin;
	moments[1] = end + 1;
	result = compare(diagnosis, &sp, moments, values);
	if (result != 1 || values[0] != values[1])
		return result < 0 ? result : 0;
	result = compare(diagnosis, place, moments, values);
	if (result != 1 || values[0] == values[1])
		return result < 0 ? result : 0;
	*changed = (struct ear_why_changed){interrupt, writer, *place, values[0], values[1]};
	return 1;
}

/* Sources that the record at read has, or, of the value asked for, the one that is the cause. */
static int look_at_sources(struct ear_diagnosis *diagnosis, const struct ear_value_chain *chain,
	size_t first, size_t count, uint64_t read)
{
	int result = 0;

	for (size_t i = first; result == 0 && i < first + count; i++) {
		const struct ear_value_source *source = &chain->sources[i];
		if (source->node != EAR_VALUE_NO_NODE && source->place.kind == EAR_VALUE_REGISTER &&
			source->place.reg_class == EAR_REGISTER_X &&
			chain->nodes[source->node].position < read)
			result = look_at(diagnosis, &source->place,
				chain->nodes[source->node].position, read);
	}
	return result;
}

int ear_diagnose_handler(struct ear_diagnosis *diagnosis)
{
	const struct ear_why *why = &diagnosis->why;
	int result = 0;

	for (size_t i = 0; result == 0 && i < why->value_count; i++) {
		const struct ear_value_chain *chain = why->values[i].chain;
		result = look_at_sources(
			diagnosis, chain, 0, chain->root_count, why->values[i].source.before);
		for (size_t k = 0; result == 0 && k < chain->node_count; k++)
			if (chain->nodes[k].folded == 0)
				result = look_at_sources(diagnosis, chain,
					chain->nodes[k].first_source, chain->nodes[k].source_count,
					chain->nodes[k].position);
	}
	return result < 0 ? result : 0;
}

/* Did a handler return 4 bytes after an instruction of 2 bytes? The last one in the window. */
static bool find_skip(const struct ear_diagnosis *diagnosis, uint64_t *trap, uint64_t *back)
{
	const struct ear_past *past = diagnosis->past;

	for (uint64_t i = past->end; i > past->first; i--) {
		const struct ear_record *record = ear_past_in_window(past, i - 1);
		if (record->kind != EAR_RECORD_INSTRUCTION || record->hart != diagnosis->why.hart ||
			!(record->flags & EAR_RECORD_TRAP) || record->opcode_size != 2)
			continue;
		*trap = i - 1;
		if (!find_return(diagnosis, *trap, past->end, back))
			continue;
		const struct ear_record *other = ear_past_in_window(past, *back);
		if (!(other->flags & EAR_RECORD_NO_NEXT_PC) && other->next_pc == record->pc + 4)
			return true;
	}
	return false;
}

int ear_diagnose_skip(struct ear_diagnosis *diagnosis)
{
	struct ear_why *why = &diagnosis->why;
	const struct ear_value_place mepc = {.kind = EAR_VALUE_REGISTER,
		.reg_class = EAR_REGISTER_CSR,
		.number = 0x341,
		.hart = why->hart};
	const struct ear_record *record;
	uint64_t trap, back;

	if (why->kind != EAR_WHY_TRAP && why->kind != EAR_WHY_EXIT)
		return 0;
	int result = ear_past_at(diagnosis->past, why->place.position, &record);
	if (result != 1 || !find_skip(diagnosis, &trap, &back) ||
		ear_past_in_window(diagnosis->past, back)->opcode != 0x30200073)
		return result < 0 ? result : 0;
	why->skip = ear_diagnosis_place(diagnosis->past, trap);
	ear_diagnosis_value(diagnosis, EAR_WHY_RESUMED, &mepc, back);
	return 0;
}
