#ifndef EAR_PROFILE_VIEWERS_H
#define EAR_PROFILE_VIEWERS_H

#include "cli/commands/profile/profile_show.h"

/* A finished profile for viewers. All return false after printing why it cannot be written. */

/* speedscope's file format (its file-format-schema.json), to standard output: a sampled profile of
 * stacks weighted by records, and one by clocks if there is time. */
bool profile_speedscope(const struct profile_view *view, const char *trace);

/* pprof's profile.proto, not compressed, to fd. */
bool profile_pprof(const struct profile_view *view, int fd);

#endif
