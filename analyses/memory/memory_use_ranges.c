/* Ranges of addresses: symbols, and what is between two, in one section. */
#include "analyses/memory/memory_tables.h"

static const struct ear_names_section *narrow_to_section(
	const struct ear_names *names, uint64_t address, uint64_t *first, uint64_t *last)
{
	for (size_t f = ear_names_file_count(names); f-- > 0;) {
		const struct ear_names_file *file = ear_names_file(names, f);
		for (size_t i = 0; i < file->section_count; i++) {
			const struct ear_names_section *section = &file->sections[i];
			const uint64_t begin = section->address + file->offset;
			if (section->size == 0)
				continue;
			if (address - begin < section->size) {
				*first = *first > begin ? *first : begin;
				if (*last > begin + (section->size - 1))
					*last = begin + (section->size - 1);
				return section;
			}
			if (begin > address && *last >= begin)
				*last = begin - 1;
			else if (begin < address && *first <= begin + (section->size - 1))
				*first = begin + section->size;
		}
	}
	return NULL;
}

static struct ear_usage_range describe(const struct ear_usage *memory, uint64_t address)
{
	struct ear_usage_range range = {.first = 0, .last = UINT64_MAX};
	const struct ear_names *names = memory->options.names;

	if (!names)
		return range;
	range.symbol = ear_names_symbol_span(names, address, &range.first, &range.last);
	range.section = narrow_to_section(names, address, &range.first, &range.last);
	return range;
}

static uint32_t *slot_of_range(struct ear_usage *memory, uint64_t first)
{
	const struct ear_numbering *table = &memory->range_numbers;
	uint32_t at = ear_numbering_first(table, ear_numbering_hash(first, 1));

	while (table->places[at] && memory->ranges[table->places[at] - 1].first != first)
		at = ear_numbering_next(table, at);
	return &table->places[at];
}

struct ear_usage_range *ear_usage_find_range(struct ear_usage *memory, uint64_t address)
{
	bool again;

	memory_lock(memory);
	const struct ear_usage_range range = describe(memory, address);
	memory_unlock(memory);
	void *grown = ear_numbering_grow(&memory->range_numbers, memory->ranges,
		sizeof(*memory->ranges), memory->range_count, &again);

	if (!grown) {
		memory->failed = true;
		return NULL;
	}
	memory->ranges = grown;
	for (uint32_t i = 0; again && i < memory->range_count; i++)
		*slot_of_range(memory, memory->ranges[i].first) = i + 1;
	uint32_t *slot = slot_of_range(memory, range.first);
	if (*slot == 0) {
		if (memory->range_count == EAR_USAGE_RANGES_MAX) {
			memory->facts.ranges_lost++;
			return NULL;
		}
		memory->ranges[memory->range_count] = range;
		*slot = ++memory->range_count;
	}
	memory->range_cache[address / 8 % RANGE_CACHE] = *slot - 1;
	return &memory->ranges[*slot - 1];
}
