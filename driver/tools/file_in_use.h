#ifndef EAR_FILE_IN_USE_H
#define EAR_FILE_IN_USE_H

#include <stdbool.h>
#include <stddef.h>

/* Has a process this file open, such as a tty? Its name and number go into who, "" if there is
 * none. Processes of other users are seen by root only.
 */
bool ear_file_in_use(char *who, size_t size, const char *path);

#endif
