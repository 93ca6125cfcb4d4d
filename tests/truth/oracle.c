/* A whole trace in memory. Each condition of a query is written down here once more, from the words
 * of include/earshot/search.h.
 */
#include "oracle.h"

#include <earshot/error.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library/source/source.h"

#define HARTS 65536

/* What is known of the privilege of a hart: its number, or that nothing is. */
#define NOTHING UINT8_MAX

static void *room_for(void *items, size_t size, size_t count, size_t *room)
{
	if (count < *room)
		return items;
	*room = *room ? 2 * *room : 1024;
	items = realloc(items, *room * size);
	if (!items)
		abort();
	return items;
}

static void add_lists(
	struct oracle *oracle, struct oracle_record *kept, const struct ear_record *record)
{
	for (size_t i = 0; i < record->memory_count && i < UINT8_MAX; i++) {
		const struct ear_record_access *access = &record->memory[i];
		oracle->accesses = room_for(oracle->accesses, sizeof(*oracle->accesses),
			oracle->access_count, &oracle->access_room);
		oracle->accesses[oracle->access_count++] =
			(struct oracle_access){.address = access->address,
				.value = access->value,
				.unknown = access->unknown,
				.size = access->size,
				.write = access->write,
				.has_value = access->has_value,
				.masked = access->masked};
		kept->access_count++;
	}
	for (size_t i = 0; i < record->register_count && i < UINT8_MAX; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		oracle->registers = room_for(oracle->registers, sizeof(*oracle->registers),
			oracle->register_count, &oracle->register_room);
		oracle->registers[oracle->register_count++] =
			(struct oracle_register){.value = reg->value,
				.number = reg->number,
				.reg_class = reg->reg_class,
				.unknown = reg->reg_class == EAR_REGISTER_NAMED && reg->unknown};
		kept->register_count++;
	}
}

static void add(struct oracle *oracle, uint8_t *privileges, const struct ear_record *record)
{
	bool instruction = record->kind == EAR_RECORD_INSTRUCTION;
	uint8_t *privilege = &privileges[record->hart], before = *privilege;

	oracle->records = room_for(
		oracle->records, sizeof(*oracle->records), oracle->count, &oracle->record_room);
	struct oracle_record *kept = &oracle->records[oracle->count++];
	*kept = (struct oracle_record){.kind = (uint8_t)record->kind,
		.hart = record->hart,
		.ticks = record->ticks,
		.flags = record->flags,
		.first_access = oracle->access_count,
		.first_register = oracle->register_count};
	add_lists(oracle, kept, record);
	if (record->kind == EAR_RECORD_GAP)
		*privilege = NOTHING;
	if (record->kind == EAR_RECORD_EVENT) {
		kept->event_source = record->u.event.source;
		kept->event_value = record->u.event.value;
	}
	if (!instruction)
		return;
	oracle->instructions++;
	kept->pc = record->pc;
	kept->opcode = record->opcode;
	kept->cause = record->cause;
	kept->privilege = record->privilege;
	kept->xlen = record->xlen;
	*privilege = record->flags & EAR_RECORD_NO_PRIVILEGE ? NOTHING : record->privilege;
	kept->privilege_changed =
		before != NOTHING && *privilege != NOTHING && before != *privilege;
}

bool oracle_read(struct oracle *oracle, const char *path)
{
	const struct ear_source_options options = {0};
	const struct ear_record *record;
	struct ear_source *source;
	uint8_t *privileges = malloc(HARTS);
	int fd = open(path, O_RDONLY);
	int result = fd < 0 || !privileges ? EAR_E_IO : ear_source_new(&source, fd, &options);

	memset(oracle, 0, sizeof(*oracle));
	if (result == 0) {
		memset(privileges, NOTHING, HARTS);
		while ((result = ear_source_next(source, &record)) == 1)
			add(oracle, privileges, record);
		ear_source_free(source);
	}
	free(privileges);
	if (fd >= 0)
		close(fd);
	/* A file that is cut off, as one that still grows is, ends with this. */
	if (result == EAR_E_BAD_FILE && oracle->count > 0)
		result = 0;
	if (result < 0)
		fprintf(stderr, "%s: %s\n", path, ear_error_text(result));
	return result == 0;
}

void oracle_free(struct oracle *oracle)
{
	free(oracle->records);
	free(oracle->accesses);
	free(oracle->registers);
	memset(oracle, 0, sizeof(*oracle));
}

static bool inside(const struct ear_span *spans, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++)
		if (spans[i].first <= address && address <= spans[i].last)
			return true;
	return false;
}

