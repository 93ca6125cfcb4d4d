/* What Earshot keeps beside the files of a qtrace. */
#include "formats/qtrace/qtrace_mark.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BEGIN "earshot 1\n"

static ssize_t read_some(int fd, char *text, size_t size)
{
	size_t used = 0;

	while (used < size) {
		ssize_t got = read(fd, text + used, size - used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return got;
		if (got == 0)
			break;
		used += (size_t)got;
	}
	return (ssize_t)used;
}

static int parse(struct ear_qtrace_mark *mark, const char *text)
{
	if (strcmp(text, BEGIN "isa rv32\n") == 0)
		mark->xlen = 32;
	else if (strcmp(text, BEGIN "isa rv64\n") == 0)
		mark->xlen = 64;
	else if (strcmp(text, BEGIN) != 0)
		return EAR_E_BAD_FILE;
	return 0;
}

int ear_qtrace_mark_read(struct ear_qtrace_mark *mark, int folder)
{
	char text[EAR_QTRACE_MARK_MAX + 1];
	int fd = openat(folder, EAR_QTRACE_MARK_NAME, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*mark = (struct ear_qtrace_mark){0};
	if (fd < 0)
		return errno == ENOENT ? 0 : EAR_E_IO;
	ssize_t size = read_some(fd, text, EAR_QTRACE_MARK_MAX);
	close(fd);
	if (size < 0)
		return EAR_E_IO;
	text[size] = '\0';
	return parse(mark, text);
}

int ear_qtrace_mark_write(const struct ear_qtrace_mark *mark, int folder)
{
	char text[64];
	int size = mark->xlen ? snprintf(text, sizeof(text), BEGIN "isa rv%u\n", mark->xlen)
			      : snprintf(text, sizeof(text), BEGIN);
	int fd = openat(folder, EAR_QTRACE_MARK_NAME,
		O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | (mark->xlen ? O_CREAT : 0), 0666);

	if (fd < 0)
		return errno == ENOENT && mark->xlen == 0 ? 0 : EAR_E_IO;
	ssize_t done = write(fd, text, (size_t)size);
	int number = errno;
	close(fd);
	errno = number;
	return done == size ? 0 : EAR_E_IO;
}
