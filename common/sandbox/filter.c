/* System calls, by seccomp.
 *
 * FILES, INDEX, FOLDERS, SCREEN, SERVE and PARSE list what is allowed. Calls that are known to be
 * dangerous fail with EPERM, so that the cause is clear; all others with ENOSYS, which makes
 * libraries use an older call that is in the list (clone3, whose flags a filter cannot see, becomes
 * clone; openat2 becomes openat). DEVICE and BOARD list what is forbidden: the libraries of devices
 * need many calls, and not the same ones everywhere.
 *
 * A filter binds all threads of the process (TSYNC).
 */
#define _GNU_SOURCE /* CLONE_THREAD */
#include "common/sandbox/filter.h"

#ifdef EAR_HAVE_SECCOMP
#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41 /* names for memory, which newer C libraries give */
#endif

bool ear_filter_built_in(void)
{
	return true;
}

/* What reading and writing files, memory and threads need. Names that this kernel or libseccomp
 * does not know are skipped. */
static const char *const basic_calls[] = {"read", "readv", "pread64", "preadv", "write", "writev",
	"pwrite64", "pwritev", "lseek", "_llseek", "close", "close_range", "fstat", "fstat64",
	"newfstatat", "fstatat64", "stat", "stat64", "lstat", "lstat64", "statx", "fstatfs",
	"fstatfs64", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getcwd",
	"getdents64", "ftruncate", "ftruncate64", "fallocate", "fadvise64", "fadvise64_64", "fsync",
	"fdatasync", "sync_file_range", "syncfs", "flock", "fcntl", "fcntl64", "dup", "dup2",
	"dup3", "pipe", "pipe2", "eventfd2", "poll", "ppoll", "ppoll_time64", "select", "pselect6",
	"pselect6_time64", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "munmap",
	"mremap", "madvise", "brk", "msync", "membarrier", "futex", "futex_time64",
	"set_robust_list", "get_robust_list", "rseq", "set_tid_address", "sched_yield",
	"sched_getaffinity", "getpid", "gettid", "getppid", "getuid", "getuid32", "geteuid",
	"geteuid32", "getgid", "getgid32", "getegid", "getegid32", "getpgrp", "clock_gettime",
	"clock_gettime64", "clock_getres", "clock_getres_time64", "clock_nanosleep",
	"clock_nanosleep_time64", "nanosleep", "gettimeofday", "time", "times", "getrandom",
	"getrusage", "getrlimit", "ugetrlimit", "sysinfo", "uname", "rt_sigaction",
	"rt_sigprocmask", "rt_sigpending", "rt_sigreturn", "sigreturn", "rt_sigtimedwait",
	"rt_sigtimedwait_time64", "sigaltstack", "restart_syscall", "exit", "exit_group",
	"timerfd_create", "timerfd_settime", "timerfd_settime64", NULL};

/* A connection that was accepted, and accepting. */
static const char *const server_calls[] = {"accept4", "accept", "recvfrom", "recvmsg", "recv",
	"sendto", "sendmsg", "send", "shutdown", "setsockopt", "getsockopt", "getsockname",
	"getpeername", NULL};

/* What a parser of open files needs: memory, reading, and the socket that they come over. */
static const char *const parser_calls[] = {"read", "readv", "pread64", "preadv", "write", "writev",
	"lseek", "_llseek", "close", "fstat", "fstat64", "newfstatat", "fstatat64", "statx",
	"fcntl", "fcntl64", "recvmsg", "recvfrom", "recv", "sendto", "send", "poll", "ppoll",
	"munmap", "mremap", "madvise", "brk", "futex", "set_robust_list", "rseq", "sched_yield",
	"getpid", "gettid", "clock_gettime", "clock_gettime64", "gettimeofday", "time", "getrandom",
	"getrlimit", "ugetrlimit", "sysinfo", "alarm", "setitimer", "rt_sigaction",
	"rt_sigprocmask", "rt_sigreturn", "sigreturn", "restart_syscall", "exit", "exit_group",
	NULL};

/* An index that no file is to keep. */
static const char *const memory_calls[] = {"memfd_create", NULL};

/* A file is written under another name first. */
static const char *const index_calls[] = {
	"rename", "renameat", "renameat2", "unlink", "unlinkat", NULL};

/* Folders and links are made. */
static const char *const folder_calls[] = {"mkdir", "mkdirat", "symlink", "symlinkat", NULL};

static const char *const process_calls[] = {"execve", "execveat", "fork", "vfork", NULL};

static const char *const network_calls[] = {"socket", "socketpair", "connect", "bind", "listen",
	"accept", "accept4", "socketcall", "sendto", "sendmmsg", "recvfrom", "recvmsg", "recvmmsg",
	NULL};

