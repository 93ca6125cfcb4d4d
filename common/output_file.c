/* Opening a file that is written. O_TRUNC would empty it before anybody could look: the file of
 * another capture, or the result of an earlier command whose input turns out to be none.
 */
#include "common/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file_user.h"

int ear_output_file_open(const char *path, char *who, size_t size)
{
	struct stat status;
	bool regular;
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	who[0] = '\0';
	if (fd < 0)
		return -1;
	regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
	bool taken = regular && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	if (!taken)
		return fd;
	close(fd);
	ear_file_lock_holder(who, size, &status);
	errno = EWOULDBLOCK;
	return -1;
}

int ear_output_file_empty(int fd)
{
	struct stat status;

	return fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ? 0 : ftruncate(fd, 0);
}
