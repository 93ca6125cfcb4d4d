#ifndef CLI_ELF_IMAGE_H
#define CLI_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/memory/memory_types.h"

#define ELF_IMAGE_SEGMENTS_MAX 16u

/* What an ELF file puts into memory, by its physical addresses. */
struct elf_image {
	struct ear_memory_segment segments[ELF_IMAGE_SEGMENTS_MAX];
	uint8_t *bytes[ELF_IMAGE_SEGMENTS_MAX];
	size_t count;
};

/* Returns false after printing why it could not be read. Free it all the same. optional: then it is
 * empty, and nothing is printed.
 */
bool elf_image_load(struct elf_image *image, const char *path, bool optional);
void elf_image_free(struct elf_image *image); /* zeros are fine */

#endif
