/* Files, by Landlock: a right that the ruleset handles is forbidden, except below the paths that
 * rules name. The kernel reports its version, and rights of later versions are left out, so an old
 * kernel forbids less and never refuses the ruleset. Numbers that the headers of Debian 12 lack are
 * defined here.
 */
#define _GNU_SOURCE /* O_PATH */
#include "common/sandbox/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CREATE_VERSION 1u /* landlock_create_ruleset: which version is there? */
#define RULE_BENEATH   1

#define FS_EXECUTE     (1u << 0)
#define FS_WRITE_FILE  (1u << 1)
#define FS_READ_FILE   (1u << 2)
#define FS_READ_DIR    (1u << 3)
#define FS_REMOVE_FILE (1u << 5)
#define FS_MAKE_DIR    (1u << 7)
#define FS_MAKE_REG    (1u << 8)
#define FS_MAKE_SYM    (1u << 12)
#define FS_ALL_1       ((1u << 13) - 1)
#define FS_REFER       (1u << 13) /* version 2 */
#define FS_TRUNCATE    (1u << 14) /* 3 */
#define FS_IOCTL_DEV   (1u << 15) /* 5 */

#define NET_ALL   3u /* bind and connect, version 4 */
#define SCOPE_ALL 3u /* abstract sockets, and signals to processes without the same rules; 6 */

#define FS_OF_FILE (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

struct ruleset {
	uint64_t handled_fs, handled_net, scoped;
};

struct beneath {
	uint64_t allowed;
	int32_t parent_fd;
} __attribute__((packed));

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule       445
#define SYS_landlock_restrict_self  446
#endif

int ear_landlock_version(void)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);

	return version > 0 ? (int)version : 0;
}

static uint64_t known_rights(int version)
{
	return FS_ALL_1 | (version >= 2 ? FS_REFER : 0) | (version >= 3 ? FS_TRUNCATE : 0) |
	       (version >= 5 ? FS_IOCTL_DEV : 0);
}

/* A rule for an open file or folder. A file takes no rights of folders. */
static void add_rule(int rules, int fd, uint64_t rights)
{
	struct stat status;
	struct beneath rule = {.allowed = rights, .parent_fd = fd};

	if (fstat(fd, &status) == 0 && !S_ISDIR(status.st_mode))
		rule.allowed &= FS_OF_FILE;
	/* A pipe in /proc/self/fd takes no rule and needs none. */
	if (rule.allowed)
		syscall(SYS_landlock_add_rule, rules, RULE_BENEATH, &rule, 0);
}

static bool add_path(int rules, const char *path, uint64_t rights)
{
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return false;
	add_rule(rules, fd, rights);
	close(fd);
	return true;
}

/* The folder of a file that will be created. If path is a link to a file that does not exist yet,
 * the folder of that file.
 */
static void add_folder(int rules, const char *path, uint64_t rights)
{
	char at[PATH_MAX], target[PATH_MAX];

	snprintf(at, sizeof(at), "%s", path);
	for (unsigned links = 0; links < 40; links++) {
		ssize_t length = readlink(at, target, sizeof(target) - 1);
		char *slash = strrchr(at, '/');
		size_t folder = slash ? (size_t)(slash - at) + 1 : 0;

		if (length <= 0) {
			at[folder] = '\0';
			add_path(rules, folder ? at : ".", rights);
			return;
		}
		if (target[0] == '/')
			folder = 0;
		if (folder + (size_t)length >= sizeof(at))
			return;
		memcpy(at + folder, target, (size_t)length);
		at[folder + (size_t)length] = '\0';
	}
}

static void add_paths(
	int rules, const struct ear_sandbox_path *paths, size_t count, uint64_t handled)
{
	static const uint64_t writing = FS_WRITE_FILE | FS_TRUNCATE;

	for (size_t i = 0; i < count; i++) {
		const char *path = paths[i].path;

		if (strcmp(path, "-") == 0)
			continue; /* open already */
		switch (paths[i].right) {
		case EAR_SANDBOX_READ:
			add_path(rules, path, handled & (FS_READ_FILE | FS_READ_DIR));
			break;
		case EAR_SANDBOX_WRITE:
			add_path(rules, path, handled & (writing | FS_IOCTL_DEV));
			/* It is read for fsync, which makes the name last. */
			add_folder(rules, path, handled & (writing | FS_MAKE_REG | FS_READ_DIR));
			break;
		case EAR_SANDBOX_REPLACE:
			add_folder(rules, path,
				handled & (writing | FS_MAKE_REG | FS_REMOVE_FILE | FS_READ_FILE |
						  FS_READ_DIR));
			break;
		case EAR_SANDBOX_FILL:
			add_path(rules, path,
				handled & (writing | FS_MAKE_REG | FS_MAKE_DIR | FS_MAKE_SYM |
						  FS_REMOVE_FILE | FS_READ_FILE | FS_READ_DIR));
			break;
		case EAR_SANDBOX_USE:
			add_path(rules, path,
				handled & (FS_READ_FILE | FS_READ_DIR | writing | FS_IOCTL_DEV));
			break;
		}
	}
}

void ear_landlock_enter(
	enum ear_sandbox_policy policy, const struct ear_sandbox_path *paths, size_t count)
{
	int version = ear_landlock_version();
	struct ruleset handled = {
		.handled_fs = known_rights(version),
		.handled_net = version >= 4 ? NET_ALL : 0,
		.scoped = version >= 6 ? SCOPE_ALL : 0,
	};
	size_t size = version >= 6   ? sizeof(handled)
		      : version >= 4 ? 2 * sizeof(uint64_t)
				     : sizeof(uint64_t);

	if (version == 0 || policy == EAR_SANDBOX_DEVICE || policy == EAR_SANDBOX_BOARD)
		return;
	int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0);
	if (rules < 0)
		return;
	add_paths(rules, paths, count, handled.handled_fs);
	syscall(SYS_landlock_restrict_self, rules, 0);
	close(rules);
}
