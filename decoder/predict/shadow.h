#ifndef EAR_SHADOW_H
#define EAR_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/protocol/bytes.h"
#include "common/protocol/difference.h"
#include "decoder/predict/geometry.h"

/* The shadow memory: a set-associative cache of memory words that encoder and decoder both keep.
 * docs/predict.md, section 3.
 *
 * An address that is not cached reads as zero, and a new line begins as zeros. The contents are a
 * guess at the memory, never the memory: they may be wrong, as long as they are the same on both
 * sides. Addresses have 32 bits.
 */
struct ear_shadow {
	uint8_t *bytes; /* all lines, set by set, the ways of a set adjacent; owned */
	uint32_t *tags; /* for each line: line address + 1, 0: empty; owned */
	uint32_t set_mask;
	uint32_t way_mask;
	uint32_t
		victim; /* lines filled so far; its low bits are the way that the next one evicts */
	uint8_t ways_log2;
	uint8_t line_shift; /* log2 of a line's bytes */
	uint32_t line_mask; /* a line's bytes - 1 */
};

/* Returns 0, or EAR_E_NO_MEMORY with *cache ready for ear_shadow_fini. */
int ear_shadow_init(struct ear_shadow *cache, const struct ear_shadow_geometry *geometry);
void ear_shadow_fini(struct ear_shadow *cache);
void ear_shadow_clear(struct ear_shadow *cache);

/* Bytes of a saved cache. */
size_t ear_shadow_size(const struct ear_shadow *cache);

static inline size_t ear_shadow_lines(const struct ear_shadow *cache)
{
	return ((size_t)cache->set_mask + 1) << cache->ways_log2;
}

/* The bytes of the line that holds address, or NULL if the cache does not have it. */
static inline uint8_t *ear_shadow_find(const struct ear_shadow *cache, uint32_t address)
{
	uint32_t line = address >> cache->line_shift;
	size_t first = (size_t)(line & cache->set_mask) << cache->ways_log2;
	const uint32_t *tags = cache->tags + first;
	size_t way;

	if (cache->way_mask == 3) { /* the usual case, without a branch that cannot be predicted */
		way = (size_t)(tags[1] == line + 1) + 2 * (size_t)(tags[2] == line + 1) +
		      3 * (size_t)(tags[3] == line + 1);
	} else {
		for (way = 0; way < cache->way_mask && tags[way] != line + 1; way++)
			;
	}
	return tags[way] == line + 1 ? cache->bytes + ((first + way) << cache->line_shift) : NULL;
}

/* As ear_shadow_find, but a missing line is filled with zeros, and evicts another one. */
static inline uint8_t *ear_shadow_claim(struct ear_shadow *cache, uint32_t address)
{
	uint8_t *found = ear_shadow_find(cache, address);
	if (found)
		return found;

	uint32_t line = address >> cache->line_shift;
	size_t index = ((size_t)(line & cache->set_mask) << cache->ways_log2) +
		       (cache->victim++ & cache->way_mask);
	uint8_t *bytes = cache->bytes + (index << cache->line_shift);
	cache->tags[index] = line + 1;
	memset(bytes, 0, (size_t)cache->line_mask + 1);
	return bytes;
}

/* Integers of 1, 2, 4 or 8 bytes in a line. */
static inline uint64_t ear_shadow_get(const uint8_t *at, unsigned size)
{
	switch (size) {
	case 1: return at[0];
	case 2: return ear_load_le16(at);
	case 4: return ear_load_le32(at);
	default: return ear_load_le64(at);
	}
}

static inline void ear_shadow_put(uint8_t *at, unsigned size, uint64_t value)
{
	switch (size) {
	case 1: at[0] = (uint8_t)value; return;
	case 2: ear_store_le16(at, (uint16_t)value); return;
	case 4: ear_store_le32(at, (uint32_t)value); return;
	default: ear_store_le64(at, value); return;
	}
}

/* The same for bytes that may lie in two lines, or a mask of another size. */
uint64_t ear_shadow_read_bytes(const struct ear_shadow *cache, uint32_t address, unsigned mask);
void ear_shadow_write_bytes(
	struct ear_shadow *cache, uint32_t address, unsigned mask, uint64_t value);

/* Read the bytes of mask (bit i: the byte at address + i); others, and those not cached, are 0. */
static inline uint64_t ear_shadow_read(
	const struct ear_shadow *cache, uint32_t address, unsigned mask)
{
	unsigned size = ear_mask_size(mask);
	uint32_t offset = address & cache->line_mask;

	if (size == 0 || offset + size > cache->line_mask + 1)
		return ear_shadow_read_bytes(cache, address, mask);
	const uint8_t *line = ear_shadow_find(cache, address);
	return line ? ear_shadow_get(line + offset, size) : 0;
}

/* Write the bytes of mask; missing lines are filled. */
static inline void ear_shadow_write(
	struct ear_shadow *cache, uint32_t address, unsigned mask, uint64_t value)
{
	unsigned size = ear_mask_size(mask);
	uint32_t offset = address & cache->line_mask;

	if (size == 0 || offset + size > cache->line_mask + 1)
		ear_shadow_write_bytes(cache, address, mask, value);
	else
		ear_shadow_put(ear_shadow_claim(cache, address) + offset, size, value);
}

#endif
