#ifndef EAR_OPTIONS_H
#define EAR_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options/command.h"

/* A number that need not be given. */
struct optional_number {
	bool given;
	uint64_t number;
};

/* What an option sets: a member of the command's request. The type of the member says how: a bool
 * becomes true, of an option with two words if it is the second one; a const char * is the
 * argument; a number is from min to max; an enum, an int, or an unsigned of an option that has
 * words, is the index of one of these.
 *
 *     {"limit", 'n', "N", .text = "...", OPTION_VALUE(struct request, limit), .max = UINT64_MAX},
 */
#define OPTION_VALUE(type, member) \
	.take = _Generic(((type *)NULL)->member, bool \
		: option_take_flag, const char * \
		: option_take_text, uint64_t \
		: option_take_number, struct optional_number \
		: option_take_optional, unsigned \
		: option_take_unsigned, int \
		: option_take_unsigned), \
	.at = offsetof(type, member)

/* An option without an argument, of which a bool or an enum becomes this value. */
#define OPTION_SETS(type, member, value) \
	.take = _Generic(((type *)NULL)->member, bool \
			 : option_take_set_flag, default \
			 : option_take_set), \
	.at = offsetof(type, member), .min = (value)

/* --json of a command that has several formats. */
#define JSON_OPTION(type, member, value, what) \
	{ \
		"json", 0, .text = (what), OPTION_SETS(type, member, value) \
	}

/* With a function of its own, command_take, for whatever the member is. */
#define OPTION_TAKEN(function, type, member) .take = (function), .at = offsetof(type, member)

/* The rows of another table, for a struct that is a member of the request. */
#define OPTION_GROUP(rows, type, member) \
	{ \
		.group = (rows), .at = offsetof(type, member) \
	}

command_take option_take_flag, option_take_text, option_take_number, option_take_optional,
	option_take_unsigned, option_take_set, option_take_set_flag;

/* --xlen, with words "32 64": an unsigned is the number, not the index. */
command_take option_take_xlen;

/* -q means one thing in all commands: no messages but errors. What is asked for is printed, and the
 * exit status is the same. With a bool for what is not a warning. */
#define QUIET_TEXT "No messages but errors: no progress line, no summary, no warnings."
#define QUIET_OPTION(type, member) \
	{ \
		"quiet", 'q', .text = QUIET_TEXT, OPTION_TAKEN(option_take_quiet, type, member) \
	}
#define QUIET_ALONE \
	{ \
		"quiet", 'q', .text = QUIET_TEXT, .take = option_be_quiet \
	}

/* --status, of a command that searches: nothing is printed. */
#define STATUS_OPTION(type, member) \
	{ \
		"status", 0, .text = "Print nothing but errors; only the exit status.", \
			     OPTION_TAKEN(option_take_quiet, type, member) \
	}

/* --quiet; with option_take_quiet a bool becomes true, too. */
command_take option_be_quiet, option_take_quiet;

/* Read the options of a command from argv, and handle --help. argv is sorted: what is no option
 * is at its end.
 *
 * Returns the index in argv of the first word that is no option, argc if there is none. Returns -1
 * if the command ends here, with *status for its exit status: help was printed, or what is wrong.
 */
int options_parse(const struct command *command, int argc, char **argv, void *request, int *status);

/* Look at the options without setting anything: each goes to take_any, with its argument or NULL.
 *
 * Returns as options_parse, and prints nothing. -1: something is wrong, help is asked for, or
 * take_any returned false.
 */
typedef bool options_take_any(
	void *context, const struct command_option *option, const char *argument);
int options_walk(const struct command *command, int argc, char **argv, options_take_any *take_any,
	void *context);

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
