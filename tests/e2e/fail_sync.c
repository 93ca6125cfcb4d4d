/* A library to preload: notes each fsync of a file, and lets those of one file fail, or its close.
 *
 *     SYNC_LOG=FILE    the names of what is synced, one a line
 *     SYNC_FAIL=NAME   fsync of files whose name ends so gives EIO
 *     CLOSE_FAIL=NAME  and close of such files
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Does the name of an open file end with what this variable says? */
static bool is_meant(int fd, const char *variable, char *name, size_t size)
{
	const char *end = getenv(variable);
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, name, size - 1);
	name[length < 0 ? 0 : length] = '\0';
	return end && length >= (ssize_t)strlen(end) &&
	       strcmp(name + length - (ssize_t)strlen(end), end) == 0;
}

int fsync(int fd)
{
	char name[4096];
	bool fail = is_meant(fd, "SYNC_FAIL", name, sizeof(name));
	const char *log = getenv("SYNC_LOG");
	FILE *file = log ? fopen(log, "a") : NULL;

	if (file) {
		fprintf(file, "%s\n", name);
		fclose(file);
	}
	if (!fail)
		return fdatasync(fd);
	errno = EIO;
	return -1;
}

int close(int fd)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
	char name[4096];
	bool fail = is_meant(fd, "CLOSE_FAIL", name, sizeof(name));
	int result = real(fd);

	if (!fail)
		return result;
	errno = EIO;
	return -1;
}
