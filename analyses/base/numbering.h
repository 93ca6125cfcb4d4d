#ifndef EAR_ANALYSES_NUMBERING_H
#define EAR_ANALYSES_NUMBERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers for things that are met again and again: they are elements of an array that grows, and a
 * table finds the number of an element by a hash of what it is.
 *
 *     elements = ear_numbering_grow(&numbering, elements, sizeof(*elements), count, &again);
 *     if (again) for each number: *place of it = number + 1
 *     place = the first for which is_free, or whose element is the one
 *
 * All zero is an empty one; ear_numbering_fini frees the table, not the array.
 */
struct ear_numbering {
	uint32_t *places; /* numbers + 1; 0: free */
	uint32_t size;    /* a power of two, twice the capacity */
	uint32_t capacity;
};

/* Room for one more than count elements of so many bytes. *again: the table is empty now, and all
 * numbers are to be entered. Returns the elements, which may have moved; NULL if memory is short:
 * they stay where they are then. */
void *ear_numbering_grow(struct ear_numbering *numbering, void *elements, size_t element_size,
	uint32_t count, bool *again);

void ear_numbering_fini(struct ear_numbering *numbering);

/* The places to look at, one after the other. */
static inline uint32_t ear_numbering_first(const struct ear_numbering *numbering, uint32_t hash)
{
	return hash & (numbering->size - 1);
}

static inline uint32_t ear_numbering_next(const struct ear_numbering *numbering, uint32_t at)
{
	return (at + 1) & (numbering->size - 1);
}

static inline uint32_t ear_numbering_hash(uint64_t a, uint64_t b)
{
	uint64_t hash = a * UINT64_C(0x9e3779b97f4a7c15);

	hash = (hash ^ hash >> 31 ^ b) * UINT64_C(0xbf58476d1ce4e5b9);
	return (uint32_t)(hash ^ hash >> 32);
}

#endif
