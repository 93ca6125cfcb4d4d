/* Giving rights up. Files come first, because limiting them needs system calls that the filter then
 * forbids. Nothing here fails: each part that the kernel has is one obstacle more, and a command
 * works without any.
 */
#include "common/sandbox/sandbox.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/sandbox/filter.h"
#include "common/sandbox/landlock.h"

/* LeakSanitizer needs ptrace; the others map memory in ways that the filter forbids. */
#ifdef EAR_SANITIZED
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

static bool is_wanted(void)
{
	const char *value = getenv("EARSHOT_SANDBOX");

	return !value || strcmp(value, "off") != 0;
}

void ear_sandbox_enter(
	enum ear_sandbox_policy policy, const struct ear_sandbox_path *paths, size_t count)
{
	if (sanitized || !is_wanted() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return;
	ear_landlock_enter(policy, paths, count);
	ear_filter_enter(policy);
}

/* Would the kernel take a filter? */
static bool kernel_filters(void)
{
	unsigned action = SECCOMP_RET_ERRNO;

	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

void ear_sandbox_support(struct ear_sandbox_support *support)
{
	*support = (struct ear_sandbox_support){
		.wanted = is_wanted(),
		.sanitized = sanitized,
		.built_in = ear_filter_built_in(),
		.has_filter = ear_filter_built_in() && kernel_filters(),
		.landlock = ear_landlock_version(),
	};
}
