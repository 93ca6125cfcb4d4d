#ifndef EAR_SANDBOX_H
#define EAR_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/* Rights that a process gives up for good, together with every thread and program that it starts
 * later. An attacker who takes the process over through a hostile file does not have them.
 *
 * Two parts of Linux do this. Landlock (5.13) limits the calling thread and those that it starts to
 * named folders and files; seccomp (4.14) forbids system calls, to all threads of the process. If
 * the kernel lacks one, or it was not built in, the other still works; ear_sandbox_support says
 * which there are.
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
 * What is forbidden fails with EPERM, or EACCES for a file. FILES and SERVE list all system calls
 * that are allowed; any other fails with ENOSYS, as on a kernel that does not have it.
 */
enum ear_sandbox_policy {
	EAR_SANDBOX_FILES,  /* files in, files out */
	EAR_SANDBOX_SERVE,  /* a device that is open, and a socket that listens */
	EAR_SANDBOX_DEVICE, /* a device that may go away and be opened again */
	EAR_SANDBOX_BOARD,  /* a device that is a program and may be started again */
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

/* Give the rights up. paths[0 .. count-1]: what may be opened from now on; open files stay open. A
 * path that does not exist gives no right and is not an error.
 *
 * EARSHOT_SANDBOX=off in the environment: nothing happens.
 */
void ear_sandbox_enter(
	enum ear_sandbox_policy policy, const struct ear_sandbox_path *paths, size_t count);

/* What this build and this kernel have. */
struct ear_sandbox_support {
	bool wanted;     /* not switched off by EARSHOT_SANDBOX */
	bool sanitized;  /* built with sanitizers, which need what is forbidden: never entered */
	bool has_filter; /* seccomp was built in, and the kernel has it */
	bool built_in;   /* seccomp was built in */
	int landlock;    /* version of the kernel's Landlock, 0 none */
};
void ear_sandbox_support(struct ear_sandbox_support *support);

#endif
