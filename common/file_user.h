#ifndef EAR_FILE_USER_H
#define EAR_FILE_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Which process uses a file: its name and number, such as "screen, process 4711", for messages.
 *
 * Both functions write to who[0 .. size-1] and return true, or make it empty and return false if
 * the process is not known. Both ask the kernel through /proc.
 */

/* Who has the file at path open, such as a tty? Processes of other users are seen by root only. */
bool ear_file_user(char *who, size_t size, const char *path);

/* Who holds the exclusive lock (flock) of the file with this status? Any user's process. */
bool ear_file_lock_holder(char *who, size_t size, const struct stat *status);

#endif
