/* Records that have no counterpart because of the tool that wrote the other trace.
 *
 * Each test looks at one record, or at a few pcs, so nothing has to be kept of a trace, however
 * long a simulator ran on after its program had ended.
 */
#include "library/compare/left_out.h"

#include "common/hash.h"
#include "decoder/isa/csr.h"

#define BOOT_FIRST 0x1000u
#define BOOT_LAST  0x1FFFu

bool ear_is_boot_code(const struct ear_record *record)
{
	return record->kind == EAR_RECORD_INSTRUCTION && record->pc >= BOOT_FIRST &&
	       record->pc <= BOOT_LAST;
}

bool ear_writes_no_register(const struct ear_record *record)
{
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return false;
	if (record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
		return true;
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *write = &record->registers[i];
		/* Spike lists vstart with each vector instruction. */
		bool vstart = write->reg_class == EAR_REGISTER_CSR &&
			      write->number == EAR_CSR_VSTART && write->value == 0;
		if (write->reg_class != EAR_REGISTER_V && !vstart)
			return false;
	}
	return true;
}

static uint64_t hash_effects(const struct ear_record *record)
{
	uint64_t hash = record->fflags;

	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *write = &record->registers[i];
		hash = ear_hash_add(
			ear_hash_add(hash, (uint64_t)write->reg_class << 16 | write->number),
			write->value);
	}
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		hash = ear_hash_add(
			ear_hash_add(hash, access->address << 1 | access->write), access->value);
	}
	return hash;
}

bool ear_closing_loop_next(struct ear_closing_loop *loop, const struct ear_record *record)
{
	uint64_t effects = hash_effects(record);

	if (record->kind != EAR_RECORD_INSTRUCTION ||
		record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
		return false;
	if (!loop->closed && (loop->count == 0 || record->pc != loop->pcs[0])) {
		if (loop->count == EAR_CLOSING_LOOP_MAX)
			return false;
		loop->pcs[loop->count] = record->pc;
		loop->effects[loop->count++] = effects;
		return true;
	}
	bool same = record->pc == loop->pcs[loop->next] && effects == loop->effects[loop->next];
	loop->next = (loop->next + 1) % loop->count;
	loop->closed = true;
	return same;
}
