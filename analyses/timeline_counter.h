#ifndef EAR_ANALYSES_TIMELINE_COUNTER_H
#define EAR_ANALYSES_TIMELINE_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/* A number over time, in windows of equal length. When there are too many, two become one. So it
 * takes the same memory however long the time is.
 */
#define TIMELINE_WINDOWS 4096u

enum timeline_counter_kind {
	TIMELINE_SUM,  /* what was added in the window */
	TIMELINE_MOST, /* the greatest value in it */
	TIMELINE_LAST, /* the last one */
};

struct timeline_sample {
	int64_t value;
	bool has;
};

struct timeline_counter {
	uint8_t kind; /* enum timeline_counter_kind */
	bool begun;
	uint64_t origin; /* the first time, */
	uint64_t last;   /* and the last one */
	uint64_t window;
	uint32_t count; /* windows up to last */
	struct timeline_sample *samples;
};

/* Returns 0 or EAR_E_NO_MEMORY. Times must not go back. */
int timeline_counter_add(struct timeline_counter *counter, uint64_t time, int64_t value);
void timeline_counter_fini(struct timeline_counter *counter);

#endif
