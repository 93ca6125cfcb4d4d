/* Source files are kept whole, with where each line begins, in a list by path; one that cannot be
 * read is kept as empty, so that it is tried once. When all together are too large they are
 * forgotten: a trace is in few files for long.
 */
#include "cli/input/source_lines.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/printable.h"

#define FILES_MAX 256

struct file {
	char *path;
	char *bytes;
	size_t size;
	uint32_t *begins; /* of line i + 1 */
	uint32_t count;
};

struct source_lines {
	struct file files[FILES_MAX];
	size_t count, size;
	char text[SOURCE_LINE_MAX + 4];
};

struct source_lines *source_lines_new(void)
{
	return calloc(1, sizeof(struct source_lines));
}

static void forget(struct source_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		free(lines->files[i].path);
		free(lines->files[i].bytes);
		free(lines->files[i].begins);
	}
	lines->count = lines->size = 0;
}

void source_lines_free(struct source_lines *lines)
{
	if (!lines)
		return;
	forget(lines);
	free(lines);
}

/* Not a device, and not a pipe, which may wait. Returns -1 for what is no regular file. */
static int open_regular(const char *path, struct stat *status)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0 && (fstat(fd, status) != 0 || !S_ISREG(status->st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

bool source_lines_readable(const char *path)
{
	struct stat status;
	int fd = open_regular(path, &status);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The bytes of a file, as far as they come. */
static void read_file(struct file *file)
{
	struct stat status;
	int fd = open_regular(file->path, &status);

	if (fd < 0)
		return;
	if (status.st_size > 0 && status.st_size <= (off_t)SOURCE_FILE_MAX)
		file->bytes = malloc((size_t)status.st_size);
	while (file->bytes && file->size < (size_t)status.st_size) {
		ssize_t got =
			read(fd, file->bytes + file->size, (size_t)status.st_size - file->size);
		if (got <= 0)
			break;
		file->size += (size_t)got;
	}
	close(fd);
}

static void find_lines(struct file *file)
{
	uint32_t count = 0;

	for (size_t i = 0; i < file->size; i++)
		count += i == 0 || file->bytes[i - 1] == '\n';
	file->begins = calloc((size_t)count + 1, sizeof(*file->begins));
	for (size_t i = 0; file->begins && i < file->size; i++)
		if (i == 0 || file->bytes[i - 1] == '\n')
			file->begins[file->count++] = (uint32_t)i;
}

static const struct file *find_file(struct source_lines *lines, const char *path)
{
	for (size_t i = 0; i < lines->count; i++)
		if (strcmp(lines->files[i].path, path) == 0)
			return &lines->files[i];
	if (lines->count == FILES_MAX || lines->size > SOURCE_ALL_MAX - SOURCE_FILE_MAX)
		forget(lines);
	struct file *file = &lines->files[lines->count];
	*file = (struct file){.path = strdup(path)};
	if (!file->path)
		return NULL;
	read_file(file);
	find_lines(file);
	lines->size += file->size;
	lines->count++;
	return file;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* A character that was cut in its middle is left out. */
static size_t whole_characters(const char *text, size_t size)
{
	size_t end = size;

	while (end > 0 && size - end < 4 && ((unsigned char)text[end - 1] & 0xC0) == 0x80)
		end--;
	if (end > 0 && size - end < 3 && (unsigned char)text[end - 1] >= 0xC0)
		end--;
	return ear_printable_span(text + end, size - end, EAR_PRINTABLE_LINE) == size - end ? size
											    : end;
}

/* What may not be shown becomes "?", so that a line of such characters is not four times as long.
 */
static void make_plain(char *text, size_t size)
{
	for (size_t at = 0; at < size;) {
		at += ear_printable_span(text + at, size - at, EAR_PRINTABLE_LINE);
		if (at < size) {
			text[at] = text[at] == '\t' ? ' ' : '?';
			at++;
		}
	}
}

static const char *find(
	struct source_lines *lines, const char *path, uint32_t number, bool indented)
{
	const struct file *file = number > 0 ? find_file(lines, path) : NULL;

	if (!file || number > file->count)
		return NULL;
	size_t begin = file->begins[number - 1];
	size_t end = number < file->count ? file->begins[number] - 1u : file->size;
	if (end > begin && file->bytes[end - 1] == '\n')
		end--;
	while (end > begin && is_blank(file->bytes[end - 1]))
		end--;
	size_t text = begin;
	while (text < end && is_blank(file->bytes[text]))
		text++;
	if (!indented)
		begin = text;
	size_t size = end - begin;
	const bool cut = size > SOURCE_LINE_MAX;
	if (cut)
		size = whole_characters(file->bytes + begin, SOURCE_LINE_MAX);
	memcpy(lines->text, file->bytes + begin, size);
	const size_t blanks = text - begin < size ? text - begin : size;
	make_plain(lines->text + blanks, size - blanks);
	strcpy(lines->text + size, cut ? ".." : "");
	return lines->text;
}

const char *source_lines_find(struct source_lines *lines, const char *path, uint32_t number)
{
	const char *text = find(lines, path, number, false);

	return text ? text : "";
}

const char *source_lines_indented(struct source_lines *lines, const char *path, uint32_t number)
{
	return find(lines, path, number, true);
}
