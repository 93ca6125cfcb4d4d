#ifndef CLI_CHAIN_OPTION_H
#define CLI_CHAIN_OPTION_H

#define CHAIN_NODES_MAX 4096u

/* The rows of the options that say how far chains of values are followed. */
#define CHAIN_OPTIONS(nodes, depth, repeats, addresses) \
	{"nodes", 0, nodes, "N", .text = "Show at most N records of a chain (default 64)."}, \
		{"depth", 0, depth, "N", \
			.text = "Go back at most N steps in a chain (default 64)."}, \
		{"repeats", 0, repeats, "N", \
			.text = "Show N records of an instruction, and fold older ones into the last of " \
				"them (default 2)."}, \
	{ \
		"addresses", 0, addresses, \
			.text = "Follow the addresses of loads and stores, too." \
	}

#endif
