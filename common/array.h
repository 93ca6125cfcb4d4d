#ifndef EAR_ARRAY_H
#define EAR_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Arrays that grow: a pointer to items, how many there are, and for how many there is room. All
 * zero is an empty one, and free(items) ends it.
 *
 *     if (!EAR_ARRAY_RESERVE(list->items, &list->capacity, list->count + 1))
 *             return EAR_E_NO_MEMORY;
 *     list->items[list->count++] = item;
 */

/* Make room for count items. Returns false if memory is short or the size in bytes is too large for
 * a size_t; then nothing has changed. The items may move; new ones have no value.
 */
#define EAR_ARRAY_RESERVE(items, capacity, count) \
	((count) <= *(capacity) || ear_array_grow(&(items), sizeof(*(items)), (capacity), (count)))

/* The same for a pointer to items of item_size bytes, if count is more than *capacity. */
bool ear_array_grow(void *items, size_t item_size, size_t *capacity, size_t count);

#endif
