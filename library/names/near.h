#ifndef EAR_NEAR_H
#define EAR_NEAR_H

#include <stddef.h>

/* How many letters are different, missing or swapped between two names; max + 1 if more than max.
 * Names of more than 128 bytes are not compared.
 */
unsigned ear_near_distance(const char *a, const char *b, unsigned max);

/* How many may be, for a name that was probably meant: a third of its letters, at most 3. */
unsigned ear_near_limit(const char *word);

#endif
