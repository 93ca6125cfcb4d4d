#ifndef EAR_MDOC_H
#define EAR_MDOC_H

#include <stdio.h>

#include "cli/options/command.h"

/* A command in the language of manual pages, mdoc(7). */

/* Its options, as a list without a heading. Prints nothing if there are none. */
void mdoc_options(FILE *to, const struct command *command);

/* The same for a table without a command. */
void mdoc_table(FILE *to, const struct command_option *table);

/* The ways to call it, for the synopsis. */
void mdoc_synopsis(FILE *to, const struct command *command);

#endif
