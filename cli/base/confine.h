#ifndef EAR_CONFINE_H
#define EAR_CONFINE_H

#include "common/sandbox/sandbox.h"

/* Which rights a command gives up, and when (docs/security.md, section 3). */

/* Before any of the next four: a trace that will be read, or NULL for none. Capstone is loaded
 * before rights are given up, unless all that is named here is none or a file of a capture, whose
 * instructions are RISC-V. Without this call it is loaded, too. */
void confine_trace(const char *path);

/* Before a command opens the first of its files, and so before it reads the first byte: from now on
 * only these can be opened. The lists end with NULL; "-" needs no right.
 */
void confine_files(const char *const *reads, const char *const *writes);

/* The same for a command that reads a trace by its index: any file is read, because a capture names
 * its program, and an index is written and replaced under one of these names.
 */
void confine_index(const char *const *indexes);

/* The same for one that also has the screen of a terminal. */
void confine_screen(const char *const *indexes);

/* The same for a command that reads files and folders, of which there may be any number, and fills
 * folders, which are there. Both lists end with NULL. */
void confine_folders(const char *const *reads, const char *const *folders);

/* What a command with a device never needs: before the device is opened. */
void confine_before_device(void);

/* The device is open, and its program runs if it is one. */
void confine_device(void);

/* The device is open, and the server listens. device: its name. */
void confine_server(const char *device);

/* The socket listens, all files are open: nothing else is opened. */
void confine_web(void);

#endif
