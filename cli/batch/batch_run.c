/* Child processes and their files. A slot is a child that runs, or one that has ended and whose
 * turn has not come. A process and not a thread for each trace: a command uses the process as its
 * own (its sandbox, its signals, its static data), and a trace that brings a reader down takes no
 * other one with it.
 */
#include "cli/batch/batch_run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/notes.h"
#include "cli/base/outlet.h"
#include "cli/base/process.h"
#include "cli/base/progress.h"

#define AHEAD     32  /* children that may have ended before the one whose turn it is */
#define LINE_SIZE 256 /* of a progress line */
#define SLOTS_MAX 300 /* three files each stay below the usual limit of 1024 */

struct slot {
	pid_t pid; /* 0: it has ended */
	size_t index;
	struct batch_result result;
};

struct run {
	const struct batch_work *work;
	struct slot *slots;
	size_t slot_count, first, used; /* a ring: slots in the order of their pieces */
	size_t running, next;
	char (*lines)[LINE_SIZE]; /* of the children's progress, by slot; NULL: none is shown */
};

/* For the signal handler. */
static volatile pid_t children[SLOTS_MAX];

static void signal_children(void)
{
	for (size_t i = 0; i < SLOTS_MAX; i++)
		if (children[i] > 0)
			kill(children[i], SIGTERM);
}

static void close_files(struct batch_result *result)
{
	FILE *const files[] = {result->output, result->errors, result->notes};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i])
			fclose(files[i]);
}

static bool open_files(struct batch_result *result)
{
	*result = (struct batch_result){0};
	if ((result->output = process_file()) && (result->errors = process_file()) &&
		(result->notes = process_file()))
		return true;
	close_files(result);
	return false;
}

static void run_child(const struct run *run, struct slot *slot)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (run->lines)
		cli_progress_share(run->lines[slot - run->slots], LINE_SIZE);
	else
		cli_progress_disable();
	if (dup2(fileno(slot->result.output), STDOUT_FILENO) < 0 ||
		dup2(fileno(slot->result.errors), STDERR_FILENO) < 0)
		_exit(EAR_EXIT_FAILED);
	notes_begin(fileno(slot->result.notes));
	exit(outlet_finish(run->work->work(run->work->context, slot->index)));
}

/* Signals wait until the child has forgotten the handler of its parent, and the parent has noted
 * the child. */
static bool start(struct run *run)
{
	const size_t at = (run->first + run->used) % run->slot_count;
	struct slot *slot = &run->slots[at];
	sigset_t all, before;

	slot->index = run->next;
	if (!open_files(&slot->result))
		return false;
	if (run->lines)
		run->lines[at][0] = '\0';
	/* Of every file: what waits in a buffer here would be written by the child's exit, too. */
	fflush(NULL);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	slot->pid = fork();
	if (slot->pid == 0) {
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		sigprocmask(SIG_SETMASK, &before, NULL);
		run_child(run, slot);
	}
	children[at] = slot->pid > 0 ? slot->pid : 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (slot->pid < 0) {
		cli_error("no process can be made: %s", strerror(errno));
		close_files(&slot->result);
		return false;
	}
	run->used++;
	run->running++;
	run->next++;
	return true;
}

/* The line of the first child that has one. Whatever a child left there ends somewhere. */
static void show_progress(const struct run *run)
{
	char line[LINE_SIZE];

	for (size_t i = 0; i < run->used; i++) {
		const size_t at = (run->first + i) % run->slot_count;

		if (run->slots[at].pid == 0 || !run->lines[at][0])
			continue;
		memcpy(line, run->lines[at], sizeof(line));
		line[sizeof(line) - 1] = '\0';
		run->work->progress(run->work->context, run->slots[at].index, line);
		return;
	}
}

/* The next child that has ended. Without a progress line nothing wakes up before. */
static pid_t wait_for_any(const struct run *run, int *status)
{
	const struct timespec pause = {.tv_nsec = 100000000};
	pid_t pid;

	if (!run->lines)
		return waitpid(-1, status, 0);
	while ((pid = waitpid(-1, status, WNOHANG)) == 0) {
		show_progress(run);
		nanosleep(&pause, NULL);
	}
	return pid;
}

static void wait_for_one(struct run *run)
{
	int status;
	const pid_t pid = wait_for_any(run, &status);

	for (size_t i = 0; i < run->used && pid > 0; i++) {
		const size_t at = (run->first + i) % run->slot_count;
		struct slot *slot = &run->slots[at];
		struct batch_result *result = &slot->result;

		if (slot->pid != pid)
			continue;
		slot->pid = 0;
		children[at] = 0;
		run->running--;
		result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		result->status = WIFEXITED(status) ? WEXITSTATUS(status) : EAR_EXIT_FAILED;
		/* One that was done is good, whatever came then. */
		result->stopped = cli_interrupted && result->status >= EAR_EXIT_FAILED;
	}
}

/* Hand over what has ended and whose turn it is, unless that is over. Returns false if it is. */
static bool take_ended(struct run *run, bool good)
{
	const struct batch_work *work = run->work;

	while (run->used > 0 && run->slots[run->first].pid == 0) {
		struct slot *slot = &run->slots[run->first];

		if (good) {
			rewind(slot->result.output);
			rewind(slot->result.errors);
			rewind(slot->result.notes);
			good = work->take(work->context, slot->index, &slot->result);
		}
		close_files(&slot->result);
		run->first = (run->first + 1) % run->slot_count;
		run->used--;
	}
	return good;
}

size_t batch_run(const struct batch_work *work)
{
	struct run run = {.work = work};
	const unsigned jobs = work->jobs < SLOTS_MAX - AHEAD ? work->jobs : SLOTS_MAX - AHEAD;
	bool good = true;

	run.slot_count = jobs + AHEAD;
	run.slots = calloc(run.slot_count, sizeof(*run.slots));
	if (!run.slots) {
		cli_error("out of memory");
		return 0;
	}
	if (work->progress && cli_progress_wanted()) {
		run.lines = mmap(NULL, run.slot_count * LINE_SIZE, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		run.lines = run.lines == MAP_FAILED ? NULL : run.lines;
	}
	cli_catch_signals(signal_children);
	while (good || run.running > 0) {
		while (good && !cli_interrupted && run.running < jobs && run.next < work->count &&
			run.used < run.slot_count)
			good = start(&run);
		if (run.running == 0)
			break;
		wait_for_one(&run);
		const bool more = take_ended(&run, good);
		if (good && !more)
			signal_children();
		good = more;
	}
	free(run.slots);
	if (run.lines)
		munmap(run.lines, run.slot_count * LINE_SIZE);
	return run.next - run.used;
}

void batch_copy(FILE *from, int to)
{
	char bytes[BUFSIZ];
	size_t size;

	while ((size = fread(bytes, 1, sizeof(bytes), from)) > 0)
		if (!outlet_write(to, bytes, size))
			return;
}
