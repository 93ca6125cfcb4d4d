#ifndef EAR_PROFILE_AGAINST_H
#define EAR_PROFILE_AGAINST_H

#include "cli/commands/profile/profile_show.h"

/* Two finished profiles side by side, functions by their names, to standard output: those that
 * changed most first, by clocks if both have time. view->sort says of what: of the functions
 * themselves, or inclusive. Return false after printing that memory is short. */
bool profile_against_table(const struct profile_view *view, const struct profile_view *old);
bool profile_against_json(const struct profile_view *view, const struct profile_view *old);

#endif
