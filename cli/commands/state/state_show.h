#ifndef CLI_STATE_SHOW_H
#define CLI_STATE_SHOW_H

#include <earshot/moment.h>
#include <stdbool.h>

#include "cli/commands/state/state_shown.h"
#include "cli/options/command.h"

/* What 'earshot state' prints about a moment. */

/* Are all names of the list registers? Returns false after printing which is not. */
bool state_check_registers(const char *list, const struct command_option *option);

/* Print everything that is asked for. Returns false after printing why it could not be done. */
bool state_show(
	const struct state_request *request, struct trace_input *input, struct ear_moment *moment);

#endif
