/* Words to traces. A child process walks the folders, because what decides whether a file is a
 * trace are its bytes, which nobody vouches for: the child may read files, and nothing else. It
 * writes what it finds into a pipe, a line of kind, place of the name, and path:
 *
 *     T 5 runs/a.shot NUL
 *
 * A folder is opened below the one before it, without following links, and its names are sorted, so
 * that the order is the same everywhere.
 */
#include "cli/batch/batch_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <earshot/error.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "common/array.h"
#include "common/plural.h"
#include "library/source/source.h"

#define DEPTH_MAX 128 /* folders in folders: a descriptor each */

enum kind {
	KIND_TRACE = 'T',
	KIND_FAILED = 'F', /* an error text and a blank before the path */
	KIND_OTHER = 'O',
	KIND_LINK = 'L',
	KIND_SPECIAL = 'S',
};

/* ---- The child: folders and lists. ---- */

struct walk {
	FILE *out;
	size_t name_at; /* of the folder that a word named, */
	dev_t device;   /* and its file system: /proc and mounts are not of it */
};

static void report(const struct walk *walk, enum kind kind, const char *path)
{
	fprintf(walk->out, "%c %zu %s%c", kind, walk->name_at, path, '\0');
}

static void report_error(const struct walk *walk, const char *path, const char *error)
{
	fprintf(walk->out, "%c 0 %s%c%s%c", KIND_FAILED, path, '\0', error, '\0');
}

static bool is_trace(int fd)
{
	const struct ear_source_options options = {.format = NULL};
	struct ear_source *source;
	const int result = ear_source_new(&source, fd, &options);

	if (result == 0)
		ear_source_free(source);
	/* What is damaged or lacks its program is a trace all the same. */
	return result != EAR_E_UNSUPPORTED;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a folder, sorted. Returns false with errno. */
static bool read_names(int folder, char ***names, size_t *count)
{
	const int copy = dup(folder);
	DIR *stream = copy >= 0 ? fdopendir(copy) : NULL;
	size_t capacity = 0;

	*names = NULL;
	*count = 0;
	if (!stream) {
		if (copy >= 0)
			close(copy);
		return false;
	}
	errno = 0;
	for (const struct dirent *entry; (entry = readdir(stream));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		char *name = strdup(entry->d_name);
		if (!name || !EAR_ARRAY_RESERVE(*names, &capacity, *count + 1)) {
			free(name);
			errno = ENOMEM;
			break;
		}
		(*names)[(*count)++] = name;
	}
	const int number = errno;
	closedir(stream);
	if (*count > 0)
		qsort(*names, *count, sizeof(**names), compare_names);
	errno = number;
	return number == 0;
}

static void walk_folder(const struct walk *walk, int folder, const char *path, unsigned depth);

/* An entry of a folder, which is not followed if it is a link. */
static void walk_entry(
	const struct walk *walk, int folder, const char *name, const char *path, unsigned depth)
{
	struct stat status;
	int fd = -1;

	if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
		report_error(walk, path, strerror(errno));
		return;
	}
	if (S_ISLNK(status.st_mode)) {
		report(walk, KIND_LINK, path);
		return;
	}
	if (status.st_dev != walk->device ||
		(!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))) {
		report(walk, KIND_SPECIAL, path);
		return;
	}
	/* It may have become something else since: a pipe must not be waited for. */
	fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		report_error(walk, path, strerror(errno));
	else if (is_trace(fd))
		report(walk, KIND_TRACE, path);
	else if (S_ISDIR(status.st_mode))
		walk_folder(walk, fd, path, depth);
	else
		report(walk, KIND_OTHER, path);
	if (fd >= 0)
		close(fd);
}

