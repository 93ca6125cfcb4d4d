#ifndef EAR_OUTPUT_FILE_H
#define EAR_OUTPUT_FILE_H

#include <stddef.h>

/* Open a file for writing, made if it is missing, and lock it (flock) for as long as it is open, so
 * that no two programs write the same file. What is not a regular file is opened as it is.
 *
 * The lock ends with the process, so none is ever left over. On a file system without locks, the
 * file is not locked.
 *
 * The file keeps what it holds: ear_output_file_empty empties it, when there is something to write.
 *
 * Returns the descriptor, or -1 with errno. errno EWOULDBLOCK: another process writes this file,
 * which was not touched; who[0 .. size-1] names the process, or is empty if it is not known.
 */
int ear_output_file_open(const char *path, char *who, size_t size);

/* Empty it; what is not a regular file stays as it is. Returns 0, or -1 with errno. */
int ear_output_file_empty(int fd);

#endif
