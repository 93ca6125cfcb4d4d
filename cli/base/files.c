/* Which files a command reads and writes, and whether two of them are one.
 *
 * A file that is there is known by its device and inode, as stat(2) follows links to it. One that
 * is not there yet is known by the folder where it will be made and its name there, after all
 * links.
 */
#include "cli/base/files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "common/output_file.h"
#include "common/own_file.h"

#define FILES_MAX    256
#define LINKS_MAX    40 /* as the kernel */
#define MAJOR_MEMORY 1  /* /dev/null, /dev/zero, /dev/full: no file is behind them */

enum identity_kind { IDENTITY_NONE, IDENTITY_THERE, IDENTITY_NEW };

struct identity {
	enum identity_kind kind;
	mode_t type;
	dev_t device; /* of a new file, of its folder */
	ino_t inode;
	char name[NAME_MAX + 1]; /* of a new file, in its folder */
};

struct file {
	bool written;
	char option[24];
	char path[PATH_MAX];
	struct identity identity;
};

static struct file files[FILES_MAX];
static unsigned count;

void files_clear(void)
{
	count = 0;
}

static bool take_status(struct identity *identity, const struct stat *status)
{
	identity->kind = IDENTITY_THERE;
	identity->type = status->st_mode & S_IFMT;
	identity->device = status->st_dev;
	identity->inode = status->st_ino;
	/* A terminal has many names: it is what the driver numbers. */
	if (S_ISCHR(status->st_mode)) {
		identity->device = status->st_rdev;
		identity->inode = 0;
	}
	return true;
}

/* path leads to nothing. If it is a link, put where it leads in its place. */
static bool follow_link(char *path, size_t size)
{
	char target[PATH_MAX], joined[2 * PATH_MAX];
	ssize_t length = readlink(path, target, sizeof(target) - 1);
	const char *slash = strrchr(path, '/');

	if (length <= 0)
		return false;
	target[length] = '\0';
	if (target[0] == '/' || !slash)
		snprintf(joined, sizeof(joined), "%s", target);
	else
		snprintf(joined, sizeof(joined), "%.*s/%s", (int)(slash - path), path, target);
	if (strlen(joined) >= size)
		return false;
	strcpy(path, joined);
	return true;
}

/* A file that is not there: its folder and its name. */
static void take_new(struct identity *identity, char *path)
{
	char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path, *folder = slash ? path : ".";
	struct stat status;

	if (strlen(name) > NAME_MAX || name[0] == '\0')
		return;
	strcpy(identity->name, name);
	if (slash == path)
		folder = "/";
	else if (slash)
		*slash = '\0';
	if (stat(folder, &status) != 0)
		return;
	identity->kind = IDENTITY_NEW;
	identity->type = S_IFREG;
	identity->device = status.st_dev;
	identity->inode = status.st_ino;
}

static void identify(struct identity *identity, const char *path, bool written)
{
	char at[PATH_MAX];
	struct stat status;

	*identity = (struct identity){.kind = IDENTITY_NONE};
	if (strcmp(path, "-") == 0) {
		if (fstat(written ? STDOUT_FILENO : STDIN_FILENO, &status) == 0)
			take_status(identity, &status);
		return;
	}
	snprintf(at, sizeof(at), "%s", path);
	for (unsigned links = 0; links < LINKS_MAX; links++) {
		if (stat(at, &status) == 0) {
			take_status(identity, &status);
			return;
		}
		if (errno != ENOENT)
			return; /* opening it reports why */
		if (!follow_link(at, sizeof(at))) {
			take_new(identity, at);
			return;
		}
	}
}

static bool is_same(const struct identity *a, const struct identity *b)
{
	return a->kind == b->kind && a->kind != IDENTITY_NONE && a->type == b->type &&
	       a->device == b->device && a->inode == b->inode &&
	       (a->kind == IDENTITY_THERE || strcmp(a->name, b->name) == 0);
}

/* May two such uses be of the same file? Terminals and sockets take both directions at once. */
static bool may_share(const struct file *a, const struct file *b)
{
	bool both = a->written && b->written;

	if (!a->written && !b->written)
		return true;
	switch (a->identity.type) {
	case S_IFCHR: return !both || major(a->identity.device) == MAJOR_MEMORY;
	case S_IFSOCK: return !both;
	default: return false;
	}
}

static const char *shown(const struct file *file)
{
	if (strcmp(file->path, "-") != 0)
		return file->path;
	return file->written ? "standard output" : "standard input";
}

/* How the command line names a file: its option, and the name if it is not the one that the message
 * begins with.
 */
static const char *named(char *text, size_t size, const struct file *file, const char *given)
{
	bool renamed = strcmp(file->path, given) != 0;

	snprintf(text, size, "%s%s%s", file->option, file->option[0] && renamed ? " " : "",
		renamed ? shown(file) : "");
	return text;
}

