#ifndef EAR_PROFILE_CALLGRIND_H
#define EAR_PROFILE_CALLGRIND_H

#include <stdbool.h>

#include "cli/commands/profile/profile_show.h"

/* A profile with pcs, as KCachegrind and callgrind_annotate read it (Valgrind's manual, "Callgrind
 * Format Specification"), to standard output. trace: its name. Returns false if memory is short. */
bool profile_callgrind(const struct profile_view *view, const char *trace);

#endif
