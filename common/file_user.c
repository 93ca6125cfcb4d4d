/* Who uses a file, by what the kernel lists below /proc (proc(5)). The holder of a lock is looked
 * up in /proc/locks, which names processes of all users; whoever merely has a file open appears
 * only among the descriptors of the process, so all processes are walked.
 */
#include "common/file_user.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void name_process(char *who, size_t size, const char *number)
{
	char path[64], name[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", number);
	file = fopen(path, "re");
	if (file && fgets(name, sizeof(name), file))
		name[strcspn(name, "\n")] = '\0';
	if (file)
		fclose(file);
	snprintf(who, size, "%s, process %s", name[0] ? name : "a program", number);
}

/* Is one of the descriptors in this folder, /proc/N/fd, open on the file? */
static bool has_open(const char *folder, const char *path)
{
	DIR *descriptors = opendir(folder);
	const struct dirent *entry;
	bool found = false;

	if (!descriptors)
		return false; /* another user's process, or one that has just ended */
	while (!found && (entry = readdir(descriptors))) {
		char name[64 + NAME_MAX], target[PATH_MAX];

		snprintf(name, sizeof(name), "%s/%s", folder, entry->d_name);
		ssize_t length = readlink(name, target, sizeof(target) - 1);
		if (length <= 0)
			continue;
		target[length] = '\0';
		found = strcmp(target, path) == 0;
	}
	closedir(descriptors);
	return found;
}

bool ear_file_user(char *who, size_t size, const char *path)
{
	DIR *processes = opendir("/proc");
	const struct dirent *entry;
	bool found = false;

	who[0] = '\0';
	if (!processes)
		return false;
	while (!found && (entry = readdir(processes))) {
		char folder[64];

		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		snprintf(folder, sizeof(folder), "/proc/%.20s/fd", entry->d_name);
		found = has_open(folder, path);
		if (found)
			name_process(who, size, entry->d_name);
	}
	closedir(processes);
	return found;
}

bool ear_file_lock_holder(char *who, size_t size, const struct stat *status)
{
	FILE *locks = fopen("/proc/locks", "re");
	char line[256];
	bool found = false;

	who[0] = '\0';
	while (locks && !found && fgets(line, sizeof(line), locks)) {
		unsigned long long inode;
		unsigned int high, low;
		char number[24];

		found = sscanf(line, "%*s FLOCK %*s WRITE %20[0-9] %x:%x:%llu", number, &high, &low,
				&inode) == 4 &&
			inode == status->st_ino && high == major(status->st_dev) &&
			low == minor(status->st_dev);
		if (found)
			name_process(who, size, number);
	}
	if (locks)
		fclose(locks);
	return found;
}
