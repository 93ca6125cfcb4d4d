#ifndef EAR_RANDOM_H
#define EAR_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* A small generator with a seed: a failing random test fails again the same way.
 * Algorithm: xorshift64* (Marsaglia 2003, Vigna 2016).
 */
struct random {
	uint64_t state; /* not 0 */
};

static inline uint64_t random_next(struct random *random)
{
	random->state ^= random->state >> 12;
	random->state ^= random->state << 25;
	random->state ^= random->state >> 27;
	return random->state * 0x2545F4914F6CDD1Du;
}

/* 0 .. limit-1; the small bias of the remainder does no harm here. */
static inline uint64_t random_below(struct random *random, uint64_t limit)
{
	return (random_next(random) >> 11) % limit;
}

/* True once in n times. */
static inline bool random_once_in(struct random *random, uint64_t n)
{
	return random_below(random, n) == 0;
}

#endif
