/* Each policy is entered in a process of its own, which then tries what is forbidden and what is
 * not. A part that this kernel or this build lacks is left out, and said.
 */
#define _GNU_SOURCE /* process_vm_readv */
#include "common/sandbox/sandbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/usbdevice_fs.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "check.h"

static struct {
	char folder[64], other[64]; /* with files in them; the second is nobody's business */
	char input[96], output[96], fresh[96], foreign[96], foreign_fresh[96];
	char index[96], index_made[96], link[96];
	int listener, knocking; /* a socket, and a connection to it that nobody has accepted */
	struct sockaddr_in address;
	sem_t entered, tried;
	pthread_t thread; /* that was there before */
	int thread_error;
	struct ear_sandbox_support support;
} world;

/* -- What is tried: 0, or errno -- */

static int outcome(long result)
{
	return result < 0 ? errno : 0;
}

static int open_and_close(const char *path, int flags)
{
	int fd = open(path, flags, 0600);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int read_input(void)
{
	return open_and_close(world.input, O_RDONLY);
}

static int read_foreign(void)
{
	return open_and_close(world.foreign, O_RDONLY);
}

static int read_passwords(void)
{
	return open_and_close("/etc/passwd", O_RDONLY);
}

static int write_output(void)
{
	return open_and_close(world.output, O_WRONLY | O_TRUNC);
}

static int make_output(void)
{
	return open_and_close(world.fresh, O_WRONLY | O_CREAT | O_EXCL);
}

static int write_passwords(void)
{
	return open_and_close("/etc/passwd", O_WRONLY | O_APPEND);
}

static int write_foreign(void)
{
	return open_and_close(world.foreign, O_RDWR);
}

static int make_foreign(void)
{
	return open_and_close(world.foreign_fresh, O_WRONLY | O_CREAT);
}

static int empty_foreign(void)
{
	return outcome(truncate(world.foreign, 0));
}

static int remove_foreign(void)
{
	return outcome(unlink(world.foreign));
}

static int rename_foreign(void)
{
	return outcome(rename(world.foreign, world.fresh));
}

/* As an index is written: under another name, which it then takes; and an old one is removed. */
static int replace_beside(void)
{
	int error = open_and_close(world.index_made, O_WRONLY | O_CREAT);

	if (!error)
		error = outcome(rename(world.index_made, world.index));
	return error ? error : outcome(unlink(world.index));
}

static int make_folder(void)
{
	return outcome(mkdir(world.foreign_fresh, 0700));
}

static int make_link(void)
{
	return outcome(symlink("nowhere", world.link));
}

static int open_socket(int family)
{
	int fd = socket(family, SOCK_STREAM, 0);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int open_inet(void)
{
	return open_socket(AF_INET);
}

static int open_inet6(void)
{
	return open_socket(AF_INET6);
}

static int open_unix(void)
{
	return open_socket(AF_UNIX);
}

static int connect_somewhere(void)
{
	return outcome(connect(
		world.knocking, (const struct sockaddr *)&world.address, sizeof(world.address)));
}

static int accept_one(void)
{
	int fd = accept4(world.listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int execute(void)
{
	char name[] = "true", *arguments[] = {name, NULL}, *environment[] = {NULL};

	return outcome(execve("/bin/true", arguments, environment));
}

static int spawn(void)
{
	char name[] = "true", *arguments[] = {name, NULL}, *environment[] = {NULL};
	int status;
	pid_t pid;
	int error = posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environment);

	if (error)
		return error;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

static int fork_once(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return outcome(pid);
}

static void *do_nothing(void *context)
{
	return context;
}

static int start_thread(void)
{
	pthread_t thread;
	int error = pthread_create(&thread, NULL, do_nothing, NULL);

	return error ? error : pthread_join(thread, NULL);
}

static int trace(void)
{
	return outcome(ptrace(PTRACE_SEIZE, getppid(), NULL, NULL));
}

static int read_parent(void)
{
	char byte;
	struct iovec here = {&byte, 1}, there = {&byte, 1};

	return outcome(process_vm_readv(getppid(), &here, 1, &there, 1, 0));
}

static int signal_parent(void)
{
	return outcome(kill(getppid(), 0));
}

static int map_code(void)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return code == MAP_FAILED ? errno : outcome(munmap(code, 4096));
}

static int make_code(void)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return errno;
	int error = outcome(mprotect(memory, 4096, PROT_READ | PROT_EXEC));
	munmap(memory, 4096);
	return error;
}

static int type_into_terminal(void)
{
	return outcome(ioctl(STDIN_FILENO, TIOCSTI, "x"));
}

/* Of no terminal: what the filter lets pass fails with ENOTTY. */
static int set_terminal(void)
{
	struct termios mode = {0};
	int fds[2];

	if (pipe(fds) != 0)
		return errno;
	const int error = ioctl(fds[0], TCSETS, &mode) == 0 ? 0 : errno;
	close(fds[0]);
	close(fds[1]);
	return error == ENOTTY ? 0 : error;
}

/* A pipe is no device: what the filter lets pass fails with ENOTTY. */
static int ask_pipe(unsigned long question)
{
	char answer[256] = {0};
	int fds[2];

	if (pipe(fds) != 0)
		return errno;
	const int error = ioctl(fds[0], question, answer) == 0 ? 0 : errno;
	close(fds[0]);
	close(fds[1]);
	return error == ENOTTY ? 0 : error;
}

static int ask_usb_device(void)
{
	return ask_pipe(USBDEVFS_CLEAR_HALT);
}

static int ask_serial_port(void)
{
	return ask_pipe(TIOCGICOUNT);
}

static int look_into_kernel(void)
{
	return outcome(syscall(SYS_bpf, 0, NULL, 0));
}

static int use_rings(void)
{
	return outcome(syscall(SYS_io_uring_setup, 1, NULL));
}

static int load_module(void)
{
	return outcome(syscall(SYS_finit_module, -1, "", 0));
}

static int mount_something(void)
{
	int error = outcome(syscall(SYS_mount, "none", world.folder, "tmpfs", 0, NULL));

	if (error == 0) /* root, without the sandbox */
		umount2(world.folder, MNT_DETACH);
	return error;
}

static int leave_namespace(void)
{
	return outcome(syscall(SYS_unshare, 0));
}

static int ask_for_key(void)
{
	return outcome(syscall(SYS_keyctl, 0, 0));
}

static int open_by_other_call(void)
{
	return outcome(syscall(SYS_openat2, AT_FDCWD, world.foreign, NULL, 0));
}

static int raise_limit(void)
{
	struct rlimit limit = {64, 64};

	return outcome(setrlimit(RLIMIT_NOFILE, &limit));
}

static int write_standard_error(void)
{
	return outcome(write(STDERR_FILENO, "", 0));
}

static int stay_unprivileged(void)
{
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : EPERM;
}

static int ask_old_thread(void)
{
	sem_post(&world.entered);
	sem_wait(&world.tried);
	return world.thread_error;
}

/* -- And what comes of it -- */

#define ANY (-1) /* not of interest */

enum part { NOTHING, FILTER, LANDLOCK, EITHER }; /* what forbids it */

static const struct trial {
	const char *name;
	int (*run)(void);
	int expected[7]; /* by policy */
	enum part part[7];
} trials[] = {
	/*      FILES   INDEX   SERVE   DEVICE  BOARD   PARSE   FOLDERS */
	{"read the input", read_input, {0, 0, EACCES, 0, 0, EPERM, 0},
		{NOTHING, NOTHING, LANDLOCK, NOTHING, NOTHING, FILTER, NOTHING}},
	{"write the output", write_output, {0, 0, EPERM, 0, 0, EPERM, 0},
		{NOTHING, NOTHING, FILTER, NOTHING, NOTHING, FILTER, NOTHING}},
	{"make the output", make_output, {0, 0, EPERM, 0, 0, EPERM, 0},
		{NOTHING, NOTHING, FILTER, NOTHING, NOTHING, FILTER, NOTHING}},
	{"read another file", read_foreign, {EACCES, EACCES, EACCES, 0, 0, EPERM, EACCES},
		{LANDLOCK, LANDLOCK, LANDLOCK, NOTHING, NOTHING, FILTER, LANDLOCK}},
	{"read /etc/passwd", read_passwords, {EACCES, EACCES, EACCES, 0, 0, EPERM, EACCES},
		{LANDLOCK, LANDLOCK, LANDLOCK, NOTHING, NOTHING, FILTER, LANDLOCK}},
	{"write another file", write_foreign, {EACCES, EACCES, EPERM, 0, 0, EPERM, EACCES},
		{LANDLOCK, LANDLOCK, FILTER, NOTHING, NOTHING, FILTER, LANDLOCK}},
	{"write /etc/passwd", write_passwords, {EACCES, EACCES, EPERM, ANY, ANY, EPERM, EACCES},
		{LANDLOCK, LANDLOCK, FILTER, NOTHING, NOTHING, FILTER, LANDLOCK}},
	{"make another file", make_foreign, {EACCES, EACCES, EPERM, 0, 0, EPERM, EACCES},
		{LANDLOCK, LANDLOCK, FILTER, NOTHING, NOTHING, FILTER, LANDLOCK}},
	{"make a folder", make_folder, {ENOSYS, ENOSYS, ENOSYS, ANY, ANY, ENOSYS, EACCES},
		{FILTER, FILTER, FILTER, NOTHING, NOTHING, FILTER, LANDLOCK}},
	{"make a link beside", make_link, {ENOSYS, ENOSYS, ENOSYS, 0, 0, ENOSYS, 0},
		{FILTER, FILTER, FILTER, NOTHING, NOTHING, FILTER, NOTHING}},
	{"empty another file", empty_foreign, {ENOSYS, ENOSYS, ENOSYS, 0, 0, ENOSYS, ENOSYS},
		{FILTER, FILTER, FILTER, NOTHING, NOTHING, FILTER, FILTER}},
	{"rename another file", rename_foreign, {ENOSYS, EACCES, ENOSYS, ANY, ANY, ENOSYS, EACCES},
		{FILTER, LANDLOCK, FILTER, NOTHING, NOTHING, FILTER, LANDLOCK}},
	{"replace a file beside", replace_beside, {ENOSYS, 0, EPERM, 0, 0, EPERM, 0},
		{FILTER, NOTHING, FILTER, NOTHING, NOTHING, FILTER, NOTHING}},
	{"open by openat2", open_by_other_call, {ENOSYS, ENOSYS, ENOSYS, ANY, ANY, EPERM, ENOSYS},
		{FILTER, FILTER, FILTER, NOTHING, NOTHING, FILTER, FILTER}},
	{"socket", open_inet, {EPERM, EPERM, EPERM, 0, 0, EPERM, EPERM},
		{FILTER, FILTER, FILTER, NOTHING, NOTHING, FILTER, FILTER}},
	{"socket of IPv6", open_inet6, {EPERM, EPERM, EPERM, ANY, ANY, EPERM, EPERM},
		{FILTER, FILTER, FILTER, NOTHING, NOTHING, FILTER, FILTER}},
	{"local socket", open_unix, {EPERM, EPERM, EPERM, 0, 0, EPERM, EPERM},
		{FILTER, FILTER, FILTER, NOTHING, NOTHING, FILTER, FILTER}},
	{"connect", connect_somewhere, {EPERM, EPERM, EPERM, ANY, ANY, EPERM, EPERM},
		{FILTER, FILTER, FILTER, NOTHING, NOTHING, FILTER, FILTER}},
	{"accept", accept_one, {EPERM, EPERM, 0, 0, 0, EPERM, EPERM},
		{FILTER, FILTER, NOTHING, NOTHING, NOTHING, FILTER, FILTER}},
	{"start a program", spawn, {EPERM, EPERM, EPERM, EPERM, 0, EPERM, EPERM},
		{FILTER, FILTER, FILTER, FILTER, NOTHING, FILTER, FILTER}},
	{"fork", fork_once, {EPERM, EPERM, EPERM, EPERM, 0, EPERM, EPERM},
		{FILTER, FILTER, FILTER, FILTER, NOTHING, FILTER, FILTER}},
	{"start a thread", start_thread, {0, 0, 0, 0, 0, EPERM, 0},
		{NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, FILTER, NOTHING}},
	{"trace a process", trace, {EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
		{FILTER, FILTER, FILTER, FILTER, FILTER, FILTER, FILTER}},
	{"read a process", read_parent, {EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
		{FILTER, FILTER, FILTER, FILTER, FILTER, FILTER, FILTER}},
	{"signal a process", signal_parent, {ENOSYS, ENOSYS, ENOSYS, 0, 0, ENOSYS, ENOSYS},
		{FILTER, FILTER, FILTER, NOTHING, NOTHING, FILTER, FILTER}},
	{"map code", map_code, {EPERM, EPERM, EPERM, 0, 0, EPERM, EPERM},
		{FILTER, FILTER, FILTER, NOTHING, NOTHING, FILTER, FILTER}},
	{"make memory code", make_code, {EPERM, EPERM, EPERM, 0, 0, EPERM, EPERM},
		{FILTER, FILTER, FILTER, NOTHING, NOTHING, FILTER, FILTER}},
	{"type into the terminal", type_into_terminal,
		{EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
		{FILTER, FILTER, FILTER, FILTER, FILTER, FILTER, FILTER}},
	{"set the terminal", set_terminal, {ENOSYS, ENOSYS, ENOSYS, 0, 0, ENOSYS, ENOSYS},
		{FILTER, FILTER, FILTER, NOTHING, NOTHING, FILTER, FILTER}},
	{"ask a USB device", ask_usb_device, {ENOSYS, ENOSYS, 0, 0, 0, ENOSYS, ENOSYS},
		{FILTER, FILTER, NOTHING, NOTHING, NOTHING, FILTER, FILTER}},
	{"ask a serial port", ask_serial_port, {ENOSYS, ENOSYS, 0, 0, 0, ENOSYS, ENOSYS},
		{FILTER, FILTER, NOTHING, NOTHING, NOTHING, FILTER, FILTER}},
	{"bpf", look_into_kernel, {EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
		{FILTER, FILTER, FILTER, FILTER, FILTER, FILTER, FILTER}},
	{"io_uring", use_rings, {EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
		{FILTER, FILTER, FILTER, FILTER, FILTER, FILTER, FILTER}},
	{"load a module", load_module, {EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
		{FILTER, FILTER, FILTER, FILTER, FILTER, FILTER, FILTER}},
	{"mount", mount_something, {EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
		{FILTER, FILTER, FILTER, FILTER, FILTER, FILTER, FILTER}},
	{"unshare", leave_namespace, {EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
		{FILTER, FILTER, FILTER, FILTER, FILTER, FILTER, FILTER}},
	{"keyctl", ask_for_key, {EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
		{FILTER, FILTER, FILTER, FILTER, FILTER, FILTER, FILTER}},
	{"set a limit", raise_limit, {ENOSYS, ENOSYS, ENOSYS, 0, 0, ENOSYS, ENOSYS},
		{FILTER, FILTER, FILTER, NOTHING, NOTHING, FILTER, FILTER}},
	{"write to standard error", write_standard_error, {0, 0, 0, 0, 0, 0, 0},
		{NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING}},
	{"no new privileges", stay_unprivileged, {0, 0, 0, 0, 0, 0, 0},
		{NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING}},
	{"a thread from before opens a socket", ask_old_thread,
		{EPERM, EPERM, EPERM, 0, 0, EPERM, EPERM},
		{FILTER, FILTER, FILTER, NOTHING, NOTHING, FILTER, FILTER}},
	{"remove another file", remove_foreign, {ENOSYS, EACCES, ENOSYS, 0, 0, ENOSYS, EACCES},
		{FILTER, LANDLOCK, FILTER, NOTHING, NOTHING, FILTER, LANDLOCK}},
	{"execute", execute, {EPERM, EPERM, EPERM, EPERM, ANY, EPERM, EPERM},
		{FILTER, FILTER, FILTER, FILTER, NOTHING, FILTER, FILTER}}, /* the last */
};

static void *wait_and_try(void *context)
{
	sem_wait(&world.entered);
	world.thread_error = open_socket(AF_UNIX);
	sem_post(&world.tried);
	return context;
}

static void write_text(const char *path)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs("text\n", file);
	assert_int_equal(fclose(file), 0);
}

/* SCREEN is INDEX but for the terminal. */
static enum ear_sandbox_policy column(enum ear_sandbox_policy policy)
{
	return policy == EAR_SANDBOX_SCREEN ? EAR_SANDBOX_INDEX : policy;
}

/* Is that which forbids it there? */
static bool can_judge(const struct trial *trial, enum ear_sandbox_policy policy)
{
	switch (trial->part[column(policy)]) {
	case FILTER: return world.support.has_filter;
	case LANDLOCK: return world.support.landlock > 0;
	default: return true;
	}
}

/* Without the sandbox some fail all the same: always, or for everybody but root. */
static bool fails_anyway(const struct trial *trial)
{
	int (*const always[])(void) = {
		type_into_terminal, trace, read_parent, load_module, stay_unprivileged};
	int (*const but_root[])(void) = {
		write_passwords, look_into_kernel, use_rings, mount_something, ask_for_key};
	bool fails = false;

	for (size_t i = 0; i < COUNT_OF(always); i++)
		fails |= trial->run == always[i];
	for (size_t i = 0; i < COUNT_OF(but_root); i++)
		fails |= geteuid() != 0 && trial->run == but_root[i];
	return fails;
}

/* In the process that has entered: how many trials came out otherwise. */
static int try_all(enum ear_sandbox_policy policy, bool off)
{
	int wrong = 0;

	for (size_t i = 0; i < COUNT_OF(trials); i++) {
		const struct trial *trial = &trials[i];
		int expected = trial->expected[column(policy)];
		/* The only thing that is more. */
		if (policy == EAR_SANDBOX_SCREEN && trial->run == set_terminal)
			expected = 0;

		if (expected == ANY || !can_judge(trial, policy) || (off && trial->run == execute))
			continue;
		int error = trial->run();
		bool right = off ? trial->part[column(policy)] == NOTHING || error != expected
				 : error == expected;
		if (off && fails_anyway(trial))
			right = true;
		if (!right)
			fprintf(stderr, "policy %u: %s: %s instead of %s\n", policy, trial->name,
				strerror(error), strerror(expected));
		wrong += !right;
	}
	return wrong;
}

static void enter(enum ear_sandbox_policy policy)
{
	const struct ear_sandbox_path files[] = {{world.input, EAR_SANDBOX_READ},
		{world.output, EAR_SANDBOX_WRITE}, {world.fresh, EAR_SANDBOX_WRITE},
		{"/nobody/is/there", EAR_SANDBOX_READ}, {world.index, EAR_SANDBOX_REPLACE}};
	size_t count = column(policy) == EAR_SANDBOX_INDEX ? COUNT_OF(files)
		       : policy == EAR_SANDBOX_FILES       ? COUNT_OF(files) - 1
							   : 0;

	const struct ear_sandbox_path folders[] = {{world.folder, EAR_SANDBOX_FILL}};

	if (policy == EAR_SANDBOX_FOLDERS)
		ear_sandbox_enter(policy, folders, COUNT_OF(folders));
	else
		ear_sandbox_enter(policy, files, count);
}

static void make_world(void)
{
	socklen_t size = sizeof(world.address);

	strcpy(world.folder, "/tmp/earshot-sandbox-XXXXXX");
	strcpy(world.other, "/tmp/earshot-sandbox-XXXXXX");
	assert_non_null(mkdtemp(world.folder));
	assert_non_null(mkdtemp(world.other));
	snprintf(world.input, sizeof(world.input), "%s/input", world.folder);
	snprintf(world.output, sizeof(world.output), "%s/output", world.folder);
	snprintf(world.fresh, sizeof(world.fresh), "%s/fresh", world.folder);
	snprintf(world.foreign, sizeof(world.foreign), "%s/foreign", world.other);
	snprintf(world.foreign_fresh, sizeof(world.foreign_fresh), "%s/fresh", world.other);
	snprintf(world.index, sizeof(world.index), "%s/index", world.folder);
	snprintf(world.index_made, sizeof(world.index_made), "%s/index.new", world.folder);
	snprintf(world.link, sizeof(world.link), "%s/link", world.folder);
	write_text(world.input);
	write_text(world.output);
	write_text(world.foreign);

	world.address = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	world.listener = socket(AF_INET, SOCK_STREAM, 0);
	world.knocking = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(world.listener, (struct sockaddr *)&world.address, size), 0);
	assert_int_equal(listen(world.listener, 4), 0);
	assert_int_equal(getsockname(world.listener, (struct sockaddr *)&world.address, &size), 0);
	assert_int_equal(connect(world.knocking, (struct sockaddr *)&world.address, size), 0);
}

static void remove_world(void)
{
	const char *const paths[] = {world.input, world.output, world.fresh, world.foreign,
		world.foreign_fresh, world.index, world.index_made, world.link};

	for (size_t i = 0; i < COUNT_OF(paths); i++)
		unlink(paths[i]);
	rmdir(world.foreign_fresh);
	rmdir(world.folder);
	rmdir(world.other);
	close(world.listener);
	close(world.knocking);
}

static void check_policy(enum ear_sandbox_policy policy, bool off)
{
	int status;

	ear_sandbox_support(&world.support);
	if (world.support.sanitized) {
		print_message("built with sanitizers: there is no sandbox\n");
		skip();
	}
	if (!world.support.has_filter || !world.support.landlock)
		print_message("seccomp: %d, Landlock: %d; the rest is not tried\n",
			world.support.has_filter, world.support.landlock);
	make_world();
	pid_t pid = fork();
	assert_at_least(pid, 0);
	if (pid == 0) {
		alarm(30);
		sem_init(&world.entered, 0, 0);
		sem_init(&world.tried, 0, 0);
		pthread_create(&world.thread, NULL, wait_and_try, NULL);
		enter(policy);
		_exit(try_all(policy, off));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	remove_world();
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void files_leave_what_was_named_and_nothing_else(void **state)
{
	(void)state;
	check_policy(EAR_SANDBOX_FILES, false);
}

static void an_index_is_replaced_beside_its_trace(void **state)
{
	(void)state;
	check_policy(EAR_SANDBOX_INDEX, false);
}

static void a_screen_sets_its_terminal(void **state)
{
	(void)state;
	check_policy(EAR_SANDBOX_SCREEN, false);
}

static void a_folder_is_filled_and_no_other_one(void **state)
{
	(void)state;
	check_policy(EAR_SANDBOX_FOLDERS, false);
}

static void a_server_accepts_and_does_nothing_else(void **state)
{
	(void)state;
	check_policy(EAR_SANDBOX_SERVE, false);
}

static void a_device_starts_no_program(void **state)
{
	(void)state;
	check_policy(EAR_SANDBOX_DEVICE, false);
}

static void a_board_may_be_started_again(void **state)
{
	(void)state;
	check_policy(EAR_SANDBOX_BOARD, false);
}

static void a_parser_opens_nothing(void **state)
{
	(void)state;
	check_policy(EAR_SANDBOX_PARSE, false);
}

/* Else the tests above would prove nothing. */
static void it_can_be_switched_off(void **state)
{
	(void)state;
	setenv("EARSHOT_SANDBOX", "off", 1);
	check_policy(EAR_SANDBOX_FILES, true);
	check_policy(EAR_SANDBOX_SERVE, true);
	unsetenv("EARSHOT_SANDBOX");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_leave_what_was_named_and_nothing_else),
		cmocka_unit_test(an_index_is_replaced_beside_its_trace),
		cmocka_unit_test(a_screen_sets_its_terminal),
		cmocka_unit_test(a_folder_is_filled_and_no_other_one),
		cmocka_unit_test(a_server_accepts_and_does_nothing_else),
		cmocka_unit_test(a_device_starts_no_program),
		cmocka_unit_test(a_board_may_be_started_again),
		cmocka_unit_test(a_parser_opens_nothing),
		cmocka_unit_test(it_can_be_switched_off),
	};

	unsetenv("EARSHOT_SANDBOX");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
