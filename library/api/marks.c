/* The file of marks beside a trace. It is small, so it is read as a whole for each question, and
 * written as a whole: into a temporary file, which is locked from before the old one is read until
 * it takes its name. So no mark of another program is lost, and a reader sees all or nothing.
 *
 * Which trace it belongs to is recorded as for an index (library/index/file/index_identity.h).
 */
#include <earshot/marks.h>

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/sync.h"
#include "common/versioned.h"
#include "library/api/meter.h"
#include "library/api/trace_internal.h"
#include "library/index/file/index_identity.h"

#define LETTERS    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."
#define FIRST_LINE "earshot-marks 1\n"
#define FILE_MAX   ((size_t)1 << 20) /* bytes */
#define PATH_SIZE  4200
#define LOCK_TRIES 200 /* of 10 ms */

/* What the file says. */
struct marks {
	struct ear_index_identity identity;
	struct ear_mark *items; /* EAR_MARKS_MAX */
	size_t count;
	bool exists;
};

/* The trace as it is now. */
struct compared {
	struct ear_index_identity identity;
	bool stale, untouched; /* against the file, if that exists */
};

bool ear_mark_name_check(const char *name)
{
	size_t size = strspn(name, LETTERS), digits = size;

	while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	return size > 0 && size < EAR_MARK_NAME_SIZE && name[size] == '\0' &&
	       !strchr("0123456789-.", name[0]) && (digits == size || name[digits - 1] != '-');
}

/* ---- Reading. ---- */

static bool take_number(const char **at, uint64_t *value, int base, char end)
{
	char *stop;

	if (**at < '0' || (**at > '9' && (base == 10 || **at < 'a' || **at > 'f')))
		return false;
	errno = 0;
	*value = strtoull(*at, &stop, base);
	*at = stop + 1;
	return errno == 0 && *stop == end;
}

static bool take_word(const char **at, const char *word)
{
	size_t size = strlen(word);
	bool has = strncmp(*at, word, size) == 0;

	*at += has ? size : 0;
	return has;
}

static struct ear_mark *find(const struct marks *marks, const char *name)
{
	for (size_t i = 0; i < marks->count; i++)
		if (strcmp(marks->items[i].name, name) == 0)
			return &marks->items[i];
	return NULL;
}

static bool take_mark(struct marks *marks, const char **at)
{
	struct ear_mark mark = {0};
	size_t size = strcspn(*at, " \n");

	if (size >= sizeof(mark.name) || (*at)[size] != ' ' || marks->count == EAR_MARKS_MAX)
		return false;
	memcpy(mark.name, *at, size);
	*at += size + 1;
	if (!ear_mark_name_check(mark.name) || find(marks, mark.name) ||
		!take_number(at, &mark.number, 10, ' ') ||
		!take_number(at, &mark.position, 10, '\n'))
		return false;
	marks->items[marks->count++] = mark;
	return true;
}

/* The text of a file, with a 0 after it. */
static bool parse(struct marks *marks, const char *text, size_t size)
{
	struct ear_index_identity *identity = &marks->identity;
	const char *at = text;

	marks->count = 0;
	*identity = (struct ear_index_identity){0};
	if (!take_word(&at, FIRST_LINE "trace ") || !take_number(&at, &identity->size, 10, ' ') ||
		!take_number(&at, &identity->time, 10, ' ') ||
		!take_number(&at, &identity->change, 10, ' ') ||
		!take_number(&at, &identity->checksum, 16, '\n'))
		return false;
	while (take_word(&at, "mark "))
		if (!take_mark(marks, &at))
			return false;
	return take_word(&at, "end\n") && at == text + size;
}

static int fail_io(struct ear_trace *trace, const char *what, const char *path)
{
	return ear_trace_fail(trace, EAR_E_IO, "%s %s: %s", what, path, strerror(errno));
}

static int fail_bad(struct ear_trace *trace, const char *path)
{
	return ear_trace_fail(trace, EAR_E_BAD_FILE,
		"%s is damaged, or is not a file of marks: it is left as it is", path);
}

