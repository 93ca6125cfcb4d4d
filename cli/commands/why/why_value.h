#ifndef CLI_WHY_VALUE_H
#define CLI_WHY_VALUE_H

#include <earshot/value_chain.h>
#include <stdbool.h>

#include "cli/input/trace_input.h"

/* One value, at a moment. */
struct why_value {
	struct trace_input *input; /* open */
	const char *expression;    /* a register, an address, a variable or a member of one */
	const char *at;            /* the moment */
	int hart;                  /* -1: that of the record before the moment */
	const struct ear_value_chain_options *chain;
	bool json;
};

/* Print where the value came from. Returns an exit status. */
int why_value_print(const struct why_value *wanted);

#endif
