#include "cli/common_prefix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_SIZE (1u << 20)
#define LINES_LEFT 2000 /* more than a window and its context */

/* Where the last lines began: a ring of the bytes and records before each. */
struct mark {
	uint64_t bytes, records;
};

struct scan {
	struct common_prefix *prefix;
	struct mark marks[LINES_LEFT];
	uint64_t lines, records;
	uint64_t line_begin; /* offset of the line that the next byte belongs to */
	char first;          /* its first byte, if seen */
	bool plain;          /* only header lines and records so far */
};

static bool is_regular(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

static ssize_t read_at(int fd, char *bytes, size_t size, uint64_t offset)
{
	ssize_t got;

	do
		got = pread(fd, bytes, size, (off_t)offset);
	while (got < 0 && errno == EINTR);
	return got;
}

static size_t common_size(const char *a, const char *b, size_t size)
{
	size_t low = 0;

	if (memcmp(a, b, size) == 0)
		return size;
	while (size - low > 64) {
		size_t half = (size - low) / 2;
		if (memcmp(a + low, b + low, half) == 0)
			low += half;
		else
			size = low + half;
	}
	while (a[low] == b[low])
		low++;
	return low;
}

/* A line ended behind end. */
static void end_line(struct scan *scan, uint64_t end)
{
	bool record = (scan->first >= '0' && scan->first <= '9') ||
		      (scan->first >= 'a' && scan->first <= 'f');

	scan->plain &= record || scan->first == 'p';
	scan->lines++;
	scan->records += record;
	scan->marks[scan->lines % LINES_LEFT] = (struct mark){end, scan->records};
	scan->line_begin = end;
}

static void scan_chunk(struct scan *scan, const char *bytes, size_t size, uint64_t offset)
{
	size_t at = 0;

	while (at < size && scan->plain) {
		if (offset + at == scan->line_begin)
			scan->first = bytes[at];
		const char *newline = memchr(bytes + at, '\n', size - at);
		if (!newline)
			return;
		at = (size_t)(newline - bytes) + 1;
		end_line(scan, offset + at);
	}
}

static bool take_header(struct common_prefix *prefix, const char *bytes, size_t size)
{
	const char *newline = memchr(bytes, '\n', size);

	prefix->header_size = newline ? (size_t)(newline - bytes) + 1 : SIZE_MAX;
	if (prefix->header_size > sizeof(prefix->header) || memcmp(bytes, "pc,", 3) != 0)
		return false;
	memcpy(prefix->header, bytes, prefix->header_size);
	return true;
}

/* The files chunk by chunk, as long as they agree. */
static void scan_files(struct scan *scan, int fd_a, int fd_b, char *a, char *b)
{
	uint64_t offset = 0;

	for (;;) {
		ssize_t size_a = read_at(fd_a, a, CHUNK_SIZE, offset);
		ssize_t size_b = read_at(fd_b, b, CHUNK_SIZE, offset);
		size_t size = (size_t)(size_a < size_b ? size_a : size_b);
		if (size_a <= 0 || size_b <= 0 ||
			(offset == 0 && (size < 3 || !take_header(scan->prefix, a, size))))
			return;
		size_t same = common_size(a, b, size);
		scan_chunk(scan, a, same, offset);
		offset += same;
		if (same < CHUNK_SIZE || !scan->plain)
			return;
	}
}

void common_prefix_find(struct common_prefix *prefix, int fd_a, int fd_b)
{
	struct scan *scan = calloc(1, sizeof(*scan));
	char *buffers = malloc(2 * CHUNK_SIZE);

	prefix->bytes = 0;
	if (scan && buffers && is_regular(fd_a) && is_regular(fd_b)) {
		scan->prefix = prefix;
		scan->plain = true;
		scan_files(scan, fd_a, fd_b, buffers, buffers + CHUNK_SIZE);
		if (scan->plain && scan->lines >= 2 * LINES_LEFT) {
			/* The oldest mark in the ring: LINES_LEFT - 1 lines back. */
			const struct mark *mark = &scan->marks[(scan->lines + 1) % LINES_LEFT];
			prefix->bytes = mark->bytes;
			prefix->records = mark->records;
			prefix->lines = scan->lines - (LINES_LEFT - 1);
		}
	}
	free(buffers);
	free(scan);
}
