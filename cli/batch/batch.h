#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/batch/batch_pairs.h"
#include "cli/options/command.h"

/* Many traces at once, for a command that knows one: each trace is a process (batch_run.h) that
 * runs the command as if it were alone, and what it prints comes in order, with the name of the
 * trace before it. At the end there is a table with a row a trace, and a total.
 *
 * A command joins with its rules in struct command, and notes (cli/base/notes.h) the numbers of its
 * row, and as "first" what was found first, without what is different in each trace: by that the
 * traces with EAR_EXIT_NO are grouped. Its words may then be what batch_list.h takes; one file is
 * what it always was.
 */
struct batch_rules {
	const char *const *columns; /* names of the notes that its row has; NULL after the last */
	const char *no;             /* EAR_EXIT_NO in a word or two; NULL: "no" */
	bool lines;                 /* prints records: the name is before each line, and the table
				     * is on standard error */
	bool silent;                /* --quiet prints nothing at all */
	bool pairs;                 /* its words are two: A and B, which are paired */
	/* -o is a folder, to which each trace is written; returns the ending of a name in this
	 * format (-f), NULL after printing why there is none. NULL: -o is an option as others. */
	const char *(*ending)(const char *format);
	bool junit; /* --junit of a batch has a test case for each trace */
	/* Are the words no traces, but something of the command's own? NULL: they never are. */
	bool (*own)(char **words, int count);
};

/* The option --pair of a command that has pairs: the batch takes it. */
#define BATCH_PAIR_OPTION \
	{ \
		"pair", 0, "RULE", VALUES_BEGINNINGS, BATCH_PAIR_RULES, \
			.text = "Of two folders, which traces are a pair: those with the same `name` " \
				"(default; endings of formats do not count), or the same `file` in " \
				"whatever folder, or in whose names a regular expression matches the " \
				"same.", \
			.detail = \
				"With groups, as in 'seed([0-9]+)', what these match is compared.", \
			.take = batch_take_nothing \
	}

/* --junit of a command that has none for one file. */
#define BATCH_JUNIT_OPTION \
	{ \
		"junit", 0, "FILE", VALUES_FILES, \
			.text = "Of several traces, write FILE for a CI server, too: XML as JUnit has it, " \
				"with a test case for each. `-`: standard output, instead of the text.", \
			.take = batch_take_nothing \
	}
command_take batch_take_nothing;

/* --overwrite of a command whose batch writes files: the batch takes it. Of one file -o is what the
 * user named, and is written over as by every command. */
#define BATCH_OVERWRITE_OPTION \
	{ \
		"overwrite", 0, \
			.text = "Of several traces, write over files that are in FOLDER already. " \
				"Without it such a trace fails, and its file stays.", \
			.take = batch_take_nothing \
	}

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
