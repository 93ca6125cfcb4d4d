#ifndef EAR_INDEX_FEED_H
#define EAR_INDEX_FEED_H

#include "library/source/source_anchor.h"
#include "library/source/source_runs.h"
#include "library/state/run_summary.h"

/* The records of a part of a trace, and where its stretches and nodes end: all of building that
 * needs the source. index_ahead.h does it in another thread.
 */

#define EAR_INDEX_STRETCH 65536u

/* A node ends. */
struct ear_index_node_end {
	struct ear_anchor anchor; /* where the next one begins; without a state: nowhere */
	uint64_t position, number;
};

/* Free what it has; all zero and twice are fine. */
void ear_index_node_end_fini(struct ear_index_node_end *end);

/* What comes next: records, then perhaps the end of a stretch, then perhaps that of a node. */
struct ear_index_step {
	struct ear_source_run run; /* none at the end of the trace, and with a summary */
	const struct ear_run_summary *summary; /* of a run of ordinary records; else NULL */
	bool reported;                         /* the reader did, a line */
	bool stretch_ends;
	uint64_t bytes, checksum;       /* of the stretch */
	struct ear_index_node_end *end; /* NULL: the node goes on. What it has may be taken */
};

struct ear_index_feed {
	struct ear_source *source; /* the caller's */
	uint64_t end;     /* it ends at the first anchor after; UINT64_MAX: with the trace */
	unsigned stretch; /* cost of a stretch; of init that of docs/index.md */
	bool text;        /* records cost what those of texts do */
	bool at_end, trace_ended;
	int fault;                   /* the trace ended with this error */
	struct ear_source_runs runs; /* of source */
	struct ear_anchor anchor;    /* where the stretch began */
	bool summarize;              /* runs that fit; the caller's, false after init */
	struct ear_run_summary summary;
	struct ear_run_summary_room room;
	const uint64_t *reports; /* of the reader so far, the caller's; NULL: not counted */
	uint64_t reported;       /* of these, in steps before */
	uint64_t node_begin;     /* position */
	unsigned stretches;      /* of the node */
	uint64_t cost;           /* of the stretch */
	struct ear_index_node_end node_end;
};

/* The source is where the part begins, at an anchor. Returns 0, or as ear_source_anchor; fini is
 * right in all cases. */
int ear_index_feed_init(struct ear_index_feed *feed, struct ear_source *source, uint64_t end);
void ear_index_feed_fini(struct ear_index_feed *feed);

/* The next step, valid until the next call. The last one of a part ends its last node. Returns 1; 0
 * at the end of the part; EAR_E_IO, EAR_E_NO_MEMORY, EAR_E_FULL (too many harts), EAR_E_UNSUPPORTED
 * (library/state/ source_anchor.h). What is wrong with the trace is feed->fault, at the end.
 */
int ear_index_feed_next(struct ear_index_feed *feed, struct ear_index_step *step);

#endif
