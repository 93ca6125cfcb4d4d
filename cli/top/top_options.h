#ifndef EAR_TOP_OPTIONS_H
#define EAR_TOP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options/command.h"

/* How a live view is shown: docs/analyses/top.md. */
enum top_how {
	TOP_AUTOMATIC, /* a screen on a terminal, else lines */
	TOP_SCREEN,
	TOP_PLAIN, /* a line an interval */
	TOP_JSON,  /* an object an interval, a line each */
	TOP_WEB,   /* the same to browsers */
};

#define TOP_IDLE_MAX 16

struct web_options; /* cli/web/web.h */

struct top_options {
	enum top_how how;
	double interval; /* seconds */
	uint64_t every;  /* instead: records of an interval, or a few more; 0: none */
	uint64_t count;  /* intervals, then it ends; 0: until the trace ends */
	uint64_t rows;   /* of each list; 0: all */
	const char *idle[TOP_IDLE_MAX]; /* functions that only wait */
	unsigned idle_count;
	const struct web_options *web; /* of TOP_WEB: its socket and token */
};

#define TOP_OPTIONS_DEFAULTS \
	{ \
		.interval = 1, .rows = 20 \
	}

/* The group of these options, for a struct top_options. */
extern const struct command_option top_view_options[];

#endif
