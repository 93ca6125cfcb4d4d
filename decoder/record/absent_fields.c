/* Removes fields that a capture's source never had (formats without load values, without stores).
 *
 * Only memory accesses can be absent and still occupy the wire, so a copy of the record with two
 * accesses at most is enough, and a record without accesses passes as it is.
 */
#include "decoder/record/absent_fields.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

int ear_absent_fields_text(char *text, size_t size, uint64_t fields)
{
	int used = 0;

	if (size > 0)
		text[0] = '\0';
	for (unsigned field = 0; field < EAR_FIELD_COUNT; field++) {
		size_t done = (size_t)used < size ? (size_t)used : size;
		if (fields & EAR_FIELD_BIT(field))
			used += snprintf(text + done, size - done, "%s%s", used > 0 ? ", " : "",
				ear_field_text((enum ear_field)field));
	}
	return used;
}

uint64_t ear_absent_fields_parse(const char *text)
{
	uint64_t fields = 0;

	while (*text) {
		size_t size = strcspn(text, ",");
		for (unsigned field = 0; field < EAR_FIELD_COUNT; field++) {
			const char *name = ear_field_text((enum ear_field)field);
			if (strlen(name) == size && memcmp(name, text, size) == 0)
				fields |= EAR_FIELD_BIT(field);
		}
		text += size;
		text += strspn(text, ", ");
	}
	return fields;
}

static uint64_t address_bit(const struct ear_record_access *access)
{
	return EAR_FIELD_BIT(access->write ? EAR_FIELD_STORE_ADDRESS : EAR_FIELD_LOAD_ADDRESS);
}

static uint64_t value_bit(const struct ear_record_access *access)
{
	return EAR_FIELD_BIT(access->write ? EAR_FIELD_STORE_VALUE : EAR_FIELD_LOAD_VALUE);
}

const struct ear_record *ear_absent_fields_remove(
	struct ear_absent_fields *absent, const struct ear_record *record)
{
	uint64_t fields = absent->fields;
	size_t kept = 0;

	if (fields == 0 || record->memory_count == 0)
		return record;
	assert(record->memory_count <= 2);
	for (size_t i = 0; i < record->memory_count; i++) {
		struct ear_record_access *access = &absent->memory[kept];
		if (fields & address_bit(&record->memory[i]))
			continue;
		*access = record->memory[i];
		if (fields & value_bit(access)) {
			access->has_value = false;
			access->value = 0;
		}
		kept++;
	}
	absent->record = *record;
	absent->record.memory = absent->memory;
	absent->record.memory_count = kept;
	return &absent->record;
}
