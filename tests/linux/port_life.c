/* What a process can do that the kernel reports to the event port, one step after the other.
 *
 * Runs in the virtual machine of test_linux_module.py. Before each step is a marker with the
 * step's number; the file that is given gets a line with the events that the step must cause, as
 * the kernel's answers to this program say. Lines of a task begin with its number:
 *
 *     10 step 4                         what follows comes after the marker 4 of task 10
 *     10 expect mmap START END OFFSET PATH
 *     10 maps START-END ...             a line of its /proc/self/maps at the marker of that step
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "earshot_user.h"

#define PAGE      4096u
#define LINE_ROOM 512
#define METHOD    0x12345678u
#define METHOD_64 0x7F0012345678u

static struct ear_user_port port = EAR_USER_CLOSED;
static int out;
static const char *out_path, *self_path;
static atomic_uint last_step;

static void fail(const char *what)
{
	fprintf(stderr, "port_life: %s: %s\n", what, strerror(errno));
	_exit(100);
}

/* One write a line, so that no other process comes between. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	char line[LINE_ROOM];
	int size = snprintf(line, sizeof(line), "%d ", (int)gettid());
	va_list arguments;

	va_start(arguments, format);
	size += vsnprintf(line + size, sizeof(line) - (size_t)size - 1, format, arguments);
	va_end(arguments);
	if (size > (int)sizeof(line) - 2)
		size = (int)sizeof(line) - 2;
	line[size] = '\n';
	if (write(out, line, (size_t)size + 1) != size + 1)
		fail("write");
}

static void begin_step(void)
{
	unsigned int number = atomic_fetch_add(&last_step, 1) + 1;

	say("step %u", number);
	ear_user_mark(&port, number);
}

/* Where the files are mapped, as the kernel sees it. */
static void say_maps(void)
{
	char text[16384];
	size_t size = 0;
	ssize_t got;
	int file = open("/proc/self/maps", O_RDONLY);

	if (file < 0)
		fail("/proc/self/maps");
	while ((got = read(file, text + size, sizeof(text) - 1 - size)) > 0)
		size += (size_t)got;
	close(file);
	text[size] = '\0';
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		say("maps %s", line);
}

static void begin_step_with_maps(void)
{
	begin_step();
	say_maps();
}

static void name_task(const char *name)
{
	begin_step();
	prctl(PR_SET_NAME, name);
	say("expect name %.15s", name); /* TASK_COMM_LEN */
}

static uintptr_t map_file(uintptr_t at, size_t pages, const char *path, uint32_t first_page)
{
	int file = open(path, O_RDONLY);

	if (file < 0)
		fail(path);
	char *start = mmap((void *)at, pages * PAGE, PROT_READ, MAP_PRIVATE | (at ? MAP_FIXED : 0),
		file, (off_t)first_page * PAGE);
	if (start == MAP_FAILED)
		fail("mmap");
	close(file);
	return (uintptr_t)start;
}

static void expect_unmap(uintptr_t start, size_t pages)
{
	say("expect unmap %" PRIxPTR " %" PRIxPTR, start, start + pages * PAGE);
}

static void expect_map(uintptr_t start, size_t pages, const char *path, uint32_t first_page)
{
	say("expect mmap %" PRIxPTR " %" PRIxPTR " %x %s", start, start + pages * PAGE,
		first_page * PAGE, path);
}

/* A file, a hole in it, another file over it, memory without a file over that. */
static void change_mappings(void)
{
	begin_step();
	uintptr_t at = map_file(0, 8, "/bin/busybox", 3);
	expect_map(at, 8, "/bin/busybox", 3);

	begin_step();
	munmap((void *)(at + 2 * PAGE), PAGE);
	expect_unmap(at + 2 * PAGE, 1);

	begin_step();
	map_file(at + 4 * PAGE, 2, self_path, 1);
	expect_unmap(at + 4 * PAGE, 2);
	expect_map(at + 4 * PAGE, 2, self_path, 1);

	begin_step();
	if (mmap((void *)(at + 6 * PAGE), PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		    -1, 0) == MAP_FAILED)
		fail("mmap");
	expect_unmap(at + 6 * PAGE, 1);

	begin_step(); /* no file: no event */
	void *memory = mmap(NULL, 3 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(memory, 3 * PAGE);

	begin_step(); /* refused by the device, after the kernel has begun: no event */
	int file = open("/dev/earshot", O_RDWR);
	if (mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, file, 0) != MAP_FAILED ||
		mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, file, 0) != MAP_FAILED ||
		mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, PAGE) != MAP_FAILED)
		fail("a mapping that must be refused");
	close(file);

	begin_step(); /* no mapping comes or goes */
	mprotect((void *)at, PAGE, PROT_NONE);
	begin_step_with_maps();
}

static void wait_for(pid_t child, int expected)
{
	int status;

	if (waitpid(child, &status, 0) != child || status != expected) {
		fprintf(stderr, "port_life: %d ended with %x, not %x\n", (int)child,
			(unsigned int)status, (unsigned int)expected);
		_exit(101);
	}
}

static void child_that_maps(void)
{
	begin_step_with_maps(); /* those of its parent */
	name_task("life-child");
	begin_step();
	expect_map(map_file(0, 1, "/bin/busybox", 0), 1, "/bin/busybox", 0);
	begin_step_with_maps();
	begin_step();
	say("expect exit 300");
	_exit(3);
}

