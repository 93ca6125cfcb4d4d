#ifndef CLI_STATE_SHOW_H
#define CLI_STATE_SHOW_H

#include <earshot/moment.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/input/trace_input.h"
#include "cli/options/command.h"

/* What 'earshot state' prints about a moment. */

#define STATE_ITEMS_MAX 64

enum state_item_kind {
	STATE_OVERVIEW,  /* registers, as far as they are known */
	STATE_REGISTERS, /* text: their names */
	STATE_MEMORY,    /* text: a range */
	STATE_VARIABLE,  /* text: an expression */
	STATE_STACK,
};

struct state_request {
	struct state_item {
		enum state_item_kind kind;
		const char *text;
	} items[STATE_ITEMS_MAX];
	unsigned count;
	bool json;
	bool no_inline; /* stacks without inlined functions */
	bool at_end;    /* the moment is the end of the trace */
	int hart;       /* -1: that of the last record before the moment */
};

/* Are all names of the list registers? Returns false after printing which is not. */
bool state_check_registers(const char *list, const struct command_option *option);

/* Print everything that is asked for. Returns false after printing why it could not be done. */
bool state_show(
	const struct state_request *request, struct trace_input *input, struct ear_moment *moment);

#endif
