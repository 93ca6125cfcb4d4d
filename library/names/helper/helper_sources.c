/* Source files, each path once: an open hash table over the block of strings. */
#include "library/names/helper/helper_sources.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

uint32_t helper_sources_string(const struct helper_sources *sources, uint32_t number)
{
	return number < sources->count ? ear_wire_get_u32(sources->list.bytes + 4 * (size_t)number)
				       : 0;
}

static const char *path_of(const struct helper_sources *sources, uint32_t number)
{
	return (const char *)sources->strings->bytes + helper_sources_string(sources, number);
}

/* The slot of a path: its own, or the free one where it belongs. */
static uint32_t find_slot(const struct helper_sources *sources, const char *path)
{
	uint32_t at = (uint32_t)ear_hash_bytes(EAR_HASH_FNV, path, strlen(path)) &
		      (sources->slot_count - 1);

	while (sources->slots[at] && strcmp(path_of(sources, sources->slots[at] - 1), path) != 0)
		at = (at + 1) & (sources->slot_count - 1);
	return at;
}

static bool grow(struct helper_sources *sources)
{
	uint32_t count = sources->slot_count ? sources->slot_count * 2 : 256;
	uint32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return false;
	free(sources->slots);
	sources->slots = slots;
	sources->slot_count = count;
	for (uint32_t i = 0; i < sources->count; i++)
		slots[find_slot(sources, path_of(sources, i))] = i + 1;
	return true;
}

static uint32_t add(struct helper_sources *sources, uint32_t slot, const char *path)
{
	ear_wire_u32(&sources->list, ear_wire_string(sources->strings, path));
	if (sources->list.failed || sources->strings->failed)
		return UINT32_MAX;
	sources->slots[slot] = ++sources->count;
	return sources->count - 1;
}

uint32_t helper_sources_number(struct helper_sources *sources, const char *path)
{
	if (path == sources->last)
		return sources->last_number;
	if (sources->count * 2 >= sources->slot_count && !grow(sources))
		return UINT32_MAX;
	uint32_t slot = find_slot(sources, path);
	uint32_t number =
		sources->slots[slot] ? sources->slots[slot] - 1 : add(sources, slot, path);
	sources->last = path;
	sources->last_number = number;
	return number;
}

void helper_sources_free(struct helper_sources *sources)
{
	ear_wire_free(&sources->list);
	free(sources->slots);
}
