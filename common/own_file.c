/* Files beside the program. The kernel knows where the program is, so neither a configured prefix
 * nor the current folder is needed, and a tree that is moved after it was installed still works.
 */
#include "common/own_file.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

bool ear_own_file(char *path, size_t size, const char *relative, int mode)
{
	char found[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", found, sizeof(found) - 1);

	if (length <= 0)
		return false;
	found[length] = '\0';
	char *slash = strrchr(found, '/');
	while (slash && strncmp(relative, "../", 3) == 0) {
		relative += 3;
		*slash = '\0';
		slash = strrchr(found, '/');
	}
	if (!slash || (size_t)(slash + 1 - found) + strlen(relative) >= sizeof(found))
		return false;
	strcpy(slash + 1, relative);
	if (strlen(found) >= size || access(found, mode) != 0)
		return false;
	strcpy(path, found);
	return true;
}
