#ifndef EAR_SHELL_H
#define EAR_SHELL_H

#include <stdio.h>

/* The commands and options for completion in shells. */

/* The names of the commands, a line each. */
void shell_commands(FILE *to);

/* A line for each option: "COMMAND OPTION KIND [WORD]...". COMMAND is - for the options without
 * one. KIND is what its argument is: none, any, words, beginnings, files, folders or devices; the
 * words are those to offer. Each form of an option has a line of its own.
 */
void shell_options(FILE *to);

/* The same as commands of fish. */
void shell_fish(FILE *to);

#endif
