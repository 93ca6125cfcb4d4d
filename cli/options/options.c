/* The options of a command line, by the table of the command. getopt_long does the reading, so that
 * long names can be shortened and words come in any order, as everywhere; its messages are replaced
 * by ours, which name the nearest option there is.
 */
#include "cli/options/options.h"

#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/notes.h"
#include "cli/base/progress.h"
#include "cli/options/help.h"
#include "cli/options/suggest.h"

#define OPTION_COUNT_MAX 64
#define FIRST_VALUE      256 /* of a long option: this, and its row in the table */

static const struct command_option help_option = {"help", 'h', .text = ""};

/* getopt's view of a table. */
struct parser {
	const struct command *command;
	const struct command_option *rows[OPTION_COUNT_MAX];
	size_t at[OPTION_COUNT_MAX]; /* of their values */
	struct option long_options[OPTION_COUNT_MAX + 1];
	char letters[3 * OPTION_COUNT_MAX + 2];
	int count;
};

/* The row of an option, which is there. */
static int find_name(const struct parser *parser, const char *name)
{
	int i = 0;

	while (strcmp(parser->rows[i]->name, name) != 0)
		i++;
	return i;
}

static void add_row(struct parser *parser, const struct command_option *row, size_t at)
{
	const char *argument =
		row->means ? parser->rows[find_name(parser, row->means)]->argument : row->argument;
	int kind = !argument            ? no_argument
		   : argument[0] == '[' ? optional_argument
					: required_argument;
	char *end = parser->letters + strlen(parser->letters);

	assert(parser->count < OPTION_COUNT_MAX);
	parser->rows[parser->count] = row;
	parser->at[parser->count] = at;
	parser->long_options[parser->count] =
		(struct option){row->name, kind, NULL, FIRST_VALUE + parser->count};
	parser->count++;
	if (row->letter)
		sprintf(end, "%c%s", row->letter,
			kind == required_argument   ? ":"
			: kind == optional_argument ? "::"
						    : "");
}

static void build(struct parser *parser, const struct command *command)
{
	memset(parser, 0, sizeof(*parser));
	parser->command = command;
	strcpy(parser->letters, ":"); /* a missing argument is ':', not '?' */
	struct command_rows rows = {.next = command->options, .with_older = true};
	for (const struct command_option *row; (row = command_next_row(&rows));)
		if (row->name)
			add_row(parser, row, rows.at);
	add_row(parser, &help_option, 0);
}

/* value: what getopt returned or left in optopt, a letter or the number of a long option. Of an
 * older name what it means. -1: there is none. */
static int find_row(const struct parser *parser, int value)
{
	int i = value >= FIRST_VALUE ? value - FIRST_VALUE : 0;

	while (value < FIRST_VALUE && i < parser->count && parser->rows[i]->letter != value)
		i++;
	if (i == parser->count)
		return -1;
	return parser->rows[i]->means ? find_name(parser, parser->rows[i]->means) : i;
}

