#ifndef EAR_TOP_SOURCE_H
#define EAR_TOP_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <earshot/names.h>
#include <earshot/trace.h>

/* Where the records of a live view come from. */

/* What a capture says of itself while it runs: sums since its begin. It is written by the process
 * that captures and read by the one that shows, in memory of both. Each number is whole; two of
 * them may be of different moments. */
struct top_link {
	_Atomic uint64_t records;     /* that the capture has decoded */
	_Atomic uint64_t lost;        /* by the unit or on the way, as far as counted */
	_Atomic uint64_t blind;       /* gaps of unknown size */
	_Atomic uint64_t gaps;        /* of any size */
	_Atomic uint64_t held_clocks; /* in which the unit held its core */
	_Atomic uint64_t received;    /* bytes from the device */
	_Atomic uint64_t dropped;     /* bytes, because the host's buffer was full */
	_Atomic uint64_t ring_size, ring_fill, ring_fill_most; /* the host's buffer, bytes */
	_Atomic uint64_t offered; /* bytes of the stream for the view, */
	_Atomic uint64_t skipped; /* and those of them that it did not get */
	_Atomic bool absent;      /* the device has gone, and the capture waits for it */
	_Atomic bool leave;       /* the end of the capture ends the view, too */
};

/* The next batch, as ear_trace_next_batch. */
typedef int top_next(void *context, struct ear_batch *batch);

struct top_source {
	const char *name; /* that is shown */
	top_next *next;
	void *context;
	/* Does what comes now come as it runs, so that rates have a meaning? NULL: never. Any
	 * thread. */
	bool (*is_live)(void *context);
	/* End a call of next that waits, and make those that come the end. Any thread. NULL: next
	 * never waits. */
	void (*cancel)(void *context);
	struct ear_names *names;      /* NULL: there are none */
	const struct top_link *link;  /* NULL: it is no capture */
	bool no_traps, no_interrupts; /* the trace cannot show them */
	bool quits_only_view;         /* what is captured continues when the view is left */
};

#endif
