#ifndef EAR_HELP_H
#define EAR_HELP_H

#include <stddef.h>
#include <stdio.h>

#include "cli/options/command.h"

#define HELP_WIDTH 80

/* --help of a command. */
void help_command(FILE *to, const struct command *command);

/* The table of options as --help shows it; options ends as that of a command. */
void help_options(FILE *to, const struct command_option *options);

/* A text (command.h) without its marks, wrapped at HELP_WIDTH, with a line end. */
void help_text(FILE *to, const char *text);

#endif
