#ifndef EAR_MIXED_PROGRAM_H
#define EAR_MIXED_PROGRAM_H

#include "iss/iss.h"
#include "random.h"

/* Put a program at the beginning of a bare simulator's memory (iss_bare.h): instructions of the
 * instruction table that the simulator has, in any order, with random operands. What traps comes
 * back somewhere else in them, so that most of them run, and run again with other operands; a
 * program of random_program.h soon stays in a few. It never ends.
 */
void mixed_program_write(struct ear_iss *iss, unsigned xlen, struct random *random);

#endif
