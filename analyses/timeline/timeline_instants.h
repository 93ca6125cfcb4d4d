#ifndef EAR_ANALYSES_TIMELINE_INSTANTS_H
#define EAR_ANALYSES_TIMELINE_INSTANTS_H

#include <stdint.h>

/* What happened at one time. There are at most so many: when there would be more, every other one
 * of the category that has most of them goes, and so it is for those that come.
 */
#define TIMELINE_INSTANTS_MAX        (1u << 18)
#define TIMELINE_INSTANTS_CATEGORIES 16u

struct timeline_instant {
	uint64_t time, order, record;
	uint64_t ordinal; /* among those of its category */
	uint32_t track, name;
	uint8_t category;
};

/* All zero is an empty one. */
struct timeline_instants {
	struct timeline_instant *list;
	uint32_t count, capacity;
	uint64_t left_out;
	uint64_t ordinals[TIMELINE_INSTANTS_CATEGORIES]; /* of the next one */
	unsigned shifts[TIMELINE_INSTANTS_CATEGORIES];   /* one of 2^shift stays */
};

/* Returns 0 or EAR_E_NO_MEMORY. */
int timeline_instants_add(
	struct timeline_instants *instants, const struct timeline_instant *instant);
void timeline_instants_fini(struct timeline_instants *instants);

#endif
