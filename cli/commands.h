#ifndef EAR_COMMANDS_H
#define EAR_COMMANDS_H

#include <stddef.h>

#include "cli/options/command.h"

/* All commands, in the order of 'earshot --help'. Ends with NULL. */
extern const struct command *const commands[];

/* The list of `earshot --help` in parts: a title before the first command of each. */
struct command_section {
	const char *title;
	const struct command *first;
};
extern const struct command_section command_sections[];
extern const size_t command_section_count;

/* The options without a command: --help, --version and --hdl-path. */
extern const struct command_option top_options[];
enum { TOP_HELP, TOP_VERSION, TOP_HDL_PATH };

/* Also by a name of an older release. Returns NULL if there is no such command. */
const struct command *command_find(const char *name);

/* The command that was probably meant, NULL if none is near. */
const char *command_suggest(const char *name);

#endif
