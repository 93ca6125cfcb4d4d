/* fsync(2) with its two special cases: descriptors that cannot be synced, and the folder that holds
 * a file's name.
 */
#include "common/sync.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int ear_sync_file(int fd)
{
	int result;

	do
		result = fsync(fd);
	while (result != 0 && errno == EINTR);
	if (result == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP)
		return 0;
	return EAR_E_IO;
}

int ear_sync_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];
	int length = slash ? (int)(slash - path) + (slash == path) : 1;

	snprintf(folder, sizeof(folder), "%.*s", length, slash ? path : ".");
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == EACCES ? 0 : EAR_E_IO; /* may be written to, but not opened */
	int result = ear_sync_file(fd);
	int number = errno;
	close(fd);
	errno = number;
	return result;
}
