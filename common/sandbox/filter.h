#ifndef EAR_FILTER_H
#define EAR_FILTER_H

#include <stdbool.h>

#include "common/sandbox/sandbox_policy.h"

/* Forbid system calls to all threads of the process. no_new_privs must be set. Does nothing if the
 * kernel has no support.
 */
void ear_filter_enter(enum ear_sandbox_policy policy);

bool ear_filter_built_in(void);

#endif
