#ifndef EAR_INDEX_PART_H
#define EAR_INDEX_PART_H

#include "library/index/file/index_checkpoint.h"
#include "library/index/file/index_sparse.h"
#include "library/index/index_ahead.h"
#include "library/index/index_collect.h"
#include "library/index/index_feed.h"
#include "library/memory/memory_state.h"
#include "library/state/flow.h"
#include "library/state/state.h"

/* A part of a trace becomes nodes of level 0, one after the other, with all that follows from the
 * records of the part alone. Parts know nothing of each other: any thread can make one.
 */

/* A node, as a part makes it. */
struct ear_index_product {
	struct ear_index_sets sets;
	/* At its beginning; registers: since the begin of the part, for ear_state_append. Stacks
	 * are not filled in. */
	struct ear_index_checkpoint checkpoint;
	struct ear_flow_event *events; /* of the node, positions from its beginning */
	size_t event_count;
	struct ear_index_bytes changes; /* of memory, ear_memory_changes_save; none if dropped */
	bool changes_dropped;           /* there were too many */
	bool changes_whole;             /* nothing older says more of the lines, and those of: */
	struct ear_index_sparse sparse;
	bool forgotten; /* memory was, within the node; and before it */
	bool forgotten_before;
	uint64_t end, end_number; /* where the node ends */
};

void ear_index_product_fini(struct ear_index_product *product);

struct ear_index_part {
	struct ear_index_feed feed;
	struct ear_index_ahead *ahead; /* NULL: the feed is read in this thread */
	struct ear_memory *memory;     /* the caller's */
	enum ear_memory_key key;       /* of it */
	bool from_begin;               /* it begins with the trace; false after init */
	bool forgotten;                /* memory was, in the part */
	struct ear_index_collect collect;
	struct ear_flow flow;
	uint64_t records; /* of the node so far */
	struct ear_state *state;
	struct ear_anchor anchor;    /* where the next node begins, or the part ended */
	bool (*stop)(void *context); /* asked now and then; true: EAR_E_CANCELLED. NULL: never */
	void *stop_context;
	uint64_t unasked; /* records since it was */
};

/* The source is where the part begins, and belongs to the part until fini. end: as in struct
 * ear_index_feed. Returns 0; EAR_E_NO_MEMORY; EAR_E_UNSUPPORTED: there are no anchors. fini is
 * right in all cases. */
int ear_index_part_init(struct ear_index_part *part, struct ear_source *source, uint64_t end,
	struct ear_memory *memory, enum ear_memory_key key);
void ear_index_part_fini(struct ear_index_part *part);

/* Read in another thread, from the begin. Returns as ear_index_ahead_new. */
int ear_index_part_read_ahead(struct ear_index_part *part);

/* The next node. Returns 1 and *product, to be freed by fini; 0 at the end of the part; EAR_E_IO,
 * EAR_E_NO_MEMORY, EAR_E_CANCELLED, EAR_E_FULL (too many harts);
 * EAR_E_BAD_ARGUMENT: memory should have another key. What is wrong with the trace is
 * part->feed.fault, at the end.
 */
int ear_index_part_next(struct ear_index_part *part, struct ear_index_product *product);

#endif
