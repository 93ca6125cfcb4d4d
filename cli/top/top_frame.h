#ifndef EAR_TOP_FRAME_H
#define EAR_TOP_FRAME_H

#include "analyses/top/top.h"
#include "cli/top/top_options.h"
#include "cli/top/top_source.h"

/* What a capture did in an interval, or all in all. */
struct top_link_counts {
	uint64_t records, lost, blind, gaps, held_clocks, received, dropped, offered, skipped;
};

enum top_state { TOP_RUNNING, TOP_ENDED, TOP_INTERRUPTED, TOP_FAILED };

/* An interval, for those who show it. */
struct top_frame {
	const struct top_source *source;
	const struct top_options *options;
	struct ear_top_view view;
	uint64_t number; /* of the interval, from 0 */
	double elapsed;  /* seconds since the begin */
	double seconds;  /* of the interval */
	bool has_rates;  /* what came came as it ran, and the interval has a length */
	enum top_state state;
	struct top_link_counts link_now, link_sum;
	uint64_t ring_size, ring_fill, ring_fill_most;
	bool absent;
};

#endif
