#ifndef EAR_INDEX_VERIFY_H
#define EAR_INDEX_VERIFY_H

#include "library/index/file/index_progress.h"
#include "library/index/index_query.h"
#include "library/source/source.h"

/* Read and unpack all of the index. Returns 0; EAR_E_BAD_FILE: it is damaged; EAR_E_NO_MEMORY,
 * EAR_E_IO. */
int ear_index_check(struct ear_index *index);

/* Read the whole trace and the whole index, and compare them: each stretch with its checksum, and
 * with the sets that say what it may hold. source: of the same trace, at its beginning; it stays
 * the caller's. progress may be NULL.
 *
 * Returns 0: the index is right. EAR_E_BAD_FILE: it is not; *position gets where, or UINT64_MAX if
 * the index cannot be read; and trace_changed says if it is the trace that differs. Or
 * EAR_E_CANCELLED, EAR_E_NO_MEMORY, EAR_E_IO.
 */
int ear_index_verify(struct ear_index *index, struct ear_source *source,
	ear_index_progress *progress, void *context, uint64_t *position, bool *trace_changed);

#endif
