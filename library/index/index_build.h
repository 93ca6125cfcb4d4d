#ifndef EAR_INDEX_BUILD_H
#define EAR_INDEX_BUILD_H

#include "library/index/file/index_file.h"
#include "library/index/file/index_progress.h"
#include "library/memory/memory_state.h"
#include "library/source/source.h"

/* Reading a trace and writing its index. docs/index.md, section 7. */

struct ear_index_build_options {
	const char *path; /* of the trace */
	struct ear_source_options source;
	const struct ear_memory_range *devices;
	size_t device_count;
	unsigned jobs;    /* threads; 0 is 1 */
	unsigned stretch; /* cost of a stretch; 0: as docs/index.md says */
	ear_index_progress *progress;
	void *context;
	/* The index of the trace when it was shorter, or NULL: as much of it as can stays. */
	struct ear_index *old;
};

/* What was built. */
struct ear_index_built {
	uint64_t records;
	uint64_t kept;  /* of these, records whose nodes are those of old */
	unsigned parts; /* that other threads made; 0: it was one pass, */
	bool ahead;     /* in two threads */
};

/* Build the index of the trace behind trace_fd into out_fd, an empty file. identity is written as
 * it is. *built is filled in if it returns 0.
 *
 * Returns 0; EAR_E_UNSUPPORTED: the trace has no anchors; EAR_E_CANCELLED; EAR_E_FULL (too long,
 * too many harts); EAR_E_BAD_FILE, EAR_E_NO_MEMORY, EAR_E_IO (errno): of either file.
 */
int ear_index_build(int out_fd, int trace_fd, const struct ear_index_identity *identity,
	const struct ear_index_build_options *options, struct ear_index_built *built);

#endif
