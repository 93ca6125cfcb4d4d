#ifndef EAR_RETIRE_RANDOM_H
#define EAR_RETIRE_RANDOM_H

#include "common/protocol/retire.h"
#include "random.h"

/* A random entry of the retire port. Every field is zero often enough that every bit of the
 * RAW mask is tried set and clear; what an entry cannot hold (a register number of an
 * FP register that was not written) is zero. order is 0.
 */
void retire_random(struct ear_retire *entry, struct random *random, unsigned xlen);

/* The name of the first field in which the two differ, or NULL. */
const char *retire_difference(const struct ear_retire *a, const struct ear_retire *b);

#endif
