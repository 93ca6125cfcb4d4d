#ifndef EAR_SANDBOX_PRIVATE_H
#define EAR_SANDBOX_PRIVATE_H

#include "sandbox/sandbox.h"

/* Both do nothing if the kernel has no support. no_new_privs must be set. */
void ear_landlock_enter(
	enum ear_sandbox_policy policy, const struct ear_sandbox_path *paths, size_t count);
void ear_filter_enter(enum ear_sandbox_policy policy);

int ear_landlock_version(void); /* 0: the kernel has none */
bool ear_filter_built_in(void);

#endif
