#ifndef CLI_CALLS_SHOW_H
#define CLI_CALLS_SHOW_H

#include <earshot/names.h>

#include "analyses/calls/arguments.h"
#include "analyses/calls/call_log.h"

/* Prints calls, one a line. */
enum calls_format { CALLS_TABLE, CALLS_CSV, CALLS_JSON };

struct calls_show {
	enum calls_format format;
	struct ear_names *names;         /* NULL: none */
	struct ear_arguments *arguments; /* NULL: these are not shown, and calls are a tree */
	bool flat;                       /* the table has no tree: calls come in another order */
	bool begun;
};

/* What comes before the first call, also if there is none. */
void calls_show_begin(struct calls_show *show);

/* Returns false after printing that memory is short. */
bool calls_show(struct calls_show *show, const struct ear_call_log_call *call);

/* A text as a field of CSV. */
void calls_print_csv(const char *text);

/* For which variant of the calling convention the first file of names was built; that without
 * floating-point registers if it cannot be read. names may be NULL. */
struct ear_arguments_abi calls_abi(const struct ear_names *names);

#endif
