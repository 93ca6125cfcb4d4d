/* Walks the arguments of archive. Links are kept as links; only an argument is followed. */
#include "cli/commands/archive/archive_sources.h"

#include <dirent.h>
#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/batch/batch_list.h"
#include "common/array.h"

#define DEPTH_MAX 256u /* folders in folders */

struct walk {
	struct archive_sources *sources;
	dev_t device; /* of the folder that may not be met, */
	ino_t inode;  /* 0: there is none */
};

void archive_sources_fini(struct archive_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		free(sources->list[i].entry.path);
		free(sources->list[i].entry.target);
		free(sources->list[i].file);
	}
	free(sources->list);
	*sources = (struct archive_sources){0};
}

static bool no_memory(void)
{
	cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
	return false;
}

/* Something cannot be archived; the rest can. */
static bool leave_out(const struct walk *walk, const char *file, const char *why)
{
	cli_error("%s: %s", file, why);
	walk->sources->failed = true;
	return true;
}

static char *join(const char *folder, const char *name)
{
	size_t size = strlen(folder);
	char *path = malloc(size + strlen(name) + 2);

	if (path)
		sprintf(path, "%s%s%s", folder, size > 0 && folder[size - 1] != '/' ? "/" : "",
			name);
	return path;
}

static bool add(struct walk *walk, const char *file, const char *path, const struct stat *status)
{
	struct archive_sources *sources = walk->sources;
	char target[PATH_MAX];
	struct archive_source source = {.entry.kind = S_ISDIR(status->st_mode) ? EAR_MANIFEST_FOLDER
						      : S_ISLNK(status->st_mode)
							      ? EAR_MANIFEST_LINK
							      : EAR_MANIFEST_FILE};

	if (source.entry.kind == EAR_MANIFEST_LINK) {
		ssize_t size = readlink(file, target, sizeof(target) - 1);
		if (size <= 0)
			return leave_out(walk, file, strerror(errno));
		target[size] = '\0';
	}
	source.file = strdup(file);
	source.entry.path = strdup(path);
	source.entry.target = source.entry.kind == EAR_MANIFEST_LINK ? strdup(target) : NULL;
	source.entry.size = (uint64_t)status->st_size;
	source.entry.executable = status->st_mode & S_IXUSR;
	if (!source.file || !source.entry.path ||
		(source.entry.kind == EAR_MANIFEST_LINK && !source.entry.target) ||
		!EAR_ARRAY_RESERVE(sources->list, &sources->capacity, sources->count + 1)) {
		free(source.file);
		free(source.entry.path);
		free(source.entry.target);
		return no_memory();
	}
	sources->list[sources->count++] = source;
	return true;
}

static bool walk_folder(struct walk *walk, const char *file, const char *path, unsigned depth);

/* One thing, whatever it is; path "" is the folder whose contents are archived. */
static bool walk_one(struct walk *walk, const char *file, const char *path,
	const struct stat *status, unsigned depth)
{
	if (S_ISDIR(status->st_mode)) {
		if (walk->inode && status->st_dev == walk->device &&
			status->st_ino == walk->inode) {
			cli_error("%s: the archive would be in what it is made of", file);
			return false;
		}
		return (!*path || add(walk, file, path, status)) &&
		       walk_folder(walk, file, path, depth);
	}
	if (!S_ISREG(status->st_mode) && !S_ISLNK(status->st_mode))
		return leave_out(walk, file, "not archived: it is not a file, a folder or a link");
	if (strlen(path) >= EAR_MANIFEST_PATH_MAX)
		return leave_out(walk, file, "not archived: its path is too long");
	return add(walk, file, path, status);
}

static bool walk_name(
	struct walk *walk, const char *folder, const char *path, const char *name, unsigned depth)
{
	char *file = join(folder, name), *below = join(path, name);
	struct stat status;
	bool good;

	if (!file || !below)
		good = no_memory();
	else if (lstat(file, &status) != 0)
		good = leave_out(walk, file, strerror(errno));
	else
		good = walk_one(walk, file, below, &status, depth);
	free(file);
	free(below);
	return good;
}

static bool walk_folder(struct walk *walk, const char *file, const char *path, unsigned depth)
{
	DIR *list = depth < DEPTH_MAX ? opendir(file) : NULL;
	struct dirent *name;
	bool good = true;

	if (!list)
		return leave_out(walk, file,
			depth < DEPTH_MAX ? strerror(errno) : "not archived: it is too deep");
	while (good && !cli_interrupted && (name = readdir(list)))
		if (strcmp(name->d_name, ".") != 0 && strcmp(name->d_name, "..") != 0)
			good = walk_name(walk, file, path, name->d_name, depth + 1);
	closedir(list);
	return good;
}