static void walk_folder(const struct walk *walk, int folder, const char *path, unsigned depth)
{
	char **names;
	size_t count;
	char inner[PATH_MAX];
	const char *slash = path[0] && path[strlen(path) - 1] == '/' ? "" : "/";

	if (depth == DEPTH_MAX) {
		report_error(walk, path, "there are too many folders in folders");
		return;
	}
	if (!read_names(folder, &names, &count))
		report_error(walk, path, strerror(errno));
	for (size_t i = 0; i < count && !ferror(walk->out); i++) {
		if (snprintf(inner, sizeof(inner), "%s%s%s", path, slash, names[i]) >=
			(int)sizeof(inner))
			report_error(walk, path, "a name in it is too long");
		else
			walk_entry(walk, folder, names[i], inner, depth + 1);
	}
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

/* A word, or a line of a list: links are followed here. */
static void walk_path(struct walk *walk, const char *path)
{
	struct stat status;

	walk->name_at = batch_list_name_at(path);
	if (strcmp(path, "-") == 0 || stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
		report(walk, KIND_TRACE, path);
		return;
	}
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		report_error(walk, path, strerror(errno));
		return;
	}
	if (is_trace(fd)) {
		report(walk, KIND_TRACE, path);
	} else {
		walk->name_at = strlen(path) + (path[strlen(path) - 1] != '/');
		walk->device = status.st_dev;
		walk_folder(walk, fd, path, 0);
	}
	close(fd);
}

/* Does the list separate its paths by NUL characters? It does if it has one. Then it is read from
 * its beginning again. */
static char *read_all(FILE *file, size_t *size)
{
	char *bytes = NULL;
	size_t capacity = 0;

	*size = 0;
	do {
		if (!EAR_ARRAY_RESERVE(bytes, &capacity, *size + BUFSIZ)) {
			free(bytes);
			errno = ENOMEM;
			return NULL;
		}
		*size += fread(bytes + *size, 1, capacity - *size - 1, file);
	} while (!feof(file) && !ferror(file));
	bytes[*size] = '\0';
	if (!ferror(file))
		return bytes;
	free(bytes);
	return NULL;
}

bool batch_list_each(const char *word, void (*take)(void *context, const char *path), void *context)
{
	const bool input = strcmp(word, "@-") == 0;
	FILE *file = input ? stdin : fopen(word + 1, "re");
	size_t size;
	char *bytes = file ? read_all(file, &size) : NULL;
	const int number = errno;

	if (bytes) {
		const char separator = memchr(bytes, '\0', size) ? '\0' : '\n';
		for (char *at = bytes, *end; at < bytes + size; at = end + 1) {
			end = memchr(at, separator, (size_t)(bytes + size - at));
			if (!end)
				end = bytes + size;
			*end = '\0';
			if (*at)
				take(context, at);
		}
	}
	free(bytes);
	if (file && !input)
		fclose(file);
	errno = number;
	return bytes;
}

static void walk_listed(void *context, const char *path)
{
	walk_path(context, path);
}

static void walk_list(struct walk *walk, const char *word)
{
	if (!batch_list_each(word, walk_listed, walk))
		report_error(walk, word, strerror(errno));
}

static void walk_words(FILE *out, char **words, int count)
{
	struct walk walk = {.out = out};

	confine_trace(NULL);
	confine_files((const char *const[]){"/", NULL}, (const char *const[]){NULL});
	for (int i = 0; i < count; i++)
		if (words[i][0] == '@')
			walk_list(&walk, words[i]);
		else
			walk_path(&walk, words[i]);
}

/* ---- The parent. ---- */

size_t batch_list_name_at(const char *path)
{
	const char *slash = strrchr(path, '/'), *at = path;

	while (strncmp(at, "./", 2) == 0)
		at += 2 + strspn(at + 2, "/");
	bool below = *at != '/' && *at != '\0';
	for (const char *part = at; part && below; part = strchr(part, '/')) {
		part += *part == '/';
		below = strncmp(part, "..", 2) != 0 || (part[2] != '/' && part[2] != '\0');
	}
	return (size_t)((below ? at : slash ? slash + 1 : path) - path);
}

bool batch_list_add(struct batch_list *list, const char *path, size_t name_at, const char *error)
{
	if (!EAR_ARRAY_RESERVE(list->items, &list->capacity, list->count + 1))
		return false;
	struct batch_item *item = &list->items[list->count];
	*item = (struct batch_item){.path = strdup(path)};
	if (!item->path)
		return false;
	list->count++;
	item->name = item->path + (name_at < strlen(path) ? name_at : 0);
	if (error)
		item->error = strdup(error);
	return !error || item->error;
}

