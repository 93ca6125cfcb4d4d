#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/outlet.h"
#include "driver/stream/transport_tcp.h"
#include "protocol/ear_protocol.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
	bool opens_device; /* and starts no programs of the user */
} commands[] = {
	{"capture", cmd_capture, "capture a trace from a device into a file", true},
	{"decode", cmd_decode, "turn a capture into text", false},
	{"convert", cmd_convert, "turn a trace from any format into any other", false},
	{"diff", cmd_diff, "tell where two traces differ", false},
	{"grep", cmd_grep, "show the records of a trace that meet conditions", false},
	{"info", cmd_info, "tell what a capture holds, and what it lacks", false},
	{"dump", cmd_dump, "show the packets of a capture, one a line", false},
	{"list", cmd_list, "list the devices that can be captured from", true},
	{"doctor", cmd_doctor, "tell what a device lacks, and what to do about it", true},
	{"flash", cmd_flash, "put a bitstream or firmware into a board", false},
	{"load", cmd_load, "load a program into the system on a device", true},
	{"selftest", cmd_selftest, "test the link to a device, bit by bit", true},
	{"serve", cmd_serve, "give a device to others, over the network", true},
};

static void print_help(FILE *to)
{
	fputs("usage: earshot COMMAND [OPTION]...\n"
	      "Hear everything a core retires.\n\n"
	      "Commands:\n",
		to);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].summary);
	fputs("\n"
	      "  --help     this text; 'earshot COMMAND --help' tells about a command\n"
	      "  --version  the version of the program and of the protocol it speaks\n"
	      "\n"
	      "First steps without any hardware:\n"
	      "  earshot capture -o t.shot     a demo program on the virtual board\n"
	      "  earshot info t.shot\n"
	      "  earshot decode t.shot | less\n"
	      "\n"
	      "Exit status: 0 done, 1 the answer is no, 2 it could not be done.\n",
		to);
}

/* Did whoever reads standard output, such as head, see enough and leave? */
static bool reader_left(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return poll(&out, 1, 0) == 1 && out.revents & POLLERR;
}

/* Everything that a command printed has arrived, also what the system reports only when the file is
 * closed. A reader that left is no failure of ours.
 */
static int check_output(int status)
{
	bool failed = ferror(stdout) != 0;
	int number = fflush(stdout) == 0 ? 0 : errno;
	bool left = number == EPIPE || reader_left();

	if (close(STDOUT_FILENO) != 0 && errno != EBADF && number == 0)
		number = errno;
	if ((!failed && number == 0) || left)
		return status;
	/* A command that failed has reported this itself, or something worse. */
	if (status != EAR_EXIT_FAILED)
		cli_error("standard output: %s; what was printed is incomplete",
			number ? strerror(number) : "a write failed (is the disk full?)");
	return EAR_EXIT_FAILED;
}

/* Who closes standard input, output or error before starting us would get a file of ours in its
 * place, with messages in it. What stands there instead can neither be read nor written.
 */
static void fill_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			exit(EAR_EXIT_FAILED);
}

static int run(int argc, char **argv)
{
	if (argc < 2) {
		print_help(stderr);
		return EAR_EXIT_FAILED;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
		strcmp(argv[1], "help") == 0) {
		print_help(stdout);
		return EAR_EXIT_DONE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("%s\nprotocol %u.%u\n", cli_version, EAR_PROTOCOL_MAJOR, EAR_PROTOCOL_MINOR);
		return EAR_EXIT_DONE;
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(argv[1], commands[i].name) == 0) {
			if (commands[i].opens_device)
				confine_before_device();
			return commands[i].run(argc - 1, argv + 1);
		}

	cli_error("there is no command '%s'", argv[1]);
	fputs("Try 'earshot --help'.\n", stderr);
	return EAR_EXIT_FAILED;
}

int main(int argc, char **argv)
{
	fill_descriptors();
	ear_tcp_hide_token();
	outlet_install();

	/* A reader that went away (| head) and a file that reached the limit of its size (ulimit
	 * -f) show as a failing write, with its message. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	return check_output(run(argc, argv));
}