/* Returns 0, also if there is no such file, or an error. */
static int read_file(struct ear_trace *trace, struct marks *marks, const char *path)
{
	char *text = NULL;
	size_t size = 0;
	struct stat status;
	ssize_t got = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return errno == ELOOP ? fail_bad(trace, path) : fail_io(trace, "reading", path);
	int result = EAR_E_BAD_FILE;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
		(uint64_t)status.st_size <= FILE_MAX)
		result = (text = malloc(FILE_MAX + 1)) ? 0 : EAR_E_NO_MEMORY;
	while (result == 0 && size < FILE_MAX &&
		((got = read(fd, text + size, FILE_MAX - size)) > 0 || (got < 0 && errno == EINTR)))
		size += got > 0 ? (size_t)got : 0;
	if (result == 0 && got < 0)
		result = fail_io(trace, "reading", path);
	if (result == 0) {
		text[size] = '\0';
		marks->exists = parse(marks, text, size);
	}
	if (result == EAR_E_BAD_FILE || (result == 0 && !marks->exists))
		result = fail_bad(trace, path);
	else if (result == EAR_E_NO_MEMORY)
		ear_trace_fail(trace, result, "out of memory");
	free(text);
	close(fd);
	return result;
}

static int report_progress(void *context, uint64_t done, uint64_t total)
{
	struct ear_meter *meter = context;

	meter->done = done;
	meter->total = total;
	return ear_meter_ask(meter);
}

/* Is the trace the one of which the marks are? With whole, the checksum of all its bytes is
 * known then, unless nobody wrote to it. */
static int compare(struct ear_trace *trace, const struct marks *marks, bool whole,
	struct compared *now, const struct ear_progress *progress)
{
	struct ear_index_content content = {0};
	struct ear_meter meter;
	int fd = open(trace->path, O_RDONLY | O_CLOEXEC);

	*now = (struct compared){0};
	if (fd < 0)
		return fail_io(trace, "reading", trace->path);
	int result = ear_index_identity_of(&now->identity, fd, "", 0);
	now->untouched = result == 0 && marks->exists &&
			 ear_index_identity_is_untouched(&marks->identity, &now->identity);
	if (now->untouched)
		now->identity = marks->identity;
	ear_meter_begin(&meter, progress, "comparing the trace with its marks", now->identity.size);
	now->stale = marks->exists && marks->identity.size > now->identity.size;
	if (result == 0 && marks->exists && !now->untouched && !now->stale) {
		result = ear_index_content_read(
			&content, fd, marks->identity.size, report_progress, &meter);
		now->stale = ear_checksum_value(&content.checksum) != marks->identity.checksum;
	}
	if (result == 0 && whole && !now->untouched && !now->stale) {
		result = ear_index_content_read(
			&content, fd, now->identity.size, report_progress, &meter);
		now->identity.checksum = ear_checksum_value(&content.checksum);
	}
	if (result == EAR_E_BAD_FILE) { /* it became shorter just now */
		now->stale = true;
		result = 0;
	}
	if (result == EAR_E_IO)
		result = fail_io(trace, "reading", trace->path);
	else if (result == EAR_E_CANCELLED)
		ear_trace_fail(trace, result, "cancelled");
	else if (result)
		ear_trace_fail(trace, result, "marks are beside a trace that is one file");
	close(fd);
	return result;
}

/* ---- The whole. ---- */

static int begin(struct ear_trace *trace, struct marks *marks, char path[PATH_SIZE])
{
	*marks = (struct marks){0};
	if (!trace->path[0] || !trace->seekable || trace->folder)
		return ear_trace_fail(
			trace, EAR_E_UNSUPPORTED, "marks are beside a trace that is one file");
	if (snprintf(path, PATH_SIZE, "%s.marks", trace->path) >= PATH_SIZE - 8)
		return ear_trace_fail(
			trace, EAR_E_UNSUPPORTED, "the name of the trace is too long");
	marks->items = calloc(EAR_MARKS_MAX, sizeof(*marks->items));
	return marks->items ? 0 : ear_trace_fail(trace, EAR_E_NO_MEMORY, "out of memory");
}

