#ifndef CLI_STATE_STACK_H
#define CLI_STATE_STACK_H

#include "cli/commands/state/state_shown.h"

/* For people recursions are folded; JSON has all frames. Returns false after printing why not. */
bool state_show_stack(struct state_shown *show);

#endif
