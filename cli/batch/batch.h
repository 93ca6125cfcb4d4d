#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/options/command.h"

/* Many traces at once, for a command that knows one: each trace is a process (batch_run.h) that
 * runs the command as if it were alone, and what it prints comes in order, with the name of the
 * trace before it. At the end there is a table with a row a trace, and a total.
 *
 * A command joins with its rules in struct command, and notes (cli/base/notes.h) the numbers of its
 * row. Its words may then be what batch_list.h takes; one file is what it always was.
 */
struct batch_rules {
	const char *const *columns; /* names of the notes that its row has; NULL after the last */
	const char *no;             /* EAR_EXIT_NO in a word or two; NULL: "no" */
	bool lines;                 /* prints records: the name is before each line, and the table
				     * is on standard error */
	bool silent;                /* --quiet prints nothing at all */
};

/* The option -j of a command that uses one thread for one trace. */
#define BATCH_JOBS_OPTION \
	{ \
		"jobs", 'j', "N", \
			.text = "Of several traces, how many are read at once (default 1).", \
			.take = batch_take_jobs, .min = 1, .max = CLI_JOBS_MAX \
	}
command_take batch_take_jobs;

/* Returns false if the command is to be run as it is called: it has one file, or none, or its
 * options are wrong. Else all is done, with *status for its exit status. */
bool batch_command(const struct command *command, int argc, char **argv, int *status);

#endif
