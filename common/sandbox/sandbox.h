#ifndef EAR_SANDBOX_H
#define EAR_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "common/sandbox/sandbox_policy.h"

/* Rights that a process gives up for good, together with every thread and program that it starts
 * later. An attacker who takes the process over through a hostile file does not have them.
 *
 * Two parts of Linux do this. Landlock (5.13) limits the calling thread and those that it starts to
 * named folders and files; seccomp (4.14) forbids system calls, to all threads of the process. If
 * the kernel lacks one, or it was not built in, the other still works; ear_sandbox_support says
 * which there are.
 */

/* Give the rights up. paths[0 .. count-1]: what may be opened from now on; open files stay open. A
 * path that does not exist gives no right and is not an error.
 *
 * EARSHOT_SANDBOX=off in the environment: nothing happens.
 */
void ear_sandbox_enter(
	enum ear_sandbox_policy policy, const struct ear_sandbox_path *paths, size_t count);

/* What this build and this kernel have. */
struct ear_sandbox_support {
	bool wanted;     /* not switched off by EARSHOT_SANDBOX */
	bool sanitized;  /* built with sanitizers, which need what is forbidden: never entered */
	bool has_filter; /* seccomp was built in, and the kernel has it */
	bool built_in;   /* seccomp was built in */
	int landlock;    /* version of the kernel's Landlock, 0 none */
};
void ear_sandbox_support(struct ear_sandbox_support *support);

#endif