/* The last component of an argument. */
static bool own_name(char name[NAME_MAX + 1], const char *argument)
{
	size_t end = strlen(argument), begin;

	while (end > 0 && argument[end - 1] == '/')
		end--;
	for (begin = end; begin > 0 && argument[begin - 1] != '/'; begin--)
		;
	if (end - begin > NAME_MAX)
		return false;
	memcpy(name, argument + begin, end - begin);
	name[end - begin] = '\0';
	return ear_manifest_path_is_good(name);
}

static bool walk_argument(struct walk *walk, const char *argument, bool alone)
{
	struct stat status;
	char name[NAME_MAX + 1];

	if (stat(argument, &status) != 0)
		return leave_out(walk, argument, strerror(errno));
	if (alone && S_ISDIR(status.st_mode))
		return walk_one(walk, argument, "", &status, 0);
	if (!own_name(name, argument)) {
		cli_error(
			"%s: this has no name for the archive: name a folder or a file", argument);
		return false;
	}
	return walk_one(walk, argument, name, &status, 0);
}

/* A path of a list keeps its folders, so that files of one name in several folders are several. */
static bool walk_listed(struct walk *walk, const char *path)
{
	const char *name = path + batch_list_name_at(path);
	struct stat status;
	size_t length = strlen(name);

	if (stat(path, &status) != 0)
		return leave_out(walk, path, strerror(errno));
	while (length > 0 && name[length - 1] == '/')
		length--;
	char *copy = strndup(name, length);
	if (!copy)
		return no_memory();
	bool good = ear_manifest_path_is_good(copy);
	if (good)
		good = walk_one(walk, path, copy, &status, 0);
	else
		cli_error("%s: this has no name for the archive: name a folder or a file", path);
	free(copy);
	return good;
}

static bool is_list(const char *argument)
{
	return argument[0] == '@';
}

/* What the lists name, before rights are given up. */
struct listing {
	struct archive_lists *lists;
	bool good;
};

static void take_path(void *context, const char *path)
{
	struct listing *listing = context;
	struct archive_lists *lists = listing->lists;
	char *copy = listing->good ? strdup(path) : NULL;

	listing->good = copy && EAR_ARRAY_RESERVE(lists->paths, &lists->capacity, lists->count + 1);
	if (listing->good)
		lists->paths[lists->count++] = copy;
	else
		free(copy);
}

bool archive_lists_read(struct archive_lists *lists, char **arguments, size_t count)
{
	struct listing listing = {lists, true};

	for (size_t i = 0; i < count; i++) {
		if (strcmp(arguments[i], "-") == 0) {
			cli_error("standard input has no name for the archive; a list of files is "
				  "read from it by @-");
			return false;
		}
		if (!is_list(arguments[i]))
			continue;
		if (!batch_list_each(arguments[i], take_path, &listing)) {
			cli_error("%s: %s", arguments[i], strerror(errno));
			return false;
		}
		if (!listing.good)
			return no_memory();
		lists->any = true;
	}
	return true;
}

void archive_lists_fini(struct archive_lists *lists)
{
	for (size_t i = 0; i < lists->count; i++)
		free(lists->paths[i]);
	free(lists->paths);
}

static int order(const void *first, const void *second)
{
	return strcmp(((const struct archive_source *)first)->entry.path,
		((const struct archive_source *)second)->entry.path);
}

bool archive_sources_find(struct archive_sources *sources, char **arguments, size_t count,
	const struct archive_lists *lists, const char *except)
{
	struct walk walk = {.sources = sources};
	struct stat status;

	if (except && stat(except, &status) == 0) {
		walk.device = status.st_dev;
		walk.inode = status.st_ino;
	}
	for (size_t i = 0; i < count; i++)
		if (!is_list(arguments[i]) && !walk_argument(&walk, arguments[i], count == 1))
			return false;
	for (size_t i = 0; i < lists->count; i++)
		if (!walk_listed(&walk, lists->paths[i]))
			return false;
	if (sources->count > 1)
		qsort(sources->list, sources->count, sizeof(*sources->list), order);
	for (size_t i = 1; i < sources->count; i++)
		if (order(&sources->list[i - 1], &sources->list[i]) == 0) {
			cli_error("%s and %s would have the same name in the archive",
				sources->list[i - 1].file, sources->list[i].file);
			return false;
		}
	return true;
}
