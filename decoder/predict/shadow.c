#include "decoder/predict/shadow.h"

#include <stdlib.h>

#include "common/error.h"

int ear_shadow_init(struct ear_shadow *pool, const struct ear_shadow_geometry *geometry)
{
	unsigned lines_log2 = geometry->words_log2 - geometry->line_log2;

	memset(pool, 0, sizeof(*pool));
	pool->ways_log2 = geometry->ways_log2;
	pool->way_mask = (1u << geometry->ways_log2) - 1;
	pool->set_mask = (1u << (lines_log2 - geometry->ways_log2)) - 1;
	pool->line_shift = (uint8_t)(geometry->line_log2 + 2);
	pool->line_mask = (1u << pool->line_shift) - 1;
	pool->tags = calloc(ear_shadow_lines(pool), sizeof(*pool->tags));
	pool->bytes = calloc(ear_shadow_lines(pool), (size_t)1 << pool->line_shift);
	return pool->tags && pool->bytes ? 0 : EAR_E_NO_MEMORY;
}

void ear_shadow_fini(struct ear_shadow *pool)
{
	free(pool->tags);
	free(pool->bytes);
	memset(pool, 0, sizeof(*pool));
}

void ear_shadow_clear(struct ear_shadow *pool)
{
	memset(pool->tags, 0, ear_shadow_lines(pool) * sizeof(*pool->tags));
	memset(pool->bytes, 0, ear_shadow_lines(pool) << pool->line_shift);
	pool->victim = 0;
}

uint64_t ear_shadow_read_bytes(const struct ear_shadow *pool, uint32_t address, unsigned mask)
{
	uint64_t value = 0;

	for (unsigned i = 0; mask >> i; i++) {
		const uint8_t *line = mask >> i & 1 ? ear_shadow_find(pool, address + i) : NULL;
		if (line)
			value |= (uint64_t)line[(address + i) & pool->line_mask] << 8 * i;
	}
	return value;
}

void ear_shadow_write_bytes(
	struct ear_shadow *pool, uint32_t address, unsigned mask, uint64_t value)
{
	for (unsigned i = 0; mask >> i; i++) {
		if (mask >> i & 1)
			ear_shadow_claim(pool, address + i)[(address + i) & pool->line_mask] =
				(uint8_t)(value >> 8 * i);
	}
}
