#ifndef CLI_BATCH_RUN_H
#define CLI_BATCH_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Work in processes of its own, some at once, with what they print in order.
 *
 * Each piece of work is a child process, whose standard output, standard error and notes
 * (cli/base/notes.h) go to files without a name. What a child leaves is handed over in the order of
 * the pieces, whatever ended first; a child may be ahead of the first that is not handed over by a
 * few only, so that files and memory are bounded.
 *
 * The first SIGINT or SIGTERM is passed on: children end in good order, and no other one begins.
 */
struct batch_result {
	int status;                    /* of its exit; EAR_EXIT_FAILED if a signal ended it, */
	int signal;                    /* which is this one; 0 none */
	bool stopped;                  /* it was asked to end before it had */
	FILE *output, *errors, *notes; /* from their beginning; they are closed afterwards */
};

struct batch_work {
	void *context;
	size_t count;
	unsigned jobs;

	/* In the child. Returns an exit status. */
	int (*work)(void *context, size_t index);

	/* In the parent, in order, of each one that began. Returns false if no other shall begin,
	 * and what runs is ended. */
	bool (*take)(void *context, size_t index, struct batch_result *result);

	/* In the parent, now and then, if progress is wanted: the progress line of a child that
	 * runs, of the first one that has shown one. NULL: nobody shows it. */
	void (*progress)(void *context, size_t index, const char *line);
};

/* Returns how many were handed over; all, unless it was interrupted or take returned false. A
 * process that cannot be made is reported, and is the end. */
size_t batch_run(const struct batch_work *work);

/* What is in a file of a result to a descriptor, from its beginning. */
void batch_copy(FILE *from, int to);

#endif
