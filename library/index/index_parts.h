#ifndef EAR_INDEX_PARTS_H
#define EAR_INDEX_PARTS_H

#include "library/index/index_part.h"
#include "library/shot/shot_index.h"

/* Parts of a trace, made by several threads, and given out in their order. */

/* A part that is complete. */
struct ear_index_made_part {
	struct ear_index_product *products;
	size_t count;                 /* 0: the trace ended before the first anchor */
	struct ear_anchor end_anchor; /* where it ended */
	bool trace_ended;             /* and the trace did */
	struct ear_memory *memory;
	enum ear_memory_key key; /* that memory should have, also after an error */
	struct ear_state *state;
	int fault; /* the trace ended with this error */
};

void ear_index_made_part_fini(struct ear_index_made_part *part);

struct ear_index_parts;

/* Begin with jobs threads. stretch: cost of one; 0: as usual. places: where parts begin, but for
 * the first: at the first anchor after the place, since at a place itself there is none. All
 * pointers must stay until free. Returns 0 and *parts, to be freed, or EAR_E_NO_MEMORY, or EAR_E_IO
 * (no thread can be made).
 */
int ear_index_parts_new(struct ear_index_parts **parts, int trace_fd,
	const struct ear_source_options *options, unsigned stretch,
	const struct ear_memory_options *memory, const struct ear_shot_place *places,
	size_t place_count, unsigned jobs);
void ear_index_parts_free(struct ear_index_parts *parts);

/* The next part, to be freed with fini. Returns 1; 0 after the last; EAR_E_MORE if it took longer
 * than timeout_ms: ask again, and *part is as it was; or what a thread returned, in any order: then
 * no part is of use.
 */
int ear_index_parts_next(
	struct ear_index_parts *parts, struct ear_index_made_part *part, unsigned timeout_ms);

#endif