static void tell_conflict(const struct file *now, const struct file *before)
{
	const struct file *out = now->written ? now : before;
	const struct file *other = now->written ? before : now;
	char a[PATH_MAX + 64], b[PATH_MAX + 64];

	named(a, sizeof(a), other, out->path);
	if (!other->written)
		cli_error("%s: is the file that is read%s%s%s; write to another one", shown(out),
			a[0] ? " (" : "", a, a[0] ? ")" : "");
	else
		cli_error("%s: two outputs go to this file (%s and %s); each needs a file of its "
			  "own",
			shown(out), a, named(b, sizeof(b), out, out->path));
}

/* Traces of a batch, which may be any number: they are not in files. */
static char *const *traces;
static size_t trace_count;

void files_read_all(char *const *paths, size_t path_count)
{
	traces = paths;
	trace_count = path_count;
}

/* Is an output one of them? */
static bool is_trace(const struct file *out)
{
	static struct file trace;

	for (size_t i = 0; i < trace_count; i++) {
		if (strlen(traces[i]) >= sizeof(trace.path))
			continue;
		trace = (struct file){.written = false};
		strcpy(trace.path, traces[i]);
		identify(&trace.identity, trace.path, false);
		if (!is_same(&trace.identity, &out->identity) || may_share(&trace, out))
			continue;
		tell_conflict(out, &trace);
		return true;
	}
	return false;
}

static bool add(const char *option, const char *path, bool written)
{
	struct file *file = &files[count];

	if (count == FILES_MAX || strlen(path) >= sizeof(file->path)) {
		cli_error("%.100s: %s", path,
			count == FILES_MAX ? "too many files" : strerror(ENAMETOOLONG));
		return false;
	}
	file->written = written;
	snprintf(file->option, sizeof(file->option), "%s", option);
	strcpy(file->path, path);
	identify(&file->identity, path, written);
	if (written && is_trace(file))
		return false;
	for (unsigned i = 0; i < count; i++) {
		if (!is_same(&files[i].identity, &file->identity) || may_share(&files[i], file))
			continue;
		tell_conflict(file, &files[i]);
		return false;
	}
	count++;
	return true;
}

bool files_read(const char *option, const char *path)
{
	return add(option, path, false);
}

bool files_write(const char *option, const char *path)
{
	return add(option, path, true);
}

/* What files_open has opened and files_begin has not emptied; -1: none. */
static int unwritten = -1;

int files_open(const char *path)
{
	char writer[96];

	if (strcmp(path, "-") == 0)
		return STDOUT_FILENO;
	int fd = ear_output_file_open(path, writer, sizeof(writer));
	if (fd < 0 && errno == EWOULDBLOCK)
		cli_error(
			"%s: another program writes this file (%s); write to another one, or wait "
			"for its end",
			path, writer[0] ? writer : "which, is not known");
	else if (fd < 0)
		cli_error("%s: %s", path, strerror(errno));
	else
		unwritten = fd;
	return fd;
}

void files_begin(void)
{
	if (unwritten >= 0 && ear_output_file_empty(unwritten) != 0)
		cli_error("an output cannot be emptied: %s", strerror(errno));
	unwritten = -1;
}

/* Copy what a device name says after key, up to the next comma. False if it says nothing. */
static bool find_value(char value[PATH_MAX], const char *device, const char *key)
{
	const char *at = strstr(device, key);
	size_t length = at ? strcspn(at + strlen(key), ",") : 0;

	if (length == 0 || length >= PATH_MAX)
		return false;
	memcpy(value, at + strlen(key), length);
	value[length] = '\0';
	return true;
}

bool files_device(const char *device)
{
	char value[PATH_MAX];
	bool good = true;

	if (strncmp(device, "file:", 5) == 0)
		return files_read("-d", device + 5);
	if (strncmp(device, "sim:", 4) == 0) {
		if (find_value(value, device, "sim:"))
			good = files_read("-d", value);
		if (good && find_value(value, device, ",uart=") && strcmp(value, "-") != 0)
			good = files_write("-d uart=", value);
	}
	if (strncmp(device, "uart:", 5) == 0 && find_value(value, device, "uart:"))
		good = files_write("-d", value);
	if (strncmp(device, "tcp:", 4) == 0 && find_value(value, device, ",token-file="))
		good = files_read("-d token-file=", value);
	return good;
}

bool files_installed(char *path, size_t size, const char *name)
{
	char folder[64];

	snprintf(folder, sizeof(folder), "../share/earshot/%s", name);
	if (ear_own_file(path, size, folder, X_OK))
		return true;
	cli_error("%s is not there, seen from this program: it is not installed", folder);
	return false;
}
