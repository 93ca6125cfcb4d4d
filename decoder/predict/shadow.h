#ifndef EAR_SHADOW_H
#define EAR_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "decoder/predict/geometry.h"
#include "protocol/bytes.h"
#include "protocol/difference.h"

/* A pool of memory words that encoder and decoder both remember. docs/predict.md, section 3.
 *
 * It is a cache of lines: what is not in it reads as zero, what is taken in begins as zeros.
 * What a pool holds is a guess at the memory, never the memory: nothing depends on its
 * being right, only on both sides having the same. Addresses have 32 bits.
 */
struct ear_shadow {
	uint8_t *bytes; /* all lines, set by set, the ways of a set side by side; owned */
	uint32_t *tags; /* one a line: line address + 1, 0: empty; owned */
	uint32_t set_mask;
	uint32_t way_mask;
	uint32_t victim; /* lines taken in so far */
	uint8_t ways_log2;
	uint8_t line_shift; /* log2 of a line's bytes */
	uint32_t line_mask; /* a line's bytes - 1 */
};

/* Returns 0, or EAR_E_NO_MEMORY with *pool ready for ear_shadow_fini. */
int ear_shadow_init(struct ear_shadow *pool, const struct ear_shadow_geometry *geometry);
void ear_shadow_fini(struct ear_shadow *pool);
void ear_shadow_clear(struct ear_shadow *pool);

/* Bytes that a saved pool has. */
size_t ear_shadow_size(const struct ear_shadow *pool);

static inline size_t ear_shadow_lines(const struct ear_shadow *pool)
{
	return ((size_t)pool->set_mask + 1) << pool->ways_log2;
}

/* The bytes of the line that holds address, or NULL if it is not in the pool. */
static inline uint8_t *ear_shadow_find(const struct ear_shadow *pool, uint32_t address)
{
	uint32_t line = address >> pool->line_shift;
	size_t first = (size_t)(line & pool->set_mask) << pool->ways_log2;
	const uint32_t *tags = pool->tags + first;
	size_t way;

	if (pool->way_mask == 3) { /* the usual case, without a branch that could go any way */
		way = (size_t)(tags[1] == line + 1) + 2 * (size_t)(tags[2] == line + 1) +
		      3 * (size_t)(tags[3] == line + 1);
	} else {
		for (way = 0; way < pool->way_mask && tags[way] != line + 1; way++)
			;
	}
	return tags[way] == line + 1 ? pool->bytes + ((first + way) << pool->line_shift) : NULL;
}

/* As ear_shadow_find, but a line that is not there takes the place of another one, zeroed. */
static inline uint8_t *ear_shadow_claim(struct ear_shadow *pool, uint32_t address)
{
	uint8_t *found = ear_shadow_find(pool, address);
	if (found)
		return found;

	uint32_t line = address >> pool->line_shift;
	size_t index = ((size_t)(line & pool->set_mask) << pool->ways_log2) +
		       (pool->victim++ & pool->way_mask);
	uint8_t *bytes = pool->bytes + (index << pool->line_shift);
	pool->tags[index] = line + 1;
	memset(bytes, 0, (size_t)pool->line_mask + 1);
	return bytes;
}

/* Integers of size 1, 2, 4 or 8 in the bytes of a line. */
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

/* The same where the bytes may be of two lines, or the size odd. */
uint64_t ear_shadow_read_bytes(const struct ear_shadow *pool, uint32_t address, unsigned mask);
void ear_shadow_write_bytes(
	struct ear_shadow *pool, uint32_t address, unsigned mask, uint64_t value);

/* What the pool holds for the bytes of mask (bit i: the byte at address + i); 0 elsewhere. */
static inline uint64_t ear_shadow_read(
	const struct ear_shadow *pool, uint32_t address, unsigned mask)
{
	unsigned size = ear_mask_size(mask);
	uint32_t offset = address & pool->line_mask;

	if (size == 0 || offset + size > pool->line_mask + 1)
		return ear_shadow_read_bytes(pool, address, mask);
	const uint8_t *line = ear_shadow_find(pool, address);
	return line ? ear_shadow_get(line + offset, size) : 0;
}

/* Remember the bytes of mask; lines that are not in the pool are taken in. */
static inline void ear_shadow_write(
	struct ear_shadow *pool, uint32_t address, unsigned mask, uint64_t value)
{
	unsigned size = ear_mask_size(mask);
	uint32_t offset = address & pool->line_mask;

	if (size == 0 || offset + size > pool->line_mask + 1)
		ear_shadow_write_bytes(pool, address, mask, value);
	else
		ear_shadow_put(ear_shadow_claim(pool, address) + offset, size, value);
}

#endif
