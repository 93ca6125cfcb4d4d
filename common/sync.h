#ifndef EAR_SYNC_H
#define EAR_SYNC_H

/* Data that survive a power cut: they are on the disk, not only in the system's memory. */

/* Wait until everything written to fd is on the disk. Nothing to do for a pipe or a terminal.
 * Returns 0, or EAR_E_IO (errno): data may be lost.
 */
int ear_sync_file(int fd);

/* The same for the entry of path in its folder, without which the file has no name after a power
 * cut. Returns as ear_sync_file.
 */
int ear_sync_name(const char *path);

#endif
