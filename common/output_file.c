/* Opening a file that is written. The lock comes before the file is emptied: the file of another
 * capture is not touched. The kernel's list of locks (proc(5), /proc/locks) tells whose it is.
 */
#include "common/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void name_process(char *who, size_t size, int pid)
{
	char path[64], name[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (file && fgets(name, sizeof(name), file))
		name[strcspn(name, "\n")] = '\0';
	if (file)
		fclose(file);
	snprintf(who, size, "%s, process %d", name[0] ? name : "a program", pid);
}

/* Who holds the lock of this file? */
static void find_writer(char *who, size_t size, const struct stat *status)
{
	FILE *locks = fopen("/proc/locks", "re");
	char line[256];

	who[0] = '\0';
	while (locks && !who[0] && fgets(line, sizeof(line), locks)) {
		unsigned long long inode;
		unsigned int high, low;
		int pid;

		if (sscanf(line, "%*s FLOCK %*s WRITE %d %x:%x:%llu", &pid, &high, &low, &inode) ==
				4 &&
			pid > 0 && inode == status->st_ino && high == major(status->st_dev) &&
			low == minor(status->st_dev))
			name_process(who, size, pid);
	}
	if (locks)
		fclose(locks);
}

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
	if (!regular || (!taken && ftruncate(fd, 0) == 0))
		return fd;
	int number = taken ? EWOULDBLOCK : errno;
	close(fd);
	if (taken)
		find_writer(who, size, &status);
	errno = number;
	return -1;
}
