#ifndef EAR_OPTIONS_H
#define EAR_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options/command.h"

/* Takes one option with its argument, NULL if it has none. Returns false after printing what is
 * wrong with it.
 */
typedef bool (*options_take)(
	void *context, const struct command_option *option, const char *argument);

/* Read the options of a command from argv, and handle --help. argv is sorted: what is no option
 * is at its end.
 *
 * Returns the index in argv of the first word that is no option, argc if there is none. Returns -1
 * if the command ends here, with *status for its exit status: help was printed, or what is wrong.
 */
int options_parse(const struct command *command, int argc, char **argv, options_take take,
	void *context, int *status);

/* The argument of an option as a number from min to max (cli_parse_count). Returns false after
 * printing what is wrong, as do the next ones.
 */
bool option_number(uint64_t *value, const struct command_option *option, const char *argument,
	uint64_t min, uint64_t max);
bool option_unsigned(unsigned *value, const struct command_option *option, const char *argument,
	unsigned min, unsigned max);

/* As one of the option's words; *index is which. */
bool option_word(int *index, const struct command_option *option, const char *argument);

/* Print that the argument is not what is expected: "--limit: 'x' is not EXPECTED". Returns false.
 */
bool option_fail(const struct command_option *option, const char *argument, const char *expected);

#endif
