#ifndef EAR_INDEX_EXTEND_H
#define EAR_INDEX_EXTEND_H

#include "library/index/file/index_file.h"
#include "library/index/index_merge.h"
#include "library/memory/memory_state.h"

/* The index of a trace that has grown: what of the old index stays, and what building needs of it.
 * docs/index.md, section 7.
 */
struct ear_index_extend {
	struct ear_index *old;                  /* the caller's */
	size_t node;                            /* the first that is built anew */
	struct ear_index_checkpoint checkpoint; /* at its beginning */
};

/* Choose the node, and check that the trace is still the same right before it: one source of the
 * trace reads the node before. Returns 0; EAR_E_BAD_ARGUMENT: nothing of the old index can stay;
 * EAR_E_NO_MEMORY; EAR_E_IO. fini is right in all cases. */
int ear_index_extend_init(
	struct ear_index_extend *extend, struct ear_index *old, struct ear_source *source);
void ear_index_extend_fini(struct ear_index_extend *extend);

/* merge, of init, into an empty file: continue behind the nodes that stay. source: of the trace, at
 * its beginning. Returns as ear_index_merge_add, and EAR_E_BAD_FILE. */
int ear_index_extend_merge(const struct ear_index_extend *extend, struct ear_index_merge *merge,
	struct ear_source *source);

/* whole, fresh, becomes what ear_memory_merge needs of the memory before the part; source: any of
 * the trace. Returns 0; EAR_E_BAD_ARGUMENT: too much would be asked; EAR_E_BAD_FILE,
 * EAR_E_NO_MEMORY, EAR_E_IO. */
int ear_index_extend_memory(const struct ear_index_extend *extend, struct ear_memory *whole,
	const struct ear_memory *part, const struct ear_memory_options *options,
	struct ear_source *source);

#endif
