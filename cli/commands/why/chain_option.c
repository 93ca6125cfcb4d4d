/* How far chains of values are followed, as the command line says it. */
#include "cli/commands/why/chain_option.h"

#include <earshot/value_chain.h>

#include "cli/options/options.h"

#define COUNT_MAX 4096

const struct command_option chain_options[] = {
	{"limit", 'n', "N", .text = "Show at most N records of a chain (default 64).",
		OPTION_VALUE(struct ear_value_chain_options, nodes), .min = 1, .max = COUNT_MAX},
	{"nodes", .means = "limit"},
	{"depth", 0, "N", .text = "Go back at most N steps in a chain (default 64).",
		OPTION_VALUE(struct ear_value_chain_options, depth), .min = 1, .max = COUNT_MAX},
	{"repeats", 0, "N",
		.text = "Show N records of an instruction, and fold older ones into the last of them "
			"(default 2).",
		OPTION_VALUE(struct ear_value_chain_options, repeats), .min = 1, .max = COUNT_MAX},
	{"addresses", 0, .text = "Follow the addresses of loads and stores, too.",
		OPTION_VALUE(struct ear_value_chain_options, addresses)},
	{0},
};
