#ifndef EAR_ISS_BARE_H
#define EAR_ISS_BARE_H

#include "iss/iss.h"

/* The simulator without a program: zeros in memory, the pc at its beginning. All extensions on, the
 * packet source off. Never fails: it ends the program instead.
 */
struct ear_iss *iss_bare_new(unsigned xlen, uint64_t seed);

#endif
