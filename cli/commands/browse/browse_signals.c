/* Signals are blocked but where the program waits, or looks: so a handler never runs inside of
 * ncurses, and none is lost between a look and a wait. SIGWINCH is that of ncurses, and blocked in
 * the same way.
 */
#include "cli/commands/browse/browse_signals.h"

#include <stddef.h>

#include "cli/base/cli.h"

static volatile sig_atomic_t interrupt, stop, ending;
static sigset_t outside;

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH};

static void handle(int number)
{
	if (number == SIGTSTP) {
		stop = 1;
		return;
	}
	if (number == SIGINT)
		interrupt = 1;
	else
		ending = 1;
	__atomic_store_n(&cli_interrupted, 1, __ATOMIC_RELAXED);
}

void browse_signals_begin(void)
{
	struct sigaction action = {.sa_handler = handle}, before;
	sigset_t inside;

	sigemptyset(&action.sa_mask);
	sigemptyset(&inside);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		sigaddset(&inside, numbers[i]);
		if (numbers[i] == SIGWINCH ||
			(sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN))
			continue;
		sigaction(numbers[i], &action, NULL);
	}
	sigprocmask(SIG_BLOCK, &inside, &outside);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigdelset(&outside, numbers[i]);
}

bool browse_signals_any(void)
{
	return interrupt || stop || ending;
}

bool browse_signals_take_interrupt(void)
{
	const bool was = interrupt;

	interrupt = 0;
	if (was && !ending)
		cli_continue();
	return was;
}

bool browse_signals_take_stop(void)
{
	const bool was = stop;

	stop = 0;
	return was;
}

bool browse_signals_ending(void)
{
	return ending;
}

void browse_signals_end(void)
{
	ending = 1;
}

const sigset_t *browse_signals_outside(void)
{
	return &outside;
}

bool browse_signals_look(void)
{
	sigset_t waiting;

	sigpending(&waiting);
	for (size_t i = 0; i + 1 < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (sigismember(&waiting, numbers[i]) && numbers[i] != SIGTSTP) {
			sigset_t one;
			sigemptyset(&one);
			sigaddset(&one, numbers[i]);
			sigprocmask(SIG_UNBLOCK, &one, NULL);
			sigprocmask(SIG_BLOCK, &one, NULL);
		}
	return interrupt || ending;
}
