#ifndef CLI_CHAIN_OPTION_H
#define CLI_CHAIN_OPTION_H

#include "cli/options/command.h"

/* The group of options that say how far chains of values are followed, for a struct
 * ear_value_chain_options. */
extern const struct command_option chain_options[];

#endif
