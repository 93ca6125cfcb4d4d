/* Arrays that grow to twice their size, so that the time to add an item does not depend on how many
 * there are. */
#include "common/array.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES 512 /* of a new array, */
#define FIRST_ITEMS 8   /* or more if so many items need more */

/* The pointer is copied as bytes, because it may be one to any type. */
bool ear_array_grow(void *items, size_t item_size, size_t *capacity, size_t count)
{
	size_t first =
		item_size < FIRST_BYTES / FIRST_ITEMS ? FIRST_BYTES / item_size : FIRST_ITEMS;
	size_t wanted = *capacity < first ? first : *capacity, size;
	void *old, *grown;

	if (wanted == *capacity && __builtin_mul_overflow(wanted, 2, &wanted))
		return false;
	if (wanted < count)
		wanted = count;
	if (__builtin_mul_overflow(wanted, item_size, &size))
		return false;
	memcpy(&old, items, sizeof(old));
	grown = realloc(old, size);
	if (!grown)
		return false;
	memcpy(items, &grown, sizeof(grown));
	*capacity = wanted;
	return true;
}