static int by_position(const void *a, const void *b)
{
	const struct ear_mark *left = a, *right = b;

	if (left->position != right->position)
		return left->position < right->position ? -1 : 1;
	return strcmp(left->name, right->name);
}

int64_t ear_trace_marks(struct ear_trace *trace, struct ear_mark *marks, size_t mark_size,
	size_t max, const struct ear_progress *progress)
{
	char path[PATH_SIZE];
	struct compared now;
	struct marks own;

	int64_t result = begin(trace, &own, path);
	if (result == 0)
		result = read_file(trace, &own, path);
	if (result == 0 && own.exists)
		result = compare(trace, &own, false, &now, progress);
	if (result == 0) {
		qsort(own.items, own.count, sizeof(*own.items), by_position);
		for (size_t i = 0; i < own.count && i < max; i++) {
			own.items[i].stale = now.stale;
			ear_versioned_element(
				marks, mark_size, i, &own.items[i], sizeof(*own.items));
		}
		result = (int64_t)own.count;
	}
	free(own.items);
	return result;
}

int ear_trace_find_mark(struct ear_trace *trace, const char *name, uint64_t *position,
	const struct ear_progress *progress)
{
	const struct ear_mark *mark = NULL;
	struct compared now = {0};
	char path[PATH_SIZE];
	struct marks marks;
	uint64_t number = 0;

	int result = begin(trace, &marks, path);
	if (result == 0)
		result = read_file(trace, &marks, path);
	if (result == 0 && !(mark = find(&marks, name)))
		ear_trace_fail(trace, 0, "there is no mark '%.63s' in %s", name, path);
	if (mark)
		result = compare(trace, &marks, false, &now, progress);
	if (result == 0 && now.stale)
		result = ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
			"the trace has changed since '%.63s' was marked: remove %s, or its marks",
			name, path);
	else if (result == 0 && mark) {
		*position = mark->position;
		number = mark->number;
		result = ear_trace_seek(trace, *position, progress);
		if (result >= 0)
			result = 1;
	}
	if (result == 1 &&
		(ear_trace_position(trace) != *position || ear_trace_number(trace) != number))
		result = ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
			"'%.63s' was marked before #%" PRIu64
			" of the trace as it was read then: it is read with other options now",
			name, number);
	free(marks.items);
	return result;
}

/* ---- Writing. ---- */

static bool is_same_file(int fd, const char *path)
{
	struct stat here, there;

	return fstat(fd, &here) == 0 && lstat(path, &there) == 0 && here.st_dev == there.st_dev &&
	       here.st_ino == there.st_ino;
}

/* The temporary file, locked and empty: its descriptor, or an error. Who waited for the lock may
 * have a file that became the one of marks meanwhile. */
static int open_temporary(struct ear_trace *trace, const char *path)
{
	struct stat status;
	mode_t mode = stat(trace->path, &status) == 0 ? status.st_mode & 0666 : 0;

	for (int i = 0; i < LOCK_TRIES; i++) {
		int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
			mode | S_IRUSR | S_IWUSR);
		if (fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode)) {
			if (fd >= 0) {
				close(fd);
				errno = EEXIST;
			}
			return fail_io(trace, "writing", path);
		}
		/* A file system without locks has none. */
		bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
		if (locked && is_same_file(fd, path) && ftruncate(fd, 0) == 0)
			return fd;
		close(fd);
		if (!locked)
			nanosleep(&(const struct timespec){0, 10000000}, NULL);
	}
	return ear_trace_fail(trace, EAR_E_IO, "another program is writing %s", path);
}

