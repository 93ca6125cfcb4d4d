#ifndef EAR_INDEX_SPARSE_H
#define EAR_INDEX_SPARSE_H

#include "library/memory/memory_state.h"

/* Lines of pages of 4 KiB in which few lines changed in a node: what is in a partial version. Each
 * such line would cost reading a node again, while a page that is written in one go costs one.
 *
 * A page is *complete* if all of its lines are there that were ever touched: then nothing older has
 * to be asked about any byte of it.
 */
struct ear_index_sparse {
	struct ear_memory_line *lines; /* by address, ascending */
	size_t count;
	uint64_t *pages; /* addresses of those that are complete, ascending */
	size_t page_count;
};

#define EAR_INDEX_SPARSE_PAGE ((uint64_t)4096)

/* Make it of changes, which are those that *memory gave last. Returns 0; EAR_E_NO_MEMORY, an error
 * of the spill: it is empty. */
int ear_index_sparse_make(struct ear_index_sparse *sparse, struct ear_memory *memory,
	const struct ear_memory_changes *changes);
void ear_index_sparse_fini(struct ear_index_sparse *sparse);

/* The same with what memory, which has all before, says of these lines and pages. Returns likewise.
 */
int ear_index_sparse_complete(struct ear_index_sparse *completed,
	const struct ear_index_sparse *sparse, struct ear_memory *before);

/* Make it smaller by a step: without lines of pages that are not complete, then half of the pages.
 * False: nothing is left. */
bool ear_index_sparse_shrink(struct ear_index_sparse *sparse);

#endif
