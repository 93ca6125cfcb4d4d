#ifndef TRUTH_IMAGE_H
#define TRUTH_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "library/memory/memory_state.h"

/* What an ELF file loads. Trusted: it comes from the compiler of the tests. */
struct truth_image {
	uint8_t *file;
	struct ear_memory_segment segments[EAR_MEMORY_SEGMENTS_MAX];
	size_t count;
};

/* Returns 0, or -1 after a message on standard error. */
int truth_image_open(struct truth_image *image, const char *path);
void truth_image_close(struct truth_image *image);

#endif
