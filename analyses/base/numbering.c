#include "analyses/base/numbering.h"

#include <stdlib.h>

#define CAPACITY_FIRST 256u

void *ear_numbering_grow(struct ear_numbering *numbering, void *elements, size_t element_size,
	uint32_t count, bool *again)
{
	*again = false;
	if (count < numbering->capacity)
		return elements;
	uint32_t capacity = numbering->capacity ? 2 * numbering->capacity : CAPACITY_FIRST;
	uint32_t *places = calloc(2 * (size_t)capacity, sizeof(*places));
	void *grown = places ? realloc(elements, capacity * element_size) : NULL;
	if (!grown) {
		free(places);
		return NULL;
	}
	free(numbering->places);
	*numbering = (struct ear_numbering){places, 2 * capacity, capacity};
	*again = true;
	return grown;
}

void ear_numbering_fini(struct ear_numbering *numbering)
{
	free(numbering->places);
	*numbering = (struct ear_numbering){0};
}
