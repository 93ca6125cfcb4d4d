#ifndef EAR_SYNC_H
#define EAR_SYNC_H

/* Data that survive a power cut: what was written is on the disk, not only with the system. */

/* Wait until everything written to fd is on the disk. What is no file (a pipe, a terminal) has no
 * disk: nothing to do. Returns 0, or EAR_E_IO (errno): data may be lost.
 */
int ear_sync_file(int fd);

/* The same for the entry of path in its folder, without which the file has no name after a power
 * cut. Returns as ear_sync_file.
 */
int ear_sync_name(const char *path);

#endif
