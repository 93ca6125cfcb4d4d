#ifndef EAR_PROFILE_COLUMNS_H
#define EAR_PROFILE_COLUMNS_H

#include "cli/commands/profile/profile_show.h"

/* The tree of calls as columns, for the page of a report: docs/report.md, section 3. view->top:
 * nodes at most, 0: all. To standard output. Returns false after printing why not. */
bool profile_columns(const struct profile_view *view);

#endif