/* Nothing in Earshot ever needs these. */
static const char *const forbidden_calls[] = {"ptrace", "process_vm_readv", "process_vm_writev",
	"process_madvise", "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "kcmp", "bpf",
	"perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register",
	"init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "mount",
	"umount", "umount2", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick",
	"mount_setattr", "pivot_root", "chroot", "setns", "unshare", "swapon", "swapoff", "reboot",
	"acct", "quotactl", "settimeofday", "clock_settime", "clock_settime64", "clock_adjtime",
	"clock_adjtime64", "adjtimex", "sethostname", "setdomainname", "syslog", "add_key",
	"request_key", "keyctl", "open_by_handle_at", "name_to_handle_at", "iopl", "ioperm",
	"modify_ldt", "personality", "lookup_dcookie", "vhangup", "nfsservctl", "uselib",
	"memfd_secret", "fanotify_init", "mknod", "mknodat", "setuid", "setuid32", "setgid",
	"setgid32", "setresuid", "setresuid32", "setresgid", "setresgid32", "setgroups",
	"setgroups32", "capset", NULL};

/* The letter of usbfs in a number of ioctl (linux/usbdevice_fs.h). */
#define USBFS_MASK   0xff00
#define USBFS_LETTER ('U' << 8)

/* A rule is missing: the filter would forbid what is needed. */
static bool incomplete;

/* Of what seccomp_rule_add(3) returns, these leave no rule out: there is one like it already, it
 * says what the default says, the call is of another architecture. */
static void check(int result)
{
	incomplete |= result < 0 && result != -EEXIST && result != -EACCES && result != -EDOM;
}

static void add_all(scmp_filter_ctx filter, uint32_t action, const char *const *names)
{
	for (; *names; names++) {
		int number = seccomp_syscall_resolve_name(*names);

		if (number >= 0)
			check(seccomp_rule_add(filter, action, number, 0));
	}
}

/* A rule for a call by what one of its arguments is, below a mask. */
static void add_masked(scmp_filter_ctx filter, uint32_t action, const char *name, unsigned argument,
	uint64_t mask, uint64_t value)
{
	int number = seccomp_syscall_resolve_name(name);
	struct scmp_arg_cmp compare = {argument, SCMP_CMP_MASKED_EQ, mask, value};

	if (number >= 0)
		check(seccomp_rule_add_array(filter, action, number, 1, &compare));
}

/* These are recognised by their arguments. TIOCSTI and TIOCLINUX put text into the terminal's
 * input, which the shell would run after this program. */
static void forbid_always(scmp_filter_ctx filter, uint32_t action)
{
	add_all(filter, action, forbidden_calls);
	add_masked(filter, action, "ioctl", 1, UINT32_MAX, TIOCSTI);
	add_masked(filter, action, "ioctl", 1, UINT32_MAX, TIOCLINUX);
}

/* Threads, but no new processes. */
static void allow_threads(scmp_filter_ctx filter)
{
	add_masked(filter, SCMP_ACT_ALLOW, "clone", 0, CLONE_THREAD, CLONE_THREAD);
	add_masked(filter, SCMP_ACT_ERRNO(EPERM), "clone", 0, CLONE_THREAD, 0);
}

/* Memory that is not executable. */
static void allow_memory(scmp_filter_ctx filter)
{
	static const char *const names[] = {"mmap", "mmap2", "mprotect"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		add_masked(filter, SCMP_ACT_ALLOW, names[i], 2, PROT_EXEC, 0);
		add_masked(filter, SCMP_ACT_ERRNO(EPERM), names[i], 2, PROT_EXEC, PROT_EXEC);
	}
}

/* Opening files: for reading only, or as Landlock allows. */
static void allow_open(scmp_filter_ctx filter, bool writing)
{
	/* Of O_RDONLY 0, O_WRONLY 1 and O_RDWR 2 the low bits; O_TRUNC and O_CREAT write as well.
	 */
	uint64_t mask = writing ? 0 : O_ACCMODE | O_CREAT | O_TRUNC;

	add_masked(filter, SCMP_ACT_ALLOW, "open", 1, mask, 0);
	add_masked(filter, SCMP_ACT_ALLOW, "openat", 2, mask, 0);
	if (writing)
		return;
	for (uint64_t bit = 1; bit <= UINT32_MAX; bit <<= 1)
		if (bit & mask) {
			add_masked(filter, SCMP_ACT_ERRNO(EPERM), "open", 1, bit, bit);
			add_masked(filter, SCMP_ACT_ERRNO(EPERM), "openat", 2, bit, bit);
		}
}

static void allow_ourselves(scmp_filter_ctx filter)
{
	static const int names[] = {PR_SET_NAME, PR_GET_NAME, PR_SET_VMA, PR_GET_NO_NEW_PRIVS};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add_masked(filter, SCMP_ACT_ALLOW, "prctl", 0, UINT32_MAX, (uint64_t)names[i]);
	/* Limits are read, never set. */
	add_masked(filter, SCMP_ACT_ALLOW, "prlimit64", 2, UINT64_MAX, 0);
	/* A signal to ourselves: abort and raise. */
	add_masked(filter, SCMP_ACT_ALLOW, "tgkill", 0, UINT32_MAX, (uint64_t)getpid());
}

