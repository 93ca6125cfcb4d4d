#ifndef EAR_OUTLET_H
#define EAR_OUTLET_H

#include <stdbool.h>
#include <stddef.h>

/* Whatever this program prints goes through here: stdout and stderr become streams that let pass
 * only what may be shown (common/printable.h), lines of it. So no message and no table can forget
 * to clean what came from a file, a device or the network. Bytes that are written to the
 * descriptors themselves, which are capture files and texts (decoder/text/text_output.h), do not.
 *
 * To be called once, before anything is printed. Without memory for it everything is as it was.
 */
void outlet_install(void);

/* The end of a process: everything that a command printed has arrived, also what the system reports
 * only when the file is closed, as of a full disk. A reader that left (head) is not a failure.
 * Returns status, or EAR_EXIT_FAILED after printing why. */
int outlet_finish(int status);

/* Bytes that are clean, or are not to be cleaned, to a descriptor. False with errno. */
bool outlet_write(int fd, const char *bytes, size_t size);

#endif
