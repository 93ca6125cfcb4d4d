/* Tests a record against the conditions of a query: cheap ones first, lists of registers and
 * accesses last, because a search runs over many records and nearly all fail early.
 */
#include "library/api/query.h"

#include <string.h>

#include "decoder/record/task_event_internal.h"

static bool in_spans(const struct ear_span *spans, size_t count, uint64_t first, uint64_t last)
{
	for (size_t i = 0; i < count; i++)
		if (first <= spans[i].last && last >= spans[i].first)
			return true;
	return false;
}

static bool holds_access(const struct ear_query *query, const struct ear_record_access *access)
{
	if (access->masked)
		return false;
	if (query->accesses &&
		!(query->accesses & (access->write ? EAR_QUERY_WRITE : EAR_QUERY_READ)))
		return false;
	if (query->has_data && (!access->has_value || access->unknown & query->data_mask ||
				       (access->value & query->data_mask) != query->data))
		return false;
	if (query->address_count == 0)
		return true;
	uint64_t last = access->address + (access->size ? access->size - 1u : 0);
	if (last < access->address)
		last = UINT64_MAX;
	return in_spans(query->addresses, query->address_count, access->address, last);
}

static bool holds_accesses(const struct ear_query *query, const struct ear_record *record)
{
	if (query->address_count == 0 && !query->accesses && !query->has_data)
		return true;
	for (size_t i = 0; i < record->memory_count; i++)
		if (holds_access(query, &record->memory[i]))
			return true;
	return false;
}

static bool is_register(const struct ear_query *query, const struct ear_record_register *at)
{
	if (at->reg_class != query->register_class)
		return false;
	if (at->reg_class != EAR_REGISTER_NAMED)
		return at->number == query->register_number;
	return at->text_size == query->register_name.size &&
	       memcmp(at->text.name, query->register_name.text, at->text_size) == 0;
}

static bool holds_register(const struct ear_query *query, const struct ear_record *record)
{
	if (!query->has_register)
		return true;
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *at = &record->registers[i];
		if (is_register(query, at) &&
			(!query->has_value ||
				(at->value == query->register_value && !ear_register_unknown(at))))
			return true;
	}
	return false;
}

static bool holds_trap(const struct ear_query *query, const struct ear_record *record)
{
	unsigned kind = record->flags & EAR_RECORD_INTERRUPT ? EAR_QUERY_INTERRUPT
			: record->flags & EAR_RECORD_TRAP    ? EAR_QUERY_EXCEPTION
							     : 0;
	uint64_t interrupt_bit = (uint64_t)1 << (record->xlen == 32 ? 31 : 63);

	if (!query->traps && !query->has_cause)
		return true;
	if (!kind || (query->traps && !(query->traps & kind)))
		return false;
	return !query->has_cause || (!(record->flags & EAR_RECORD_NO_CAUSE) &&
					    (record->cause & ~interrupt_bit) == query->cause);
}

static bool needs_instruction(const struct ear_query *query)
{
	return query->pc_count || query->opcode_mask || query->privileges || query->traps ||
	       query->has_cause || query->privilege_change;
}

static bool holds_instruction(const struct ear_query *query, const struct ear_record *record)
{
	if (!needs_instruction(query))
		return true;
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return false;
	if (query->pc_count && !in_spans(query->pcs, query->pc_count, record->pc, record->pc))
		return false;
	if (query->opcode_mask &&
		(record->flags & EAR_RECORD_NO_OPCODE ||
			(record->opcode & query->opcode_mask) != query->opcode_value))
		return false;
	if (query->privileges && (record->flags & EAR_RECORD_NO_PRIVILEGE ||
					 !(query->privileges >> record->privilege & 1)))
		return false;
	return holds_trap(query, record);
}

static bool holds_event(const struct ear_query *query, const struct ear_record *record)
{
	const struct ear_event *event = &record->u.event;
	bool named = query->event_name.text;

	if (!query->has_event_source && !query->has_event_value && !named)
		return true;
	if (record->kind != EAR_RECORD_EVENT)
		return false;
	if (query->has_event_value && event->value != query->event_value)
		return false;
	if (!query->has_event_source && !named)
		return true;
	return (query->has_event_source && event->source == query->event_source) ||
	       (named && ear_task_event_is(record, query->event_name));
}

bool ear_query_holds(const struct ear_query *query, const struct ear_record *record)
{
	if (query->hart >= 0 && record->hart != query->hart)
		return false;
	if (query->kinds && !(query->kinds >> record->kind & 1))
		return false;
	if (query->has_ticks &&
		(!(record->flags & EAR_RECORD_HAS_TIME) || record->ticks < query->first_ticks ||
			record->ticks > query->last_ticks))
		return false;
	return holds_instruction(query, record) && holds_event(query, record) &&
	       holds_register(query, record) && holds_accesses(query, record);
}

static const char *fault_of_spans(const struct ear_span *spans, size_t count)
{
	if (count > 0 && !spans)
		return "addresses are missing";
	for (size_t i = 0; i < count; i++)
		if (spans[i].first > spans[i].last)
			return "a range of addresses ends before it begins";
	return NULL;
}

const char *ear_query_fault(const struct ear_query *query)
{
	const char *fault = fault_of_spans(query->pcs, query->pc_count);

	if (!fault)
		fault = fault_of_spans(query->addresses, query->address_count);
	if (fault)
		return fault;
	if (query->has_ticks && query->first_ticks > query->last_ticks)
		return "the times end before they begin";
	if (query->opcode_value & ~query->opcode_mask)
		return "the opcode has bits that the mask does not have";
	if (query->has_data && query->data & ~query->data_mask)
		return "the value has bits that the mask does not have";
	if (query->has_register && query->register_class > EAR_REGISTER_NAMED)
		return "there is no such class of registers";
	if (query->has_register && query->register_class == EAR_REGISTER_NAMED &&
		!query->register_name.text)
		return "the register has no name";
	if (query->has_value && !query->has_register)
		return "there is a value, but no register";
	if (query->has_value && query->register_class == EAR_REGISTER_V)
		return "vector registers cannot be searched by value";
	return NULL;
}
