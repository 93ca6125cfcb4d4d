#ifndef EAR_MEMORY_EXPECTED_H
#define EAR_MEMORY_EXPECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/memory/memory_types.h"

/* What memory_state.h expects next. */

/* Before the first record of a part, or of an object that replays from a checkpoint: it expects
 * what before expects next. */
int ear_memory_seed(struct ear_memory *part, const struct ear_memory *before);

/* The same for a checkpoint in a file: what is expected next. As ear_memory_changes_save. */
size_t ear_memory_expected_save(const struct ear_memory *memory, uint8_t *bytes, size_t size);
/* Returns 0; EAR_E_BAD_FILE, EAR_E_NO_MEMORY: memory is as it was. */
int ear_memory_expected_load(struct ear_memory *memory, const uint8_t *bytes, size_t size);

#endif