static void child_that_is_killed(void)
{
	begin_step();
	say("expect exit 9");
	raise(SIGKILL);
}

static void say_exec(const char *const *arguments)
{
	for (size_t i = 0; arguments[i]; i++)
		say("expect argument %s", arguments[i]);
	say("expect exec");
}

static void execute(const char *from)
{
	char step[16];

	begin_step();
	snprintf(step, sizeof(step), "%u", atomic_load(&last_step));
	const char *arguments[] = {"life two", "exec", out_path, self_path, step, from, "", NULL};
	say("expect name port_life");
	say_exec(arguments);
	execv(self_path, (char *const *)arguments);
	fail(self_path);
}

/* It is not the first thread that executes: the pid is that of the group afterwards. */
static void *execute_in_thread(void *context)
{
	char step[16];

	begin_step();
	snprintf(step, sizeof(step), "%u", atomic_load(&last_step));
	char *arguments[] = {"life two", "exec", (char *)out_path, (char *)self_path, step,
		"from a thread", NULL};
	(void)context;
	execv(self_path, arguments);
	fail(self_path);
	return NULL;
}

static void child_with_thread_that_executes(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, execute_in_thread, NULL);
	pthread_join(thread, NULL);
}

static pid_t make_child(void (*run)(void))
{
	begin_step();
	pid_t child = fork();

	if (child == 0) {
		run();
		_exit(102);
	}
	if (child < 0)
		fail("fork");
	say("expect fork %d %d", (int)child, (int)child);
	return child;
}

static void make_children(void)
{
	wait_for(make_child(child_that_maps), 0x300);
	wait_for(make_child(child_that_is_killed), SIGKILL);

	/* After vfork both have one address space, so this thread's own step is known by both. */
	begin_step();
	pid_t child = vfork();
	if (child == 0)
		execute("after vfork");
	if (child < 0)
		fail("vfork");
	say("expect clone %d %d", (int)child, (int)child);
	wait_for(child, 0x700);
}

static void *run_thread(void *context)
{
	(void)context;
	name_task("life-thread");
	begin_step();
	say("expect exit 0");
	return NULL;
}

/* glibc says nothing of the pid: the thread's own lines have it. */
static void make_thread(void)
{
	pthread_t thread;

	begin_step();
	say("expect clone thread %d", (int)getpid());
	if (pthread_create(&thread, NULL, run_thread, NULL))
		fail("pthread_create");
	pthread_join(thread, NULL);
}

static void report_methods(void)
{
	begin_step();
	ear_user_method_enter(&port, METHOD);
	ear_user_method_enter(&port, METHOD_64);
	ear_user_method_exit(&port, METHOD_64);
	ear_user_native_enter(&port, METHOD + 4);
	ear_user_native_exit(&port, METHOD + 4);
	ear_user_native_enter(&port, METHOD + 8);
	ear_user_native_unwind(&port, METHOD + 8);
	ear_user_method_unwind(&port, METHOD);
	ear_user_count(&port, 5, 1000);
	say("expect method_entry %x", METHOD);
	say("expect method_entry %" PRIx64, (uint64_t)METHOD_64);
	say("expect method_exit %" PRIx64, (uint64_t)METHOD_64);
	say("expect native_entry %x", METHOD + 4);
	say("expect native_exit %x", METHOD + 4);
	say("expect native_entry %x", METHOD + 8);
	say("expect native_exception %x", METHOD + 8);
	say("expect method_exception %x", METHOD);
	say("expect count 5 3e8");
	unsigned int step = atomic_fetch_add(&last_step, 1) + 1;
	ear_user_mark_text(&port, step, "a marker's text");
	say("step %u", step);
	say("text %u a marker's text", step);
}

static long own_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* How often the kernel has switched, read while this task was not switched away from. */
static void say_switches(void)
{
	char text[16384];
	long before;

	do {
		before = own_switches();
		begin_step();
		int file = open("/proc/stat", O_RDONLY);
		ssize_t got = read(file, text, sizeof(text) - 1);
		close(file);
		text[got > 0 ? got : 0] = '\0';
	} while (own_switches() != before);
	const char *line = strstr(text, "\nctxt ");
	say("switches %s", line ? strtok((char *)line + 6, "\n") : "?");
}

static int run_all(void)
{
	begin_step_with_maps();
	say_switches();
	name_task("life-main");
	name_task("a name of fifteen and more");
	change_mappings();
	report_methods();
	make_thread();
	make_children();
	begin_step_with_maps();
	say_switches(); /* a thread that gets another pid may cost a SWITCH that the kernel has not
			 */
	wait_for(make_child(child_with_thread_that_executes), 0x700);
	begin_step();
	say("expect exit 500");
	return 5;
}

/* port_life run OUT SELF, or, in a program that it begins, ... exec OUT SELF STEP TEXT... */
int main(int count, char **arguments)
{
	if (count < 4)
		return 100;
	out_path = arguments[2];
	self_path = arguments[3];
	out = open(out_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (out < 0)
		fail(out_path);
	if (count > 4)
		atomic_store(&last_step, (unsigned int)strtoul(arguments[4], NULL, 10) + 1000);
	errno = ear_user_open(&port, NULL);
	if (errno)
		fail("/dev/earshot");
	if (!strcmp(arguments[1], "run"))
		return run_all();
	begin_step_with_maps();
	begin_step();
	say("expect exit 700");
	return 7;
}
