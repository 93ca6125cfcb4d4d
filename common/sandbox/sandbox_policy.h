#ifndef EAR_SANDBOX_POLICY_H
#define EAR_SANDBOX_POLICY_H

/* What a process that has given up its rights (sandbox.h) may still do.
 *
 *                            FILES            SERVE            DEVICE       BOARD      PARSE
 *   files                    those named      none for writing as before    as before  none
 *   new connections          no               no               as before    as before  no
 *   sending descriptors      over open ones   yes              as before    as before  no
 *   accepting connections    no               yes              as before    as before  no
 *   starting programs        no               no               no           as before  no
 *   new processes            no               no               no           as before  no
 *   threads                  yes              yes              yes          yes        no
 *   other processes' memory  no               no               no           no         no
 *   new executable memory    no               no               as before    as before  no
 *   typing into a terminal   no               no               no           no         no
 *   the kernel: modules, bpf, mounts, clocks, keys, io_uring ..: no, for all
 *   rights from set-user-id programs (no_new_privs): no, for all
 *
 * INDEX is FILES, and renames and removes files, where a path has the right EAR_SANDBOX_REPLACE.
 * FOLDERS is INDEX, and makes folders and links in a folder with the right EAR_SANDBOX_FILL.
 * SCREEN is INDEX, and sets the mode of its terminal, and stops itself.
 *
 * What is forbidden fails with EPERM, or EACCES for a file. FILES, SERVE and PARSE list all system
 * calls that are allowed; any other fails with ENOSYS, as on a kernel that does not have it.
 */
enum ear_sandbox_policy {
	EAR_SANDBOX_FILES,   /* files in, files out */
	EAR_SANDBOX_INDEX,   /* the same, and an index that is kept beside a trace */
	EAR_SANDBOX_SERVE,   /* a device that is open, and a socket that listens */
	EAR_SANDBOX_DEVICE,  /* a device that may go away and be opened again */
	EAR_SANDBOX_BOARD,   /* a device that is a program and may be started again */
	EAR_SANDBOX_PARSE,   /* descriptors that come over an open socket, and no files at all */
	EAR_SANDBOX_FOLDERS, /* as INDEX, and folders that are filled */
	EAR_SANDBOX_SCREEN,  /* as INDEX, with a terminal whose mode is set */
};

/* A file or folder of the policy FILES, INDEX, FOLDERS, SCREEN or SERVE. */
struct ear_sandbox_path {
	const char *path;
	enum ear_sandbox_right {
		EAR_SANDBOX_READ,    /* this file, or all files of this folder */
		EAR_SANDBOX_WRITE,   /* this file; and files of its folder, where it may be made */
		EAR_SANDBOX_REPLACE, /* files of the folder of this one: made, renamed, removed */
		EAR_SANDBOX_FILL,    /* this folder: all that is in it is read, made and renamed */
		EAR_SANDBOX_USE,     /* all files of this folder: read, written, device functions */
	} right;
};

#endif
