/* The options of a live view, which are those of `earshot top`. */
#include "cli/top/top_options.h"

#include <stdlib.h>

#include "cli/options/options.h"

#define INTERVAL_MIN 0.05
#define INTERVAL_MAX 86400.0

static bool take_interval(void *value, const struct command_option *option, const char *argument)
{
	struct top_options *options = value;
	char *end;
	const double seconds = strtod(argument, &end);

	if (argument[0] < '0' || argument[0] > '9' || *end || !(seconds >= INTERVAL_MIN) ||
		!(seconds <= INTERVAL_MAX))
		return option_fail(option, argument, "a number of seconds from 0.05 to 86400");
	options->interval = seconds;
	return true;
}

static bool take_idle(void *value, const struct command_option *option, const char *argument)
{
	struct top_options *options = value;

	if (options->idle_count == TOP_IDLE_MAX)
		return option_fail(option, argument, "taken: there are too many");
	options->idle[options->idle_count++] = argument;
	return true;
}

const struct command_option top_view_options[] = {
	{"json", 0,
		.text = "Print a JSON object a line for each interval (docs/analyses/top.md, section 4).",
		OPTION_SETS(struct top_options, how, TOP_JSON)},
	{"plain", 0,
		.text = "Print a line of text for each interval. This is the default if standard "
			"output is no terminal.",
		OPTION_SETS(struct top_options, how, TOP_PLAIN)},
	{"interval", 0, "SECONDS", .text = "Length of an interval, 0.05 or more (default 1).",
		.take = take_interval},
	{"every", 0, "RECORDS",
		.text = "With --plain or --json: an interval ends after so many instructions, or a "
			"few more, instead of after a time.",
		.detail = "So the output for a file is the same each time. There are no rates.",
		OPTION_VALUE(struct top_options, every), .min = 1, .max = UINT64_MAX},
	{"limit", 'n', "N", .text = "End after N intervals.",
		OPTION_VALUE(struct top_options, count), .min = 1, .max = UINT64_MAX},
	{"count", .means = "limit"},
	{"rows", 0, "N",
		.text = "List at most N functions and N instructions in JSON (default 20), 0 for "
			"all.",
		OPTION_VALUE(struct top_options, rows), .max = UINT64_MAX},
	{"idle", 0, "FUNCTION",
		.text = "FUNCTION only waits: what runs in it is idle, as are wfi and a jump to "
			"itself. Repeat for more.",
		.take = take_idle},
	{0},
};
