#ifndef EAR_ANDROID_SPACE_H
#define EAR_ANDROID_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/android/model/image.h"

/* Address spaces: which file is mapped where. A fork copies the list of regions, not the regions; a
 * thread has the space of its process.
 */
struct ear_android_region {
	uint32_t start;
	uint64_t end; /* not in it */
	uint32_t offset;
	uint32_t base; /* what is added to addresses of the image */
	struct ear_android_image *image;
	unsigned spaces; /* that have it */
	bool was_unmapped;
	struct ear_android_region *next; /* of all, in the order in which they were made */
};

struct ear_android_space {
	struct ear_android_region **regions; /* by start */
	size_t count, room;
	unsigned tasks; /* that have it */
};

/* All regions and the room of all spaces, which is bounded. */
struct ear_android_regions {
	struct ear_android_region *first;
	size_t used; /* entries of all spaces */
};

#define EAR_ANDROID_REGIONS_MAX (1u << 24)

/* Each returns NULL, or an error: EAR_E_NO_MEMORY, EAR_E_FULL (too many regions in all). */
struct ear_android_space *ear_android_space_new(void);
int ear_android_space_copy(struct ear_android_regions *all, struct ear_android_space *space,
	const struct ear_android_space *from);
int ear_android_space_map(struct ear_android_regions *all, struct ear_android_space *space,
	uint32_t start, uint64_t end, uint32_t offset, struct ear_android_image *image);

/* A region goes, or its last part; nothing if no region ends there. */
int ear_android_space_unmap(struct ear_android_regions *all, struct ear_android_space *space,
	uint32_t start, uint64_t end);

/* One task less has it; without any it goes. NULL is allowed. */
void ear_android_space_leave(struct ear_android_regions *all, struct ear_android_space *space);

/* The region that an address is in, or NULL. */
const struct ear_android_region *ear_android_space_find(
	const struct ear_android_space *space, uint32_t address);

void ear_android_regions_free(struct ear_android_regions *all);

#endif
