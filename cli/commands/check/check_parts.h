#ifndef CHECK_PARTS_H
#define CHECK_PARTS_H

#include <stdbool.h>

#include <earshot/check.h>

#include "cli/input/trace_parts.h"

/* A part of a check as a file, and files of parts: docs/parts.md. */

struct check_parts {
	struct trace_parts asked; /* --part */
	char **paths;             /* of part files; NULL: a trace is checked */
	int count;
	char trace[4096]; /* that they are of */
};

#define CHECK_PARTS_DEFAULTS \
	{ \
		.asked = TRACE_PARTS_DEFAULTS \
	}

/* Are the words files of parts? */
bool check_parts_are(char **words, int count);

/* Find the trace of the files. Returns false after printing why not. */
bool check_parts_find_trace(struct check_parts *parts);

/* Check the part that is asked for, and print it. Returns an exit status. */
int check_parts_write(struct check_parts *parts, struct trace_input *input,
	const struct ear_check_options *options);

/* Join the files. Returns as ear_trace_check, with the sentence in the trace, or 1 after printing
 * what is wrong with a file. */
int check_parts_join(const struct check_parts *parts, struct trace_input *input,
	const struct ear_check_options *options, ear_violation_found *found, void *context,
	struct ear_check_counts *counts);

#endif
