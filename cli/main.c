/* The program: from the name of a command to its function, with what holds for every command.
 */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/base/outlet.h"
#include "cli/batch/batch.h"
#include "cli/commands.h"
#include "cli/options/help.h"
#include "cli/questions.h"
#include "common/protocol/ear_protocol.h"
#include "driver/stream/transport_tcp.h"

static void print_help(FILE *to)
{
	fputs("usage: earshot COMMAND [OPTION]...\n"
	      "Hear everything a core retires.\n",
		to);
	for (const struct command *const *command = commands; *command; command++) {
		for (size_t i = 0; i < command_section_count; i++)
			if (command_sections[i].first == *command)
				fprintf(to, "\n%s:\n", command_sections[i].title);
		fprintf(to, "  %-11s %s\n", (*command)->name, (*command)->summary);
	}
	fputc('\n', to);
	help_options(to, top_options);
	fputs("\n"
	      "First steps without any hardware:\n"
	      "  earshot capture -o t.shot     a demo program on the virtual board\n"
	      "  earshot                       what the one trace of the folder can be asked\n"
	      "  earshot info t.shot\n"
	      "  earshot decode t.shot | less\n"
	      "\n"
	      "Exit status: 0 done, 1 the answer is no, 2 it could not be done.\n",
		to);
}

/* Who closes standard input, output or error before starting us would get a file of ours in its
 * place, with messages in it. What is opened there instead can neither be read nor written.
 */
static void fill_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			exit(EAR_EXIT_FAILED);
}

static bool is_top_option(const char *word, int id)
{
	const struct command_option *option = &top_options[id];

	return (word[0] == '-' && option->letter && word[1] == option->letter && word[2] == '\0') ||
	       (strncmp(word, "--", 2) == 0 && strcmp(word + 2, option->name) == 0);
}

static int fail_unknown(const char *name)
{
	const char *near = command_suggest(name);

	if (near)
		cli_error("there is no command '%s'; did you mean '%s'?", name, near);
	else
		cli_error("there is no command '%s'", name);
	fputs("Try 'earshot --help'.\n", stderr);
	return EAR_EXIT_FAILED;
}

/* 'earshot help', 'earshot help COMMAND'. */
static int run_help(const char *name)
{
	const struct command *command = name ? command_find(name) : NULL;

	if (name && !command)
		return fail_unknown(name);
	if (command)
		help_command(stdout, command);
	else
		print_help(stdout);
	return EAR_EXIT_DONE;
}

/* The folder of hdl/Installed.cmake. */
static int print_hdl_path(void)
{
	char path[PATH_MAX];

	if (!files_installed(path, sizeof(path), "hdl"))
		return EAR_EXIT_FAILED;
	puts(path);
	return EAR_EXIT_DONE;
}

static int run(int argc, char **argv)
{
	if (argc < 2) {
		if (questions_print(stdout))
			return EAR_EXIT_DONE;
		print_help(stderr);
		return EAR_EXIT_FAILED;
	}
	if (strcmp(argv[1], "help") == 0)
		return run_help(argv[2]);
	if (is_top_option(argv[1], TOP_HELP))
		return run_help(NULL);
	if (is_top_option(argv[1], TOP_VERSION)) {
		printf("%s\nprotocol %u.%u\n", cli_version, EAR_PROTOCOL_MAJOR, EAR_PROTOCOL_MINOR);
		return EAR_EXIT_DONE;
	}
	if (is_top_option(argv[1], TOP_HDL_PATH))
		return print_hdl_path();
	const struct command *command = command_find(argv[1]);
	if (!command)
		return fail_unknown(argv[1]);
	if (command->opens_device)
		confine_before_device();
	int status;
	if (batch_command(command, argc - 1, argv + 1, &status))
		return status;
	return command->run(argc - 1, argv + 1);
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
	return outlet_finish(run(argc, argv));
}
