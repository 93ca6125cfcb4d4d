#ifndef EAR_ANALYSES_PROFILE_ROWS_H
#define EAR_ANALYSES_PROFILE_ROWS_H

#include "analyses/profile/profile_state.h"

/* Functions become rows, which are numbered anew: profile->rows says so, profile->parts are what
 * they were. Those that stand by themselves must come first. Returns 0 or EAR_E_NO_MEMORY. */
int ear_profile_make_rows(struct ear_profile *profile);

#endif
