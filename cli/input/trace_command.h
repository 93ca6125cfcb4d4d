#ifndef CLI_TRACE_COMMAND_H
#define CLI_TRACE_COMMAND_H

#include <stdbool.h>

#include "cli/input/trace_input.h"
#include "cli/options/command.h"

/* A command that reads one trace through the library, from its options to its exit status.
 *
 *     static int run(int argc, char **argv)
 *     {
 *             struct request request = {.input = TRACE_INPUT_DEFAULTS};
 *             const struct trace_command reading = {
 *                     &cmd_example, &request, &request.input, .work = work};
 *
 *             return trace_command_run(&reading, argc, argv);
 *     }
 */
struct trace_command {
	const struct command *command;
	void *request;             /* that its options set, */
	struct trace_input *input; /* and which has this */

	/* The words that are no options: the last one is the trace. Returns what is wrong with
	 * them, or with options together; NULL: nothing. NULL: there is one word, the trace. */
	const char *(*check)(void *request, int count, char **words);

	/* Before the right to open files is given up: outputs. False: the reason was printed. */
	bool (*prepare)(void *request);

	/* The trace is open. Returns an exit status. */
	int (*work)(void *request);
	bool finds; /* EAR_EXIT_NO says that something was found, not that nothing was */
};

/* Returns an exit status. All is closed. */
int trace_command_run(const struct trace_command *reading, int argc, char **argv);

/* What is wrong with count words that are to be traces; NULL: nothing. */
const char *trace_command_check(int count, bool several);

#endif
