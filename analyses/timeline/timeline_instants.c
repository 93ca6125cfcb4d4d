#include "analyses/timeline/timeline_instants.h"

#include <stdbool.h>
#include <stdlib.h>

#include <earshot/error.h>

static bool stays(const struct timeline_instants *instants, unsigned category, uint64_t ordinal)
{
	return ordinal % (UINT64_C(1) << instants->shifts[category]) == 0;
}

static void thin_out(struct timeline_instants *instants)
{
	uint32_t counts[TIMELINE_INSTANTS_CATEGORIES] = {0}, kept = 0;
	unsigned most = 0;

	for (uint32_t i = 0; i < instants->count; i++)
		counts[instants->list[i].category]++;
	for (unsigned i = 1; i < TIMELINE_INSTANTS_CATEGORIES; i++)
		most = counts[i] > counts[most] ? i : most;
	instants->shifts[most]++;
	for (uint32_t i = 0; i < instants->count; i++)
		if (stays(instants, instants->list[i].category, instants->list[i].ordinal))
			instants->list[kept++] = instants->list[i];
	instants->left_out += instants->count - kept;
	instants->count = kept;
}

int timeline_instants_add(
	struct timeline_instants *instants, const struct timeline_instant *instant)
{
	const unsigned category = instant->category % TIMELINE_INSTANTS_CATEGORIES;
	const uint64_t ordinal = instants->ordinals[category]++;

	if (instants->count == TIMELINE_INSTANTS_MAX)
		thin_out(instants);
	if (!stays(instants, category, ordinal)) {
		instants->left_out++;
		return 0;
	}
	if (instants->count == instants->capacity) {
		uint32_t capacity = instants->capacity ? 2 * instants->capacity : 1024;
		struct timeline_instant *list = realloc(instants->list, capacity * sizeof(*list));
		if (!list)
			return EAR_E_NO_MEMORY;
		instants->list = list;
		instants->capacity = capacity;
	}
	instants->list[instants->count] = *instant;
	instants->list[instants->count].ordinal = ordinal;
	instants->list[instants->count++].category = (uint8_t)category;
	return 0;
}

void timeline_instants_fini(struct timeline_instants *instants)
{
	free(instants->list);
	*instants = (struct timeline_instants){0};
}
