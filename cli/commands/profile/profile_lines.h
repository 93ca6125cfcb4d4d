#ifndef EAR_PROFILE_LINES_H
#define EAR_PROFILE_LINES_H

#include <stdbool.h>

#include "cli/commands/profile/profile_show.h"

/* Print the lines of the source that took most, of a profile with pcs. Returns false if memory is
 * short. */
bool profile_lines(const struct profile_view *view);

#endif
