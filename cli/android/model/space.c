/* Lists of regions by their start. A region that overlaps one that is there counts from its start
 * on, as in the original tools: the nearest start below an address has it.
 */
#include "cli/android/model/space.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

struct ear_android_space *ear_android_space_new(void)
{
	struct ear_android_space *space = calloc(1, sizeof(*space));

	if (space)
		space->tasks = 1;
	return space;
}

static int reserve(struct ear_android_regions *all, struct ear_android_space *space, size_t count)
{
	if (count > EAR_ANDROID_REGIONS_MAX - all->used)
		return EAR_E_FULL;
	if (!EAR_ARRAY_RESERVE(space->regions, &space->room, space->count + count))
		return EAR_E_NO_MEMORY;
	all->used += count;
	return 0;
}

int ear_android_space_copy(struct ear_android_regions *all, struct ear_android_space *space,
	const struct ear_android_space *from)
{
	int result = reserve(all, space, from->count);

	for (size_t i = 0; i < from->count && result == 0; i++) {
		space->regions[space->count++] = from->regions[i];
		from->regions[i]->spaces++;
	}
	return result;
}

/* The first region that starts after the address. */
static size_t after(const struct ear_android_space *space, uint32_t address)
{
	size_t low = 0, high = space->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (space->regions[middle]->start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Files that are linked to run anywhere have small addresses. */
static uint32_t base_of(const struct ear_android_image *image, uint32_t start, uint32_t offset)
{
	bool anywhere = image->count > 1 && image->symbols[1].address < start;

	return anywhere ? start - offset : 0;
}

static struct ear_android_region *make(struct ear_android_regions *all, uint32_t start,
	uint64_t end, uint32_t offset, struct ear_android_image *image)
{
	struct ear_android_region *region = malloc(sizeof(*region));

	if (!region)
		return NULL;
	*region = (struct ear_android_region){.start = start,
		.end = end,
		.offset = offset,
		.base = base_of(image, start, offset),
		.image = image,
		.spaces = 1,
		.next = all->first};
	all->first = region;
	return region;
}

int ear_android_space_map(struct ear_android_regions *all, struct ear_android_space *space,
	uint32_t start, uint64_t end, uint32_t offset, struct ear_android_image *image)
{
	struct ear_android_region *region = make(all, start, end, offset, image);
	int result = region ? reserve(all, space, 1) : EAR_E_NO_MEMORY;

	if (result)
		return result;
	size_t at = after(space, start);
	memmove(space->regions + at + 1, space->regions + at,
		(space->count - at) * sizeof(struct ear_android_region *));
	space->regions[at] = region;
	space->count++;
	return 0;
}

static void take_out(struct ear_android_regions *all, struct ear_android_space *space, size_t at)
{
	space->regions[at]->was_unmapped = true;
	space->regions[at]->spaces--;
	space->count--;
	all->used--;
	memmove(space->regions + at, space->regions + at + 1,
		(space->count - at) * sizeof(struct ear_android_region *));
}

int ear_android_space_unmap(struct ear_android_regions *all, struct ear_android_space *space,
	uint32_t start, uint64_t end)
{
	size_t at = after(space, start);
	struct ear_android_region *region = at > 0 ? space->regions[at - 1] : NULL;

	if (!region || region->end != end)
		return 0;
	if (region->start == start) {
		take_out(all, space, at - 1);
		return 0;
	}
	if (region->spaces > 1) { /* the others keep all of it */
		struct ear_android_region *own =
			make(all, region->start, end, region->offset, region->image);
		if (!own)
			return EAR_E_NO_MEMORY;
		region->spaces--;
		region = space->regions[at - 1] = own;
	}
	region->end = start;
	return 0;
}

void ear_android_space_leave(struct ear_android_regions *all, struct ear_android_space *space)
{
	if (!space || --space->tasks > 0)
		return;
	for (size_t i = 0; i < space->count; i++)
		space->regions[i]->spaces--;
	all->used -= space->count;
	free(space->regions);
	free(space);
}

const struct ear_android_region *ear_android_space_find(
	const struct ear_android_space *space, uint32_t address)
{
	size_t at = after(space, address);

	if (at == 0 || address >= space->regions[at - 1]->end)
		return NULL;
	return space->regions[at - 1];
}

void ear_android_regions_free(struct ear_android_regions *all)
{
	while (all->first) {
		struct ear_android_region *region = all->first;
		all->first = region->next;
		free(region);
	}
}
