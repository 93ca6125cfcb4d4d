#ifndef EAR_FARM_LOCAL_H
#define EAR_FARM_LOCAL_H

#include "cli/commands/farm/farm_plan.h"

/* Run all steps that are missing here, so many at a time, then the merge. Returns the exit status
 * of the farm. */
int farm_local_run(const char *folder, const struct farm_plan *plan, unsigned jobs);

#endif
