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
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/notes.h"
#include "cli/base/outlet.h"
#include "cli/base/process.h"
#include "cli/base/progress.h"

#define AHEAD     32  /* children that may have ended before the one whose turn it is */
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
	fflush(stdout);
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

static void wait_for_one(struct run *run)
{
	int status;
	const pid_t pid = waitpid(-1, &status, 0);

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