static void allow_files(scmp_filter_ctx filter)
{
	static const unsigned questions[] = {TCGETS, TIOCGWINSZ, FIONREAD, TIOCGPGRP};

	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++)
		add_masked(filter, SCMP_ACT_ALLOW, "ioctl", 1, UINT32_MAX, questions[i]);
	allow_open(filter, true);
	/* A socket that is open: to the process that reads ELF files (library/names/). */
	static const char *const send[] = {"sendmsg", NULL};
	add_all(filter, SCMP_ACT_ALLOW, send);
	add_all(filter, SCMP_ACT_ERRNO(EPERM), network_calls);
}

/* The mode of a terminal: no echo, keys without Enter. */
static void allow_screen(scmp_filter_ctx filter)
{
	static const unsigned settings[] = {TCSETS, TCSETSW, TCSETSF, TCFLSH, TIOCGWINSZ};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		add_masked(filter, SCMP_ACT_ALLOW, "ioctl", 1, UINT32_MAX, settings[i]);
}

/* No file is opened, no thread is started. */
static void allow_parser(scmp_filter_ctx filter)
{
	static const char *const none[] = {"open", "openat", "openat2", "creat", "clone", "clone3",
		"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendmsg",
		NULL};

	add_all(filter, SCMP_ACT_ALLOW, parser_calls);
	allow_memory(filter);
	allow_ourselves(filter);
	add_all(filter, SCMP_ACT_ERRNO(EPERM), none);
}

/* What an open device is asked: all of usbfs, by its letter, and a serial port. A rule cannot
 * compare one argument twice (seccomp_rule_add(3)), so it cannot say: all but what types into a
 * terminal.
 */
static void allow_server(scmp_filter_ctx filter)
{
	static const unsigned serial[] = {TCGETS, TCGETS2, TCSETS2, TCFLSH, TIOCEXCL, TIOCNXCL,
		TIOCGICOUNT, TIOCGSERIAL, TIOCSSERIAL, TIOCGWINSZ, FIONREAD, TIOCOUTQ};

	add_masked(filter, SCMP_ACT_ALLOW, "ioctl", 1, USBFS_MASK, USBFS_LETTER);
	for (size_t i = 0; i < sizeof(serial) / sizeof(serial[0]); i++)
		add_masked(filter, SCMP_ACT_ALLOW, "ioctl", 1, UINT32_MAX, serial[i]);
	add_all(filter, SCMP_ACT_ALLOW, server_calls);
	allow_open(filter, false);
	static const char *const none[] = {
		"socket", "socketpair", "connect", "bind", "listen", NULL};
	add_all(filter, SCMP_ACT_ERRNO(EPERM), none);
}

static void fill(scmp_filter_ctx filter, enum ear_sandbox_policy policy)
{
	forbid_always(filter, SCMP_ACT_ERRNO(EPERM));
	if (policy != EAR_SANDBOX_BOARD)
		add_all(filter, SCMP_ACT_ERRNO(EPERM), process_calls);
	if (policy == EAR_SANDBOX_BOARD)
		return;
	if (policy == EAR_SANDBOX_DEVICE) {
		add_masked(filter, SCMP_ACT_ERRNO(EPERM), "clone", 0, CLONE_THREAD, 0);
		add_masked(filter, SCMP_ACT_ERRNO(ENOSYS), "clone3", 0, 0, 0);
		return;
	}
	if (policy == EAR_SANDBOX_PARSE) {
		allow_parser(filter);
		return;
	}
	add_all(filter, SCMP_ACT_ALLOW, basic_calls);
	allow_threads(filter);
	allow_memory(filter);
	allow_ourselves(filter);
	if (policy == EAR_SANDBOX_SERVE)
		allow_server(filter);
	else
		allow_files(filter);
	if (policy == EAR_SANDBOX_FILES || policy == EAR_SANDBOX_INDEX ||
		policy == EAR_SANDBOX_SCREEN)
		add_all(filter, SCMP_ACT_ALLOW, memory_calls);
	if (policy == EAR_SANDBOX_SCREEN)
		allow_screen(filter);
	if (policy == EAR_SANDBOX_INDEX || policy == EAR_SANDBOX_FOLDERS ||
		policy == EAR_SANDBOX_SCREEN)
		add_all(filter, SCMP_ACT_ALLOW, index_calls);
	if (policy == EAR_SANDBOX_FOLDERS)
		add_all(filter, SCMP_ACT_ALLOW, folder_calls);
}

void ear_filter_enter(enum ear_sandbox_policy policy)
{
	bool listed = policy != EAR_SANDBOX_DEVICE && policy != EAR_SANDBOX_BOARD;
	scmp_filter_ctx filter = seccomp_init(listed ? SCMP_ACT_ERRNO(ENOSYS) : SCMP_ACT_ALLOW);

	if (!filter)
		return;
	seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
	seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	incomplete = false;
	fill(filter, policy);
	if (!incomplete)
		seccomp_load(filter);
	seccomp_release(filter);
}

#else

bool ear_filter_built_in(void)
{
	return false;
}

void ear_filter_enter(enum ear_sandbox_policy policy)
{
	(void)policy;
}

#endif
