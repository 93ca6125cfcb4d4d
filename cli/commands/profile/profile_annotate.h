#ifndef EAR_PROFILE_ANNOTATE_H
#define EAR_PROFILE_ANNOTATE_H

#include <stdbool.h>

#include "cli/commands/profile/profile_input.h"
#include "cli/commands/profile/profile_show.h"

/* Source and instructions of functions, with what was counted of each, to standard output: of
 * these, by names or addresses; none: of the hottest, view->top at most. Returns false after
 * printing why it cannot be done.
 */
bool profile_annotate(const struct profile_view *view, const struct profile_filter *functions,
	bool as_json, bool quiet);

#endif
