#ifndef EAR_CLI_HISTORY_H
#define EAR_CLI_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/address.h>
#include <earshot/moment.h>
#include <earshot/search.h>
#include <earshot/variable.h>

#include "cli/commands/history/history_tasks.h"
#include "cli/input/trace_input.h"
#include "cli/show/table.h"

/* 'earshot history': each execution of a place in the code, or each change of a variable, with what
 * the program's variables held, and by which calls it came there.
 */
#define HISTORY_VARIABLES_MAX 10
#define HISTORY_FRAMES_MAX    64 /* of a path in JSON */

struct history_condition {
	const char *text;             /* NULL: none */
	const char *variable, *value; /* value: after the operator */
	size_t variable_size;
	char operation[3];
};

struct history_request {
	struct trace_input input;
	const char *what;
	const char *variables[HISTORY_VARIABLES_MAX];
	unsigned variable_count;
	struct history_condition where;
	struct moment_option from, to;
	uint64_t limit;   /* rows; 0: all */
	const char *task; /* --task; NULL: any */
	struct history_tasks tasks;
	const char *sort; /* --sort: a column, after '-' the largest first; NULL: as they come */
	enum table_format format;
};

/* One execution, or one write. */
struct history_row {
	uint64_t position, number, pc;
	uint16_t hart;
	bool has_time;
	uint64_t time;
	uint32_t task; /* 0: it is not known */
};

/* What is looked for. */
struct history_search {
	bool is_code;
	struct ear_span *spans; /* of a variable: one; free() */
	size_t count;
	struct ear_local *locals; /* what variables points to if none was given; free() */
	unsigned more_locals;     /* that have no column */
};

/* What the words mean. Returns false after printing why nothing. */
bool history_find(struct history_request *request, struct history_search *search);

/* Look at the rows in order. Returns an exit status. */
int history_show(struct history_request *request, const struct history_search *search);

/* "count > 5". Returns false: it is no condition. */
bool history_condition_parse(struct history_condition *condition, const char *text);

/* Does it hold of this value? 1, 0, or -1: that is not known. */
int history_condition_holds(
	const struct history_condition *condition, const struct ear_variable *variable);

/* The number that a variable holds; false: it has none, or that is not known. */
bool history_number(const struct ear_variable *variable, bool *is_signed, uint64_t *number);

/* Can the value be compared with variables of this type? */
bool history_condition_fits(
	const struct history_condition *condition, const struct ear_variable *variable);

#endif