/* One message of the child. Returns 1, 0 at the end, -1 without memory. */
static int take_message(struct batch_list *list, FILE *in, char **text, size_t *room)
{
	if (getdelim(text, room, '\0', in) <= 0)
		return 0;
	const char kind = (*text)[0];
	char *end;
	const size_t name_at = strtoul(*text + 1, &end, 10);
	const char *path = end + 1;

	switch (kind) {
	case KIND_TRACE: return batch_list_add(list, path, name_at, NULL) ? 1 : -1;
	case KIND_OTHER: list->others++; return 1;
	case KIND_LINK: list->links++; return 1;
	case KIND_SPECIAL: list->specials++; return 1;
	default: break;
	}
	char *error = NULL;
	size_t error_room = 0;
	int result = -1;
	if (getdelim(&error, &error_room, '\0', in) > 0 && batch_list_add(list, path, 0, error))
		result = 1;
	free(error);
	return result;
}

static bool take_messages(struct batch_list *list, int fd)
{
	FILE *in = fdopen(fd, "r");
	char *text = NULL;
	size_t room = 0;
	int result = in ? 1 : -1;

	while (result > 0)
		result = take_message(list, in, &text, &room);
	free(text);
	if (in)
		fclose(in);
	else
		close(fd);
	return result == 0;
}

bool batch_list_make(struct batch_list *list, char **words, int count)
{
	int ends[2] = {-1, -1}, status = 0;

	*list = (struct batch_list){0};
	struct stat file;
	for (int i = 0; i < count; i++)
		list->expanded = list->expanded || words[i][0] == '@' ||
				 (stat(words[i], &file) == 0 && S_ISDIR(file.st_mode));
	fflush(stdout);
	const pid_t child = pipe(ends) == 0 ? fork() : -1;
	if (child == 0) {
		FILE *out = fdopen(ends[1], "w");

		close(ends[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* it has nothing to end in good order */
		if (out)
			walk_words(out, words, count);
		_exit(out && fclose(out) == 0 ? 0 : 1);
	}
	if (child < 0) {
		cli_error("%s", strerror(errno));
		return false;
	}
	close(ends[1]);
	const bool taken = take_messages(list, ends[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (taken && status == 0)
		return true;
	cli_error(taken ? "the traces could not be listed: what looks at files failed"
			: "out of memory");
	return false;
}

void batch_list_free(struct batch_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].path);
		free(list->items[i].other);
		free(list->items[i].output);
		free((char *)list->items[i].error);
	}
	free(list->items);
	*list = (struct batch_list){0};
}

bool batch_list_is_wanted(char **words, int count)
{
	struct stat status;

	return count > 1 ||
	       (count == 1 && (words[0][0] == '@' ||
				      (stat(words[0], &status) == 0 && S_ISDIR(status.st_mode))));
}

static void add_text(char *text, size_t size, const char **separator, uint64_t count,
	const char *one, const char *several)
{
	const size_t used = strlen(text);

	if (count == 0)
		return;
	snprintf(text + used, size - used, "%s%" PRIu64 " %s", *separator, count,
		count == 1 ? one : several);
	*separator = ", ";
}

void batch_list_text(const struct batch_list *list, char *text, size_t size)
{
	const char *separator = "; ";

	snprintf(text, size, "%zu trace%s", list->count, ear_plural(list->count));
	add_text(text, size, &separator, list->others, "other file skipped", "other files skipped");
	add_text(text, size, &separator, list->links, "symbolic link not followed",
		"symbolic links not followed");
	add_text(text, size, &separator, list->specials, "device, pipe, socket or mount skipped",
		"devices, pipes, sockets and mounts skipped");
}

void batch_list_fail_empty(const struct batch_list *list, const char *word)
{
	char text[256];

	batch_list_text(list, text, sizeof(text));
	const char *rest = strchr(text, ';');
	cli_error("%s: there is no trace in it%s%s", word, rest ? ":" : "", rest ? rest + 1 : "");
}
