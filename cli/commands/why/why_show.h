#ifndef CLI_WHY_SHOW_H
#define CLI_WHY_SHOW_H

#include <earshot/why.h>
#include <stdbool.h>

#include "cli/commands/why/chain_show.h"
#include "cli/input/trace_input.h"

/* What 'earshot why' prints. Returns false after printing why it could not be done. */
bool why_show(
	struct chain_show *show, struct trace_input *input, const struct ear_why *why, bool json);

#endif