static bool meets_access(const struct ear_query *query, const struct oracle_access *access)
{
	bool touches = query->address_count == 0;

	if (access->masked)
		return false;
	if (query->accesses == EAR_QUERY_READ && access->write)
		return false;
	if (query->accesses == EAR_QUERY_WRITE && !access->write)
		return false;
	if (query->has_data && !access->has_value)
		return false;
	if (query->has_data && ((access->value ^ query->data) | access->unknown) & query->data_mask)
		return false;
	for (unsigned i = 0; i < (access->size ? access->size : 1u); i++)
		touches = touches ||
			  inside(query->addresses, query->address_count, access->address + i);
	return touches;
}

static bool meets_lists(const struct oracle *oracle, const struct ear_query *query,
	const struct oracle_record *record)
{
	bool access = !query->address_count && !query->accesses && !query->has_data;
	bool written = !query->has_register;

	for (size_t i = 0; i < record->access_count; i++)
		access = access || meets_access(query, &oracle->accesses[record->first_access + i]);
	for (size_t i = 0; i < record->register_count; i++) {
		const struct oracle_register *reg = &oracle->registers[record->first_register + i];
		bool value =
			!query->has_value || (!reg->unknown && reg->value == query->register_value);
		written = written || (reg->reg_class == query->register_class &&
					     reg->number == query->register_number && value);
	}
	return access && written;
}

static bool meets_trap(const struct ear_query *query, const struct oracle_record *record)
{
	bool interrupt = record->flags & EAR_RECORD_INTERRUPT;
	bool exception = record->flags & EAR_RECORD_TRAP && !interrupt;
	uint64_t cause = record->cause & (record->xlen == 32 ? INT32_MAX : INT64_MAX);

	if (!query->traps && !query->has_cause)
		return true;
	if (!interrupt && !exception)
		return false;
	if (query->traps && !(interrupt ? query->traps & EAR_QUERY_INTERRUPT
					: query->traps & EAR_QUERY_EXCEPTION))
		return false;
	return !query->has_cause ||
	       (!(record->flags & EAR_RECORD_NO_CAUSE) && cause == query->cause);
}

static bool meets_instruction(const struct ear_query *query, const struct oracle_record *record)
{
	if (query->pc_count && !inside(query->pcs, query->pc_count, record->pc))
		return false;
	if (query->opcode_mask &&
		(record->flags & EAR_RECORD_NO_OPCODE ||
			(record->opcode & query->opcode_mask) != query->opcode_value))
		return false;
	if (query->privileges && (record->flags & EAR_RECORD_NO_PRIVILEGE ||
					 !(query->privileges & 1u << record->privilege)))
		return false;
	if (query->privilege_change && !record->privilege_changed)
		return false;
	return meets_trap(query, record);
}

bool oracle_meets(const struct oracle *oracle, const struct ear_query *query, size_t position)
{
	const struct oracle_record *record = &oracle->records[position];
	bool asks_instruction = query->pc_count || query->opcode_mask || query->privileges ||
				query->privilege_change || query->traps || query->has_cause;
	bool asks_event = query->has_event_source || query->has_event_value;

	if (query->hart >= 0 && query->hart != record->hart)
		return false;
	if (query->kinds && !(query->kinds & 1u << record->kind))
		return false;
	if (asks_instruction && record->kind != EAR_RECORD_INSTRUCTION)
		return false;
	if (asks_event && record->kind != EAR_RECORD_EVENT)
		return false;
	if (query->has_event_source && record->event_source != query->event_source)
		return false;
	if (query->has_event_value && record->event_value != query->event_value)
		return false;
	if (query->has_ticks &&
		(!(record->flags & EAR_RECORD_HAS_TIME) || record->ticks < query->first_ticks ||
			record->ticks > query->last_ticks))
		return false;
	return (!asks_instruction || meets_instruction(query, record)) &&
	       meets_lists(oracle, query, record);
}

bool oracle_find(const struct oracle *oracle, const struct ear_query *query, uint64_t from,
	enum ear_direction direction, uint64_t *position)
{
	size_t at = from < oracle->count ? (size_t)from : oracle->count;

	if (direction == EAR_FORWARD) {
		while (at < oracle->count && !oracle_meets(oracle, query, at))
			at++;
		*position = at;
		return at < oracle->count;
	}
	while (at > 0 && !oracle_meets(oracle, query, at - 1))
		at--;
	*position = at - 1;
	return at > 0;
}

uint64_t oracle_count(
	const struct oracle *oracle, const struct ear_query *query, uint64_t from, uint64_t to)
{
	uint64_t count = 0;

	for (uint64_t at = from; at < to && at < oracle->count; at++)
		count += oracle_meets(oracle, query, (size_t)at);
	return count;
}
