#ifndef EAR_LIVE_TOP_FEED_H
#define EAR_LIVE_TOP_FEED_H

#include <stdatomic.h>
#include <stdint.h>

#include "cli/input/symbol_file.h"
#include "cli/top/top_options.h"
#include "cli/top/top_source.h"

/* What is asked for. */
struct live_top_options {
	const char *device;             /* its name, to be shown */
	const struct top_options *view; /* how is not TOP_AUTOMATIC */
	struct symbol_file *symbols;    /* of the view alone; used in its process */
	bool is_aside;                  /* leaving the view does not end the capture */
};

/* The two ends of what a capture hands to its live view: a pipe of messages. */

enum live_top_kind {
	LIVE_TOP_BYTES, /* of the stream, whole frames */
	LIVE_TOP_STATE, /* of the decoder, after bytes that were skipped */
	LIVE_TOP_END,   /* of the stream; size is 1 if it was meant to end there */
};

struct live_top_message {
	uint32_t kind;
	uint32_t size;    /* of what follows, bytes */
	uint64_t skipped; /* STATE: bytes of the stream */
};

enum live_top_phase { LIVE_TOP_STARTS, LIVE_TOP_READY, LIVE_TOP_RUNS };

/* In memory of both processes. */
struct live_top_shared {
	struct top_link link;
	/* enum live_top_phase. The view is ready, says the view; the capture runs, says the
	 * capture: what goes wrong before that is not covered by a screen. */
	_Atomic int phase;
};

/* Show what comes from a pipe until it ends. Returns an exit status. */
int live_top_show(const struct live_top_options *options, int from, struct live_top_shared *shared);

#endif
