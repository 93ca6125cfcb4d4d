#ifndef EAR_OUTPUT_FILE_H
#define EAR_OUTPUT_FILE_H

#include <stddef.h>

/* Open a file for writing, empty, and lock it (flock) for as long as it is open, so that no two
 * programs write the same file. What is not a regular file is opened as it is.
 *
 * The lock ends with the process, so none is ever left over. On a file system without locks, the
 * file is not locked.
 *
 * Returns the descriptor, or -1 with errno. errno EWOULDBLOCK: another process writes this file,
 * which was not touched; who[0 .. size-1] names the process, or is empty if it is not known.
 */
int ear_output_file_open(const char *path, char *who, size_t size);

#endif
