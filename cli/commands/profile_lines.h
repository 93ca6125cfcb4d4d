#ifndef EAR_PROFILE_LINES_H
#define EAR_PROFILE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "analyses/profile.h"

/* Print the lines of the source that took most, of a profile with pcs: top of them, 0: all. Returns
 * false if memory is short. */
bool profile_lines(const struct ear_profile *profile, const struct ear_names *names, uint64_t top);

#endif
