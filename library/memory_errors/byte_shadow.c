/* The shadow of memory: pages of bits, found by a hash, and by a cache that is indexed by the page
 * and also keeps that there is no page. Most accesses are to pages without a shadow or to words
 * without a bit, which costs one load of the cache and one of the words.
 */
#include "library/memory_errors/memory_errors_internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

static uint32_t slot_of(const struct shadow *shadow, uint64_t page)
{
	uint32_t at = (uint32_t)ear_hash_index(page, shadow->capacity);

	while (shadow->table[at] && shadow->table[at]->address != page)
		at = (at + 1) & (shadow->capacity - 1);
	return at;
}

struct shadow_page *ear_byte_shadow_find(struct shadow *shadow, uint64_t page)
{
	struct shadow_page *found =
		shadow->capacity > 0 ? shadow->table[slot_of(shadow, page)] : NULL;
	const size_t at = page / PAGE % PAGE_CACHE;

	shadow->cache[at].address = page;
	shadow->cache[at].page = found;
	return found;
}

static bool grow(struct shadow *shadow)
{
	const uint32_t capacity = shadow->capacity ? 2 * shadow->capacity : 64;
	struct shadow_page **old = shadow->table;
	const uint32_t count = shadow->capacity;

	if (2 * shadow->count < shadow->capacity)
		return true;
	struct shadow_page **grown = calloc(capacity, sizeof(struct shadow_page *));
	if (!grown)
		return false;
	shadow->table = grown;
	shadow->capacity = capacity;
	for (uint32_t i = 0; i < count; i++)
		if (old[i])
			grown[slot_of(shadow, old[i]->address)] = old[i];
	free((void *)old);
	return true;
}

struct shadow_page *ear_byte_shadow_make(struct shadow *shadow, uint64_t page)
{
	struct shadow_page *found = shadow_page(shadow, page);

	if (found || shadow->count == PAGES_MAX)
		return found;
	found = grow(shadow) ? calloc(1, sizeof(*found)) : NULL;
	if (!found) {
		shadow->failed = true;
		return NULL;
	}
	found->address = page;
	shadow->table[slot_of(shadow, page)] = found;
	shadow->count++;
	return ear_byte_shadow_find(shadow, page);
}

static uint64_t mask_of(unsigned from, unsigned count)
{
	return (count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1) << from;
}

/* In one page. New bytes of frames and blocks come from no read. */
static void change(
	struct shadow_page *page, enum shadow_bit bit, unsigned from, unsigned size, bool set)
{
	if (bit == SHADOW_UNWRITTEN && set && page->reads)
		memset(page->reads + from / 4, 0,
			((from + size - 1) / 4 - from / 4 + 1) * sizeof(*page->reads));
	while (size > 0) {
		const unsigned at = from % 64, here = size < 64 - at ? size : 64 - at;
		uint64_t *word = &page->bits[bit][from / 64];
		*word = set ? *word | mask_of(at, here) : *word & ~mask_of(at, here);
		from += here;
		size -= here;
	}
}

static void change_all(
	struct shadow *shadow, enum shadow_bit bit, uint64_t first, uint64_t size, bool set)
{
	while (size > 0) {
		const unsigned from = first % PAGE;
		const unsigned here = size < PAGE - from ? (unsigned)size : PAGE - from;
		struct shadow_page *page = set ? ear_byte_shadow_make(shadow, first - from)
					       : shadow_page(shadow, first);
		if (page)
			change(page, bit, from, here, set);
		first += here;
		size -= here;
	}
}

void ear_byte_shadow_set(struct shadow *shadow, enum shadow_bit bit, uint64_t first, uint64_t size)
{
	change_all(shadow, bit, first, size, true);
}

void ear_byte_shadow_clear(
	struct shadow *shadow, enum shadow_bit bit, uint64_t first, uint64_t size)
{
	change_all(shadow, bit, first, size, false);
}

uint64_t ear_byte_shadow_get(
	struct shadow *shadow, enum shadow_bit bit, uint64_t address, unsigned size)
{
	const unsigned at = address % 64, here = size < 64 - at ? size : 64 - at;
	const struct shadow_page *page = shadow_page(shadow, address);
	uint64_t found = page ? page->bits[bit][address % PAGE / 64] >> at & mask_of(0, here) : 0;

	if (here < size)
		found |= ear_byte_shadow_get(shadow, bit, address + here, size - here) << here;
	return found;
}

void ear_byte_shadow_forget(struct shadow *shadow)
{
	for (uint32_t i = 0; i < shadow->capacity; i++)
		if (shadow->table[i])
			memset(shadow->table[i]->bits, 0, sizeof(shadow->table[i]->bits));
}

void ear_byte_shadow_fini(struct shadow *shadow)
{
	for (uint32_t i = 0; i < shadow->capacity; i++) {
		if (shadow->table[i])
			free(shadow->table[i]->reads);
		free(shadow->table[i]);
	}
	free((void *)shadow->table);
}
