#ifndef EAR_RANDOM_PROGRAM_H
#define EAR_RANDOM_PROGRAM_H

#include "iss/iss.h"
#include "random.h"

/* Put a program of random instructions of the instruction table at the beginning of a bare
 * simulator's memory (iss_bare.h). The registers point into the memory, traps come back into the
 * code. It has no end of its own: random_program_step begins again where it stops.
 */
void random_program_write(struct ear_iss *iss, struct random *random);

/* The next entry of such a program. */
void random_program_step(struct ear_iss *iss, struct random *random, struct ear_retire *entry);

/* It wrote the exit register, or sleeps: let it continue somewhere in its code. */
void random_program_revive(struct ear_iss *iss, struct random *random);

#endif
