#ifndef EAR_OWN_FILE_H
#define EAR_OWN_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Find a file that was built or installed together with the running program. relative is its path
 * relative to the folder of the program, such as "../share/earshot/NAME"; mode is that of
 * access(2).
 *
 * Returns true and the path, without "..", in path[0 .. size-1]; false if there is no such file, or
 * its path is too long.
 */
bool ear_own_file(char *path, size_t size, const char *relative, int mode);

#endif
