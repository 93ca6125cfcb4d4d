/* The shadow memory: allocation, and accesses byte by byte.
 *
 * Accesses of 1, 2, 4 or 8 bytes within a line are inline in the header; those that cross a line or
 * have another mask, as damaged streams make them, come here. Replacement is round-robin with one
 * counter for all sets, because the unit needs no memory for it.
 */
#include "decoder/predict/shadow.h"

#include <earshot/error.h>
#include <stdlib.h>

int ear_shadow_init(struct ear_shadow *cache, const struct ear_shadow_geometry *geometry)
{
	unsigned lines_log2 = geometry->words_log2 - geometry->line_log2;

	memset(cache, 0, sizeof(*cache));
	cache->ways_log2 = geometry->ways_log2;
	cache->way_mask = (1u << geometry->ways_log2) - 1;
	cache->set_mask = (1u << (lines_log2 - geometry->ways_log2)) - 1;
	cache->line_shift = (uint8_t)(geometry->line_log2 + 2);
	cache->line_mask = (1u << cache->line_shift) - 1;
	cache->tags = calloc(ear_shadow_lines(cache), sizeof(*cache->tags));
	cache->bytes = calloc(ear_shadow_lines(cache), (size_t)1 << cache->line_shift);
	return cache->tags && cache->bytes ? 0 : EAR_E_NO_MEMORY;
}

void ear_shadow_fini(struct ear_shadow *cache)
{
	free(cache->tags);
	free(cache->bytes);
	memset(cache, 0, sizeof(*cache));
}

void ear_shadow_clear(struct ear_shadow *cache)
{
	memset(cache->tags, 0, ear_shadow_lines(cache) * sizeof(*cache->tags));
	memset(cache->bytes, 0, ear_shadow_lines(cache) << cache->line_shift);
	cache->victim = 0;
}

uint64_t ear_shadow_read_bytes(const struct ear_shadow *cache, uint32_t address, unsigned mask)
{
	uint64_t value = 0;

	for (unsigned i = 0; mask >> i; i++) {
		const uint8_t *line = mask >> i & 1 ? ear_shadow_find(cache, address + i) : NULL;
		if (line)
			value |= (uint64_t)line[(address + i) & cache->line_mask] << 8 * i;
	}
	return value;
}

void ear_shadow_write_bytes(
	struct ear_shadow *cache, uint32_t address, unsigned mask, uint64_t value)
{
	for (unsigned i = 0; mask >> i; i++) {
		if (mask >> i & 1)
			ear_shadow_claim(cache, address + i)[(address + i) & cache->line_mask] =
				(uint8_t)(value >> 8 * i);
	}
}
