#ifndef CLI_ANALYSIS_COMMAND_H
#define CLI_ANALYSIS_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/input/analysis_input.h"
#include "cli/options/command.h"

/* A command that counts something of traces or of part files, from its options to its exit status:
 * what trace_command.h is, for an analysis.
 *
 *     static int run(int argc, char **argv)
 *     {
 *             struct request request = {.source = ANALYSIS_INPUT_DEFAULTS};
 *             const struct analysis_command counting = {
 *                     &cmd_example, &request, &request.source, .show = show};
 *
 *             request.source.analysis = &ear_example_analysis;
 *             return analysis_command_run(&counting, argc, argv);
 *     }
 */
struct analysis_command {
	const struct command *command;
	void *request;                 /* that its options set, */
	struct analysis_input *source; /* and which has this */
	bool several; /* traces, also as folders and lists (cli/batch/batch_list.h);
		       * of part files there are always several */

	/* What is wrong with options together; NULL: nothing. NULL: they all go together. */
	const char *(*check)(void *request, bool of_parts);

	/* Before the right to open files is given up: outputs. False: the reason was printed. */
	bool (*prepare)(void *request);

	/* Instead of analysis_input_read, with the same result. NULL: that. */
	bool (*read)(void *request, char **paths, int count);

	/* All that can be read was, and the whole is finished; good: that is all there is. Returns
	 * an exit status. */
	int (*show)(void *request, bool good);

	/* The same of a --part. NULL: it is printed. */
	int (*show_part)(void *request, bool good);
};

/* Returns an exit status. source is closed. */
int analysis_command_run(const struct analysis_command *counting, int argc, char **argv);

#endif
