#include "driver/tools/file_in_use.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Is one of the descriptors in this folder, /proc/N/fd, open on the file? */
static bool has_open(const char *folder, const char *path)
{
	DIR *descriptors = opendir(folder);
	const struct dirent *entry;
	bool found = false;

	if (!descriptors)
		return false; /* not ours to see, or it has just ended */
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

static void name_process(char *who, size_t size, const char *number)
{
	char path[64], name[32] = "a program";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", number);
	file = fopen(path, "re");
	if (file && fgets(name, sizeof(name), file))
		name[strcspn(name, "\n")] = '\0';
	if (file)
		fclose(file);
	snprintf(who, size, "%s, process %s", name, number);
}

bool ear_file_in_use(char *who, size_t size, const char *path)
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