/* A long option that is none, or not one alone. */
static void report_unknown(const struct parser *parser, const char *word)
{
	const char *names[OPTION_COUNT_MAX];
	char given[64], matches[256] = "";
	unsigned match_count = 0;
	size_t count = 0;

	snprintf(given, sizeof(given), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	for (int i = 0; i < parser->count; i++) {
		size_t used = strlen(matches);
		const char *name = parser->rows[i]->name;

		if (parser->rows[i]->means)
			continue;
		names[count++] = name;
		if (strncmp(name, given, strlen(given)) != 0)
			continue;
		snprintf(matches + used, sizeof(matches) - used, "%s--%s",
			match_count++ ? ", " : "", name);
	}
	const char *near = suggest(given, names, count);
	if (match_count > 1)
		cli_error("--%s may mean any of %s", given, matches);
	else if (near)
		cli_error("'%s' has no option --%s; did you mean --%s?", parser->command->name,
			given, near);
	else
		cli_error("'%s' has no option --%s", parser->command->name, given);
}

static void report_bad(const struct parser *parser, int result, char **argv)
{
	const int i = find_row(parser, optopt);
	const struct command_option *row = i >= 0 ? parser->rows[i] : NULL;

	if (result == ':')
		cli_error("%s needs an argument: %s", argv[optind - 1], row->argument);
	else if (optopt == 0)
		report_unknown(parser, argv[optind - 1]);
	else if (row)
		cli_error("--%s takes no argument", row->name);
	else
		cli_error("'%s' has no option -%c", parser->command->name, optopt);
}

static int fail(const struct command *command)
{
	fprintf(stderr, "Try 'earshot %s --help'.\n", command->name);
	notes_usage();
	return EAR_EXIT_FAILED;
}

int options_parse(const struct command *command, int argc, char **argv, void *request, int *status)
{
	struct parser parser;
	int result;

	build(&parser, command);
	opterr = 0;
	optind = 0; /* from the beginning, also the second time */
	while ((result = getopt_long(argc, argv, parser.letters, parser.long_options, NULL)) !=
		-1) {
		if (result == '?' || result == ':') {
			report_bad(&parser, result, argv);
			*status = fail(command);
			return -1;
		}
		const int i = find_row(&parser, result);
		const struct command_option *row = parser.rows[i];
		if (row == &help_option) {
			help_command(stdout, command);
			*status = EAR_EXIT_DONE;
			return -1;
		}
		if (!row->take((char *)request + parser.at[i], row, optarg)) {
			*status = fail(command);
			return -1;
		}
	}
	return optind;
}

int options_walk(const struct command *command, int argc, char **argv, options_take_any *take_any,
	void *context)
{
	struct parser parser;
	int result;

	build(&parser, command);
	opterr = 0;
	optind = 0;
	while ((result = getopt_long(argc, argv, parser.letters, parser.long_options, NULL)) !=
		-1) {
		const int i = result == '?' || result == ':' ? -1 : find_row(&parser, result);
		if (i < 0 || parser.rows[i] == &help_option ||
			!take_any(context, parser.rows[i], optarg))
			return -1;
	}
	return optind;
}

bool option_take_flag(void *value, const struct command_option *option, const char *argument)
{
	int word = true;

	if (option->words && !option_word(&word, option, argument))
		return false;
	*(bool *)value = word;
	return true;
}

bool option_take_text(void *value, const struct command_option *option, const char *argument)
{
	(void)option;
	*(const char **)value = argument;
	return true;
}

bool option_take_number(void *value, const struct command_option *option, const char *argument)
{
	return option_number(value, option, argument, option->min, option->max);
}

bool option_take_optional(void *value, const struct command_option *option, const char *argument)
{
	struct optional_number *optional = value;

	optional->given = true;
	return option_take_number(&optional->number, option, argument);
}

bool option_take_unsigned(void *value, const struct command_option *option, const char *argument)
{
	if (option->words)
		return option_word(value, option, argument);
	return option_unsigned(
		value, option, argument, (unsigned)option->min, (unsigned)option->max);
}

bool option_take_set(void *value, const struct command_option *option, const char *argument)
{
	(void)argument;
	*(unsigned *)value = (unsigned)option->min;
	return true;
}

bool option_take_set_flag(void *value, const struct command_option *option, const char *argument)
{
	(void)argument;
	*(bool *)value = option->min;
	return true;
}

bool option_take_xlen(void *value, const struct command_option *option, const char *argument)
{
	int word;

	if (!option_word(&word, option, argument))
		return false;
	*(unsigned *)value = word ? 64 : 32;
	return true;
}

bool option_be_quiet(void *value, const struct command_option *option, const char *argument)
{
	(void)value;
	(void)option;
	(void)argument;
	cli_progress_disable();
	cli_quiet = true;
	return true;
}

bool option_take_quiet(void *value, const struct command_option *option, const char *argument)
{
	return option_be_quiet(value, option, argument) &&
	       option_take_flag(value, option, argument);
}

bool option_fail(const struct command_option *option, const char *argument, const char *expected)
{
	cli_error("--%s: '%s' is not %s", option->name, argument, expected);
	return false;
}

bool option_number(uint64_t *value, const struct command_option *option, const char *argument,
	uint64_t min, uint64_t max)
{
	uint64_t number;
	char range[64];

	if (!cli_parse_count(&number, argument))
		return option_fail(option, argument, "a number");
	if (number < min || number > max) {
		if (max == UINT64_MAX)
			snprintf(range, sizeof(range), "%" PRIu64 " or more", min);
		else
			snprintf(range, sizeof(range), "a number from %" PRIu64 " to %" PRIu64, min,
				max);
		return option_fail(option, argument, range);
	}
	*value = number;
	return true;
}

bool option_unsigned(unsigned *value, const struct command_option *option, const char *argument,
	unsigned min, unsigned max)
{
	uint64_t number;

	if (!option_number(&number, option, argument, min, max))
		return false;
	*value = (unsigned)number;
	return true;
}

bool option_word(int *index, const struct command_option *option, const char *argument)
{
	char expected[256];
	int count = 0;

	for (const char *word = option->words; *word; count++) {
		size_t size = strcspn(word, " ");

		if (strlen(argument) == size && memcmp(argument, word, size) == 0) {
			*index = count;
			return true;
		}
		word += size;
		word += *word == ' ';
	}
	snprintf(expected, sizeof(expected), "one of: %s", option->words);
	return option_fail(option, argument, expected);
}
