/* Instructions that did what they may better not do: one site for each, and each kind. */
#include "analyses/memory/memory_tables.h"

#include <stdlib.h>

static bool is_site(const struct ear_usage_site *site, unsigned fault, bool has_pc, uint64_t pc)
{
	return site->pc == pc && site->fault == fault && site->has_pc == has_pc;
}

static uint32_t *slot_of_site(
	const struct ear_usage *memory, unsigned fault, bool has_pc, uint64_t pc)
{
	const struct ear_numbering *table = &memory->site_numbers;
	uint32_t at = ear_numbering_first(table, ear_numbering_hash(pc, fault * 2 + has_pc));

	while (table->places[at] &&
		!is_site(&memory->sites[table->places[at] - 1], fault, has_pc, pc))
		at = ear_numbering_next(table, at);
	return &table->places[at];
}

struct ear_usage_site *ear_usage_site(
	struct ear_usage *memory, unsigned fault, bool has_pc, uint64_t pc, uint16_t hart)
{
	bool again;

	if (memory->muted)
		return NULL;
	void *grown = ear_numbering_grow(&memory->site_numbers, memory->sites,
		sizeof(*memory->sites), memory->site_count, &again);

	if (!grown) {
		memory->failed = true;
		return NULL;
	}
	memory->sites = grown;
	for (uint32_t i = 0; again && i < memory->site_count; i++) {
		const struct ear_usage_site *site = &memory->sites[i];
		*slot_of_site(memory, site->fault, site->has_pc, site->pc) = i + 1;
	}
	uint32_t *slot = slot_of_site(memory, fault, has_pc, pc);
	if (*slot == 0) {
		if (memory->site_count == EAR_USAGE_SITES_MAX) {
			memory->facts.sites_lost++;
			return NULL;
		}
		memory->sites[memory->site_count] = (struct ear_usage_site){
			.fault = (uint8_t)fault,
			.has_pc = has_pc,
			.pc = pc,
			.hart = hart,
			.first = memory->number,
		};
		*slot = ++memory->site_count;
	}
	memory->sites[*slot - 1].count++;
	return &memory->sites[*slot - 1];
}

const struct ear_usage_site *ear_usage_look_for_site(
	const struct ear_usage *memory, unsigned fault, bool has_pc, uint64_t pc)
{
	const uint32_t number =
		memory->site_count > 0 ? *slot_of_site(memory, fault, has_pc, pc) : 0;

	return number > 0 ? &memory->sites[number - 1] : NULL;
}

static int compare(const void *a, const void *b)
{
	const struct ear_usage_site *one = a, *other = b;

	if (one->first != other->first)
		return one->first < other->first ? -1 : 1;
	if (one->fault != other->fault)
		return one->fault < other->fault ? -1 : 1;
	if (one->pc != other->pc)
		return one->pc < other->pc ? -1 : 1;
	return one->has_pc - other->has_pc;
}

void ear_usage_sort_sites(struct ear_usage *memory)
{
	if (memory->site_count > 1)
		qsort(memory->sites, memory->site_count, sizeof(*memory->sites), compare);
}
