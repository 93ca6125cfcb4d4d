#ifndef EAR_HELPER_SOURCES_H
#define EAR_HELPER_SOURCES_H

#include <stdint.h>

#include "library/names/wire.h"

/* Source files, each path once. Zero it to begin. */
struct helper_sources {
	struct ear_wire list;     /* u32: a string each */
	struct ear_wire *strings; /* where the paths go */
	uint32_t count;
	uint32_t *slots; /* number + 1 by hash; 0 is free */
	uint32_t slot_count;
	const char *last; /* the path that was asked for last: mostly the next one, too */
	uint32_t last_number;
};

/* The number of a path, UINT32_MAX without memory. Paths that are the same pointer are the same. */
uint32_t helper_sources_number(struct helper_sources *sources, const char *path);
uint32_t helper_sources_string(const struct helper_sources *sources, uint32_t number);
void helper_sources_free(struct helper_sources *sources);

#endif
