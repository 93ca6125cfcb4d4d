/* Writes restored files. Each component of a path is opened in the folder before it, without
 * following links; a file is written under a name of its own and renamed when it is whole.
 */
#include "cli/commands/archive/archive_target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/cli.h"

#define PART    ".earshot-restore" /* the name of a file that is not whole yet */
#define DAMAGED ".damaged"

static void fail(struct archive_target *target, const char *path, const char *why)
{
	cli_error("%s/%s: %s", target->name, path, why);
	target->failed = true;
}

bool archive_target_open(struct archive_target *target, const char *name)
{
	*target = (struct archive_target){.name = name, .fd = -1, .folder = -1, .file = -1};
	if (mkdir(name, 0777) == 0 || errno == EEXIST)
		target->fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (target->fd < 0)
		cli_error("%s: %s", name, strerror(errno));
	return target->fd >= 0;
}

static void close_file(struct archive_target *target)
{
	if (target->file >= 0)
		close(target->file);
	if (target->folder >= 0)
		close(target->folder);
	target->file = target->folder = -1;
}

void archive_target_close(struct archive_target *target)
{
	if (target->file >= 0)
		unlinkat(target->folder, PART, 0);
	close_file(target);
	if (target->fd >= 0)
		close(target->fd);
}

/* Open the folder of a path, made if it is missing; *name is the last component. Returns -1 with
 * errno. */
static int open_folder(const struct archive_target *target, const char *path, const char **name)
{
	char component[NAME_MAX + 1];
	int folder = fcntl(target->fd, F_DUPFD_CLOEXEC, 0);

	for (const char *slash; folder >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
		size_t size = (size_t)(slash - path);
		memcpy(component, path, size);
		component[size] = '\0';
		if (mkdirat(folder, component, 0777) != 0 && errno != EEXIST) {
			close(folder);
			return -1;
		}
		int next =
			openat(folder, component, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int error = errno;
		close(folder);
		errno = error;
		folder = next;
	}
	*name = path;
	return folder;
}

/* Is the link there as it is to be? */
static bool has_link(int folder, const char *name, const char *target)
{
	char there[PATH_MAX];
	ssize_t size = readlinkat(folder, name, there, sizeof(there));

	return size >= 0 && (size_t)size == strlen(target) &&
	       memcmp(there, target, (size_t)size) == 0;
}

void archive_target_make(struct archive_target *target, const struct ear_manifest_entry *entry)
{
	const char *name;
	struct stat status;
	int folder = open_folder(target, entry->path, &name);
	bool good = false;

	if (folder < 0) {
		fail(target, entry->path, strerror(errno));
		return;
	}
	if (entry->kind == EAR_MANIFEST_LINK)
		good = symlinkat(entry->target, folder, name) == 0 ||
		       (errno == EEXIST && has_link(folder, name, entry->target));
	else
		good = mkdirat(folder, name, 0777) == 0 ||
		       (errno == EEXIST &&
			       fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
			       S_ISDIR(status.st_mode));
	if (!good)
		fail(target, entry->path,
			errno == EEXIST || errno == 0 ? "something else is there, which is kept"
						      : strerror(errno));
	close(folder);
}

static bool is_equal(int fd, const struct ear_manifest_entry *entry)
{
	uint8_t buffer[65536];
	char sha256[EAR_MANIFEST_SHA256];
	SHA2_CTX context;
	ssize_t got;

	SHA256Init(&context);
	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		SHA256Update(&context, buffer, (size_t)got);
	SHA256End(&context, sha256);
	return got == 0 && strcmp(sha256, entry->sha256) == 0;
}

bool archive_target_has(struct archive_target *target, const struct ear_manifest_entry *entry)
{
	const char *name;
	struct stat status;
	int folder = open_folder(target, entry->path, &name);

	if (folder < 0) {
		fail(target, entry->path, strerror(errno));
		return true;
	}
	bool there = fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
	int fd = there && S_ISREG(status.st_mode)
			 ? openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
			 : -1;
	if (there && (fd < 0 || !is_equal(fd, entry)))
		fail(target, entry->path, "another file is there, which is kept");
	else if (strcmp(name, PART) == 0) {
		fail(target, entry->path, "this name is used while files are restored");
		there = true;
	}
	if (fd >= 0)
		close(fd);
	close(folder);
	return there;
}

static bool begin_file(void *context, const struct ear_manifest_entry *entry)
{
	struct archive_target *target = context;
	const char *name;

	target->folder = open_folder(target, entry->path, &name);
	if (target->folder >= 0) {
		/* Perhaps of a run that was killed; it may be a link. */
		unlinkat(target->folder, PART, 0);
		target->file = openat(target->folder, PART,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			entry->executable ? 0777 : 0666);
	}
	target->skip = target->file < 0;
	if (target->skip)
		fail(target, entry->path, strerror(errno));
	return true;
}

static bool write_file(void *context, const uint8_t *text, size_t size)
{
	struct archive_target *target = context;

	while (size > 0 && !target->skip) {
		ssize_t count = write(target->file, text, size);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0) {
			cli_error("%s: %s", target->name, strerror(errno));
			target->failed = true;
			return false;
		}
		text += count;
		size -= (size_t)count;
	}
	return true;
}

static bool end_file(void *context, const struct ear_manifest_entry *entry, bool whole)
{
	struct archive_target *target = context;
	const char *slash = strrchr(entry->path, '/'), *name = slash ? slash + 1 : entry->path;
	char damaged[NAME_MAX + sizeof(DAMAGED)];
	struct stat status;

	if (!whole && !target->skip) {
		snprintf(damaged, sizeof(damaged), "%s" DAMAGED, name);
		name = damaged;
	}
	if (!target->skip && fstatat(target->folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
		fail(target, entry->path, "another file is there, which is kept");
	else if (!target->skip && renameat(target->folder, PART, target->folder, name) != 0)
		fail(target, entry->path, strerror(errno));
	else if (!whole && !target->skip)
		cli_error("%s/%s: what is left of it is in '%s'", target->name, entry->path, name);
	if (target->folder >= 0)
		unlinkat(target->folder, PART, 0);
	close_file(target);
	return true;
}

const struct archive_sink archive_target_sink = {NULL, begin_file, write_file, end_file};
