#ifndef EAR_MEMORY_VOLATILE_H
#define EAR_MEMORY_VOLATILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/memory/memory_types.h"

/* Volatile bytes of memory_state.h. */

/* A set of bytes that are never known. What one object finds is in ear_memory_volatile(). The truth
 * about any moment needs that of the whole trace: take the set after the last record, and give it
 * to the objects that answer (ear_memory_set_volatile), or to ear_memory_line_end().
 */
const struct ear_memory_volatile *ear_memory_volatile(const struct ear_memory *memory);

/* From now on bytes of this set, too, are unknown for ear_memory_read(). Not copied; NULL: none. */
void ear_memory_set_volatile(struct ear_memory *memory, const struct ear_memory_volatile *set);

/* The bytes of a line that are in it, a bit for each. If the set is too large to be kept, every
 * byte is in it. */
uint64_t ear_memory_volatile_mask(const struct ear_memory_volatile *set, uint64_t address);

/* No more changes before: the image, as far as it is still valid, and then never-known bytes
 * (devices and volatile) are taken away. forgotten: everything was, and these segments had been
 * written (struct ear_memory_changes). volatiles may be NULL.
 */
void ear_memory_line_end(struct ear_memory_line *line, const struct ear_memory_options *options,
	bool forgotten, uint64_t written, const struct ear_memory_volatile *volatiles);

/* As ear_memory_changes_save. With it goes what loads saw first of bytes that nothing in the trace
 * had written, if the object has no image: an image that is given later is compared with them, and
 * where it has something else, its bytes are not used. What loads see after a gap is not compared.
 */
size_t ear_memory_volatile_save(const struct ear_memory_volatile *set, uint8_t *bytes, size_t size);
/* Returns 0 and a set to be freed; EAR_E_BAD_FILE, EAR_E_NO_MEMORY. */
int ear_memory_volatile_load(struct ear_memory_volatile **set, const uint8_t *bytes, size_t size);
void ear_memory_volatile_free(struct ear_memory_volatile *set);

#endif
