/* The event of a flight recorder, looked for in decoded records. Of the records that arrive, it
 * fires on the one on which the unit's trigger fires. The unit sees more: records that are lost, or
 * that the filter holds back. So live_plan.c leaves the event to the unit where it can.
 */
#include "cli/live/until.h"

#include "common/protocol/ear_protocol.h"

bool until_unit_can(const struct until *until)
{
	return until->trigger.kind != EAR_TRIGGER_NONE &&
	       until->trigger.kind != EAR_TRIGGER_MISMATCH;
}

bool until_records_can(const struct until *until)
{
	return until->trigger.kind != EAR_TRIGGER_CYCLES && until->trigger.kind != EAR_TRIGGER_PIN;
}

/* Accesses that trapped touched nothing; they have no value. docs/protocol.md, section 7.2. */
static bool touches(const struct ear_trigger *trigger, const struct ear_record *record)
{
	bool touched = false, equal = trigger->kind == EAR_TRIGGER_ADDRESS;

	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (!access->has_value || !(access->write ? trigger->on_writes : trigger->on_reads))
			continue;
		uint64_t last = access->address + access->size - 1u;
		touched |= access->address <= trigger->mask && last >= trigger->value;
		equal |= ((access->value ^ trigger->data) & trigger->data_mask) == 0 &&
			 !(access->unknown & trigger->data_mask);
	}
	return touched && equal;
}

static bool is_trap(const struct until *until, const struct ear_record *record)
{
	uint64_t interrupt_bit = (uint64_t)1 << (record->xlen == 32 ? 31 : 63);
	uint32_t wanted = (until->exception ? EAR_RECORD_TRAP : 0u) |
			  (until->interrupt ? EAR_RECORD_INTERRUPT : 0u);

	return record->flags & wanted &&
	       (!until->has_cause || (!(record->flags & EAR_RECORD_NO_CAUSE) &&
					     (record->cause & ~interrupt_bit) == until->cause));
}

/* The program begins again where it began. Its begin is known if the first record is the first
 * instruction. */
static bool is_reboot(struct until *until, const struct ear_record *record)
{
	if (until->first_index > 1 || record->pc != until->first_pc)
		return false;
	return ++until->starts == until->reboots + 1;
}

uint64_t until_mismatch_index(const struct ear_record *event)
{
	/* The value has the low half; the event came after it. */
	uint64_t index = (event->index & ~(uint64_t)UINT32_MAX) | event->u.event.value;

	return index < event->index ? index : index - ((uint64_t)1 << 32);
}

bool until_record(struct until *until, const struct ear_record *record)
{
	const struct ear_trigger *trigger = &until->trigger;

	if (trigger->kind == EAR_TRIGGER_MISMATCH)
		return record->kind == EAR_RECORD_EVENT &&
		       record->u.event.source == EAR_EVENT_MISMATCH;
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return false;
	if (!until->begun) {
		until->first_index = record->index;
		until->first_pc = record->pc;
	}
	until->begun = true;
	if (until->reboots > 0)
		return is_reboot(until, record);
	switch (trigger->kind) {
	case EAR_TRIGGER_NONE: return is_trap(until, record);
	case EAR_TRIGGER_PC: return ((record->pc ^ trigger->value) & trigger->mask) == 0;
	case EAR_TRIGGER_OPCODE: return ((record->opcode ^ trigger->value) & trigger->mask) == 0;
	case EAR_TRIGGER_ADDRESS:
	case EAR_TRIGGER_ADDRESS_DATA: return touches(trigger, record);
	case EAR_TRIGGER_RECORDS: return record->index - until->first_index + 1 >= trigger->value;
	default: return false;
	}
}
