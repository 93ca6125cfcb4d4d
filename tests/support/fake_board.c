/* A program that behaves like earshot-board, with a fake unit instead of a simulation:
 *
 *   fake_board PROGRAM.elf --fd N [--key value]...
 *
 * When the capture is enabled and the core released it sends frames, then STOP, and ends.
 *   --frames N    how many frames (10)
 *   --exit N      exit status at the end (0)
 *   --print TEXT  written to standard output, as a UART would be
 *   --uart FILE   or to this file
 *   --mode M      die: kills itself at the release of the core
 *                 early: ends at once with status 4, before any answer
 *                 hang: never sends STOP, and ends when the connection does
 *                 flood: frames until the connection ends
 *                 stubborn: as hang, but does not end then, and ignores SIGTERM
 *                 closed: closes the connection after the frames and stays
 *                 signals: exits with 0 if no signal is blocked or ignored, it leads a process
 *                          group, and only standard streams and the socket are open; else 1
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fake_unit.h"

static int fd = -1;
static unsigned frame_count = 10;
static int exit_status;
static const char *mode = "normal";

static bool mode_is(const char *name)
{
	return !strcmp(mode, name);
}

static bool send_all(const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);

		if (sent <= 0)
			return false;
		bytes += sent;
		size -= (size_t)sent;
	}
	return true;
}

static void wait_for_the_end(void)
{
	char byte;

	while (read(fd, &byte, 1) > 0)
		;
}

static void stay(void)
{
	for (;;)
		pause();
}

/* The program runs. */
static void run(struct fake_unit *unit)
{
	uint8_t frame[FAKE_FRAME_MAX];

	if (mode_is("die"))
		raise(SIGKILL);
	for (unsigned i = 0; i < frame_count || mode_is("flood"); i++)
		if (!send_all(frame, fake_unit_records(unit, frame, 20)))
			exit(0);
	if (mode_is("closed")) {
		close(fd);
		stay();
	}
	if (mode_is("hang") || mode_is("stubborn"))
		wait_for_the_end();
	if (mode_is("stubborn"))
		stay();
	if (!mode_is("hang"))
		send_all(frame, fake_unit_stop(unit, frame, EAR_STOP_ENDED));
	exit(exit_status);
}

static int check_signals(void)
{
	sigset_t blocked;
	struct sigaction action;

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	for (int number = 1; number < 32; number++) {
		if (sigismember(&blocked, number) == 1)
			return 1;
	}
	if (sigaction(SIGINT, NULL, &action) || action.sa_handler != SIG_DFL)
		return 1;
	if (getpgrp() != getpid())
		return 1;
	for (int other = 3; other < 256; other++)
		if (other != fd && fcntl(other, F_GETFD) >= 0)
			return 1;
	return fcntl(fd, F_GETFD) >= 0 ? 0 : 1;
}

static void parse_arguments(int argc, char **argv)
{
	if (argc < 2 || argc % 2 != 0)
		exit(90);
	for (int i = 2; i < argc; i += 2) {
		if (!strcmp(argv[i], "--fd"))
			fd = atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "--frames"))
			frame_count = (unsigned)atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "--exit"))
			exit_status = atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "--print"))
			printf("%s\n", argv[i + 1]);
		else if (!strcmp(argv[i], "--uart") && !freopen(argv[i + 1], "w", stdout))
			exit(93);
		else if (!strcmp(argv[i], "--uart"))
			continue;
		else if (!strcmp(argv[i], "--mode"))
			mode = argv[i + 1];
		else
			exit(91);
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	uint8_t bytes[EAR_CONTROL_WORD_SIZE], frame[FAKE_FRAME_MAX];
	struct fake_unit unit;

	parse_arguments(argc, argv);
	if (mode_is("early"))
		return 4;
	if (mode_is("signals"))
		return check_signals();
	if (mode_is("stubborn"))
		signal(SIGTERM, SIG_IGN);
	fake_unit_init(&unit);
	for (;;) {
		struct ear_control_word word;

		if (recv(fd, bytes, sizeof(bytes), MSG_WAITALL) != (ssize_t)sizeof(bytes)) {
			if (mode_is("stubborn"))
				stay();
			return 0;
		}
		if (ear_control_word_parse(&word, bytes) < 0)
			return 92;
		if (!send_all(frame, fake_unit_answer(&unit, frame, &word)))
			return 0;
		if (fake_unit_enabled(&unit) && fake_unit_core_runs(&unit))
			run(&unit);
	}
}
