#ifndef EAR_ANALYSES_TIMELINE_COUNTER_H
#define EAR_ANALYSES_TIMELINE_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/* A number over time, in windows of equal length, a power of two; each begins at a multiple of it.
 * When there are too many, two become one. So it takes the same memory however long the time is,
 * and what is added within one of the smallest windows may be added at once.
 */
#define TIMELINE_WINDOWS      4096u
#define TIMELINE_WINDOW_SHIFT 6u /* the smallest one is 2 to the power of it */

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
	unsigned shift;  /* a window is 2 to the power of it */
	uint32_t count;  /* windows from that of origin to that of last */
	struct timeline_sample *samples;
};

/* Returns 0 or EAR_E_NO_MEMORY. Times must not go back. */
int timeline_counter_add(struct timeline_counter *counter, uint64_t time, int64_t value);
/* The value of the last window. False: nothing was added. */
bool timeline_counter_last(const struct timeline_counter *counter, int64_t *value);

/* *time becomes that of the window behind it, of one to which something was added. False: there is
 * none. */
bool timeline_counter_next(const struct timeline_counter *counter, uint64_t *time);

/* Of window i, below count: when it begins, not before origin, and how many clocks it has from
 * there, not behind last. */
uint64_t timeline_counter_time(const struct timeline_counter *counter, uint32_t i);
uint64_t timeline_counter_clocks(const struct timeline_counter *counter, uint32_t i);

void timeline_counter_fini(struct timeline_counter *counter);

#endif
