/* Tests a record against conditions: cheap ones first, lists of registers and accesses last,
 * because a search runs over every record of a trace and nearly all fail early.
 */
#include "decoder/record/match.h"

#include <string.h>

#include "decoder/record/task_event_internal.h"

void ear_match_init(struct ear_match *match)
{
	*match = (struct ear_match){.hart = -1};
}

static bool in_ranges(
	const struct ear_match_range *ranges, unsigned count, uint64_t first, uint64_t last)
{
	for (unsigned i = 0; i < count; i++)
		if (first <= ranges[i].last && last >= ranges[i].first)
			return true;
	return false;
}

static bool match_access(const struct ear_match *match, const struct ear_record_access *access)
{
	if (access->masked)
		return false;
	if ((match->reads || match->writes) && !(access->write ? match->writes : match->reads))
		return false;
	if (match->has_data && (!access->has_value || access->unknown & match->data_mask ||
				       (access->value & match->data_mask) != match->data))
		return false;
	if (match->address_count == 0)
		return true;
	uint64_t last = access->address + (access->size ? access->size - 1u : 0);
	if (last < access->address)
		last = UINT64_MAX;
	return in_ranges(match->addresses, match->address_count, access->address, last);
}

static bool match_memory(const struct ear_match *match, const struct ear_record *record)
{
	if (match->address_count == 0 && !match->reads && !match->writes && !match->has_data)
		return true;
	for (size_t i = 0; i < record->memory_count; i++)
		if (match_access(match, &record->memory[i]))
			return true;
	return false;
}

static bool match_register(const struct ear_match *match, const struct ear_record *record)
{
	if (!match->has_register)
		return true;
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *at = &record->registers[i];
		if (at->reg_class == match->register_class &&
			at->number == match->register_number &&
			(!match->has_value ||
				(at->value == match->register_value && !ear_register_unknown(at))))
			return true;
	}
	return false;
}

static bool match_trap(const struct ear_match *match, const struct ear_record *record)
{
	uint64_t interrupt_bit = (uint64_t)1 << (record->xlen == 32 ? 31 : 63);

	if (match->interrupt && !(record->flags & EAR_RECORD_INTERRUPT))
		return false;
	if (match->trap && !(record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)))
		return false;
	if (!match->has_cause)
		return true;
	return !(record->flags & EAR_RECORD_NO_CAUSE) &&
	       (record->cause & ~interrupt_bit) == match->cause;
}

static bool match_event(const struct ear_match *match, const struct ear_record *record)
{
	const struct ear_event *event = &record->u.event;

	if (match->has_event_value && event->value != match->event_value)
		return false;
	if (!match->has_event_source && !match->event_name.text)
		return true;
	return (match->has_event_source && event->source == match->event_source) ||
	       ear_task_event_is(record, match->event_name);
}

bool ear_match_record(const struct ear_match *match, const struct ear_record *record)
{
	if (match->hart >= 0 && record->hart != match->hart)
		return false;
	if (match->gaps)
		return record->kind == EAR_RECORD_GAP;
	if (match->events)
		return record->kind == EAR_RECORD_EVENT && match_event(match, record);
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return false;
	if (match->pc_count && !in_ranges(match->pcs, match->pc_count, record->pc, record->pc))
		return false;
	if (match->opcode_mask &&
		(record->flags & EAR_RECORD_NO_OPCODE ||
			(record->opcode & match->opcode_mask) != match->opcode_value))
		return false;
	if (match->privileges && (record->flags & EAR_RECORD_NO_PRIVILEGE ||
					 !(match->privileges >> record->privilege & 1)))
		return false;
	return match_trap(match, record) && match_register(match, record) &&
	       match_memory(match, record);
}
