#ifndef EAR_SANDBOX_H
#define EAR_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/* Rights that a process gives up, for good, and with it every thread and program that it starts
 * later. Whoever takes the process over through a hostile file finds them gone.
 *
 * Two parts of Linux do it. Landlock (5.13) binds the calling thread and those that it starts to
 * folders and files; seccomp (4.14) forbids system calls, to all threads that there are. Where the
 * kernel has neither, or a part was not built in, the rest holds, and ear_sandbox_support says so.
 *
 *                            FILES            SERVE            DEVICE       BOARD
 *   files                    those named      none for writing as before    as before
 *   new connections          no               no               as before    as before
 *   accepting connections    no               yes              as before    as before
 *   starting programs        no               no               no           as before
 *   new processes            no               no               no           as before
 *   other processes' memory  no               no               no           no
 *   new executable memory    no               no               as before    as before
 *   typing into a terminal   no               no               no           no
 *   the kernel: modules, bpf, mounts, clocks, keys, io_uring ..: no, for all
 *   rights from set-user-id programs (no_new_privs): no, for all
 *
 * What is forbidden fails with EPERM, or EACCES for a file. FILES and SERVE know all system calls
 * that are allowed; one that they do not know fails with ENOSYS, as on a kernel that does not have
 * it.
 */
enum ear_sandbox_policy {
	EAR_SANDBOX_FILES,  /* files in, files out */
	EAR_SANDBOX_SERVE,  /* a device that is open, and a socket that listens */
	EAR_SANDBOX_DEVICE, /* a device, which may go away and be opened again */
	EAR_SANDBOX_BOARD,  /* a device that is a program, which may be started again */
};

/* A file or folder of the policy FILES, or SERVE. */
struct ear_sandbox_path {
	const char *path;
	enum ear_sandbox_right {
		EAR_SANDBOX_READ,  /* this file, or all files of this folder */
		EAR_SANDBOX_WRITE, /* this file; and files of its folder, where it may be made */
		EAR_SANDBOX_USE,   /* all files of this folder: read, written, device functions */
	} right;
};

/* Give the rights up. paths[0 .. count-1]: what may be opened from now on; files that are open
 * already stay so. A path that is not there gives no right, and is no error.
 *
 * EARSHOT_SANDBOX=off in the environment: nothing happens.
 */
void ear_sandbox_enter(
	enum ear_sandbox_policy policy, const struct ear_sandbox_path *paths, size_t count);

/* What this build and this kernel have. */
struct ear_sandbox_support {
	bool wanted;    /* not switched off by EARSHOT_SANDBOX */
	bool sanitized; /* built with sanitizers, which need what it forbids: it is never entered */
	bool has_filter; /* seccomp was built in, and the kernel has it */
	bool built_in;   /* seccomp was built in */
	int landlock;    /* version of the kernel's Landlock, 0 none */
};
void ear_sandbox_support(struct ear_sandbox_support *support);

#endif
