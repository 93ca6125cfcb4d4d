#include "decoder/not_told.h"

#include <stdio.h>
#include <string.h>

int ear_not_told_text(char *text, size_t size, uint64_t fields)
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

uint64_t ear_not_told_parse(const char *text)
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

void ear_not_told_apply(uint64_t fields, struct ear_record *record)
{
	struct ear_record_access *memory = (struct ear_record_access *)record->memory;
	size_t kept = 0;

	for (size_t i = 0; i < record->memory_count; i++) {
		if (fields & address_bit(&memory[i]))
			continue;
		memory[kept] = memory[i];
		if (fields & value_bit(&memory[i])) {
			memory[kept].has_value = false;
			memory[kept].value = 0;
		}
		kept++;
	}
	record->memory_count = kept;
}