static int write_marks(struct ear_trace *trace, const struct marks *marks, int fd,
	const char *temporary, const char *path)
{
	const struct ear_index_identity *identity = &marks->identity;
	FILE *file = fdopen(fd, "w");

	if (!file) {
		unlink(temporary);
		close(fd);
		return ear_trace_fail(trace, EAR_E_NO_MEMORY, "out of memory");
	}
	fprintf(file, FIRST_LINE "trace %" PRIu64 " %" PRIu64 " %" PRIu64 " %016" PRIx64 "\n",
		identity->size, identity->time, identity->change, identity->checksum);
	for (size_t i = 0; i < marks->count; i++)
		fprintf(file, "mark %s %" PRIu64 " %" PRIu64 "\n", marks->items[i].name,
			marks->items[i].number, marks->items[i].position);
	fputs("end\n", file);
	bool good = fflush(file) == 0 && !ferror(file) && ear_sync_file(fd) == 0 &&
		    rename(temporary, path) == 0;
	int result = good ? 0 : fail_io(trace, "writing", path);
	if (!good)
		unlink(temporary);
	fclose(file);
	if (good)
		(void)ear_sync_name(path);
	return result;
}

/* Change the marks: without mark delete the one of that name, or all. Returns 1, 0 or an error. */
static int change(
	struct ear_trace *trace, const char *name, const struct ear_mark *mark, struct marks *marks)
{
	struct ear_mark *old = name ? find(marks, name) : NULL;

	if (!mark) {
		if (name ? !old : marks->count == 0)
			return name ? ear_trace_fail(trace, 0, "there is no mark '%.63s'", name)
				    : ear_trace_fail(trace, 0, "there are no marks");
		if (name)
			*old = marks->items[--marks->count];
		else
			marks->count = 0;
		return 1;
	}
	if (!old && marks->count == EAR_MARKS_MAX)
		return ear_trace_fail(
			trace, EAR_E_FULL, "there are %u marks already", EAR_MARKS_MAX);
	*(old ? old : &marks->items[marks->count++]) = *mark;
	return 1;
}

/* The same in the file, whose temporary one is fd and is closed. */
static int replace_in(struct ear_trace *trace, const char *name, const struct ear_mark *mark,
	struct marks *marks, int fd, const char *temporary, const char *path,
	const struct ear_progress *progress)
{
	struct compared now = {0};

	int result = read_file(trace, marks, path);
	if (result == 0 && mark)
		result = compare(trace, marks, true, &now, progress);
	if (result == 0 && now.stale)
		result = ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
			"the trace has changed since it was marked: remove %s, or its marks", path);
	if (result == 0 && mark)
		marks->identity = now.identity;
	if (result == 0)
		result = change(trace, name, mark, marks);
	if (result == 1 && marks->count > 0) {
		result = write_marks(trace, marks, fd, temporary, path);
		return result ? result : 1;
	}
	if (result == 1 && unlink(path))
		result = fail_io(trace, "removing", path);
	unlink(temporary);
	close(fd);
	return result;
}

static int replace(struct ear_trace *trace, const char *name, const struct ear_mark *mark,
	const struct ear_progress *progress)
{
	char path[PATH_SIZE], temporary[PATH_SIZE + 8];
	struct marks marks;

	int result = begin(trace, &marks, path);
	if (result == 0) {
		snprintf(temporary, sizeof(temporary), "%s.tmp", path);
		int fd = open_temporary(trace, temporary);
		result = fd < 0 ? fd
				: replace_in(
					  trace, name, mark, &marks, fd, temporary, path, progress);
	}
	free(marks.items);
	return result;
}

int ear_trace_mark(struct ear_trace *trace, const char *name, uint64_t position,
	const struct ear_progress *progress)
{
	struct ear_mark mark = {.position = position};

	if (!ear_mark_name_check(name))
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
			"a mark is called by letters, digits, '_', '-' and '.', at most %d, and no "
			"number in front, nor after a '-' at the end",
			EAR_MARK_NAME_SIZE - 1);
	snprintf(mark.name, sizeof(mark.name), "%s", name);
	int result = ear_trace_seek(trace, position, progress);
	if (result < 0)
		return result;
	mark.number = ear_trace_number(trace);
	if (ear_trace_position(trace) != position)
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
			"the trace ends before record %" PRIu64, position);
	result = replace(trace, name, &mark, progress);
	return result == 1 ? 0 : result;
}

int ear_trace_unmark(struct ear_trace *trace, const char *name, const struct ear_progress *progress)
{
	return replace(trace, name, NULL, progress);
}
