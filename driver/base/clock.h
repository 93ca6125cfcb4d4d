#ifndef EAR_CLOCK_H
#define EAR_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Milliseconds on a clock that never goes back. */
static inline uint64_t ear_clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Do nothing for some milliseconds. */
static inline void ear_clock_sleep_ms(unsigned duration_ms)
{
	struct timespec duration = {duration_ms / 1000, (long)(duration_ms % 1000) * 1000000};

	nanosleep(&duration, NULL);
}

#endif
