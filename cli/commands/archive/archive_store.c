/* The folder of an archive. Everything is written under another name first and renamed when it is
 * whole, so what is there under its own name is good, whenever the command ended.
 */
#define _GNU_SOURCE /* syncfs */
#include "cli/commands/archive/archive_store.h"

#include <dirent.h>
#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "common/sync.h"

#define MANIFEST     "manifest"
#define NEW_MANIFEST "manifest.new"

void archive_store_object(char path[ARCHIVE_OBJECT_MAX], const char *sha256, bool records)
{
	snprintf(path, ARCHIVE_OBJECT_MAX, "objects/%.2s/%s.%s", sha256, sha256,
		records ? "ear" : "zst");
}

static bool fail(const struct archive_store *store, const char *what)
{
	cli_error("%s: %s: %s", store->name, what, strerror(errno));
	return false;
}

static void report_line(void *context, uint64_t line)
{
	const struct archive_store *store = context;

	if (line > 0)
		cli_error("%s/" MANIFEST ": line %" PRIu64
			  " is damaged: what it names is not restored",
			store->name, line);
	else
		cli_error("%s/" MANIFEST ": its end is missing: files may be missing", store->name);
}

/* Returns 1; 0: there is no manifest; -1 after printing. */
static int read_manifest(struct archive_store *store)
{
	struct stat status;
	char *text = NULL;
	int result = -1;
	int fd = openat(store->fd, MANIFEST, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		fail(store, MANIFEST);
		goto out_close;
	}
	size_t size = (size_t)status.st_size, got = 0;
	text = malloc(size + 1);
	while (text && got < size) {
		ssize_t count = read(fd, text + got, size - got);
		if (count <= 0)
			break;
		got += (size_t)count;
	}
	if (!text || got < size) {
		fail(store, MANIFEST);
		goto out_close;
	}
	store->damaged = ear_manifest_read(&store->manifest, text, size, report_line, store);
	if (store->damaged == EAR_E_VERSION)
		cli_error("%s/" MANIFEST
			  ": this is not the manifest of an archive, or one of a newer "
			  "version",
			store->name);
	else if (store->damaged < 0)
		cli_error("%s: %s", store->name, ear_error_text(store->damaged));
	else
		result = 1;
out_close:
	free(text);
	if (fd >= 0)
		close(fd);
	return result;
}

static bool is_empty(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	unsigned count = 0;

	if (!list) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (readdir(list))
		count++;
	closedir(list);
	return count == 2; /* . and .. */
}

bool archive_store_create(struct archive_store *store, const char *name)
{
	*store = (struct archive_store){.name = name, .fd = -1};
	if (mkdir(name, 0777) != 0 && errno != EEXIST)
		return fail(store, "cannot make the folder");
	store->fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (store->fd < 0)
		return fail(store, "cannot open the folder");
	if (flock(store->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		cli_error("%s: another process writes this archive", name);
		return false;
	}
	int there = read_manifest(store);
	if (there < 0)
		return false;
	if (there > 0 && store->damaged > 0) {
		cli_error("%s: nothing is added to a damaged archive: restore what is whole, and "
			  "archive it anew",
			name);
		return false;
	}
	if (there == 0 && !is_empty(store->fd)) {
		cli_error("%s: the folder is neither empty nor an archive", name);
		return false;
	}
	if (mkdirat(store->fd, "objects", 0777) != 0 && errno != EEXIST)
		return fail(store, "objects");
	return there > 0 || archive_store_save(store, &store->manifest);
}

bool archive_store_open(struct archive_store *store, const char *name)
{
	*store = (struct archive_store){.name = name};
	store->fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (store->fd < 0)
		return fail(store, "cannot open the folder");
	int there = read_manifest(store);
	if (there == 0)
		cli_error("%s: the folder is not an archive: it has no file '" MANIFEST "'", name);
	return there > 0;
}

void archive_store_close(struct archive_store *store)
{
	ear_manifest_fini(&store->manifest);
	if (store->fd >= 0)
		close(store->fd);
	store->fd = -1;
}

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t count = write(fd, bytes, size);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return false;
		bytes += count;
		size -= (size_t)count;
	}
	return true;
}

bool archive_store_save(const struct archive_store *store, const struct ear_manifest *manifest)
{
	struct ear_pack_bytes text = {0};
	bool good = false;
	int fd = -1;

	if (ear_manifest_write(&text, manifest) != 0) {
		cli_error("%s: %s", store->name, ear_error_text(EAR_E_NO_MEMORY));
		goto out_free;
	}
	/* The objects first: what a manifest names is there, also after a power cut. */
	syncfs(store->fd);
	fd = openat(store->fd, NEW_MANIFEST, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		0666);
	good = fd >= 0 && write_all(fd, text.bytes, text.size) && ear_sync_file(fd) == 0 &&
	       renameat(store->fd, NEW_MANIFEST, store->fd, MANIFEST) == 0 &&
	       ear_sync_file(store->fd) == 0;
	if (!good)
		fail(store, MANIFEST);
out_free:
	if (fd >= 0)
		close(fd);
	free(text.bytes);
	return good;
}
