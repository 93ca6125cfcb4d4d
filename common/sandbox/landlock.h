#ifndef EAR_LANDLOCK_H
#define EAR_LANDLOCK_H

#include <stddef.h>

#include "common/sandbox/sandbox_policy.h"

/* Limit this thread and those that it starts to these files. no_new_privs must be set. Does nothing
 * if the kernel has no support.
 */
void ear_landlock_enter(
	enum ear_sandbox_policy policy, const struct ear_sandbox_path *paths, size_t count);

int ear_landlock_version(void); /* 0: the kernel has none */

#endif
