#ifndef EAR_INDEX_LOG_H
#define EAR_INDEX_LOG_H

#include "library/memory/memory_state.h"
#include "library/source/source.h"

/* The accesses of some records of a capture, one after the other: what memory holds after them, for
 * who knows that nothing was forgotten in between. It costs a tenth of following the memory
 * (memory_state.h), with which it agrees.
 */
struct ear_index_log {
	/* In columns. form: bytes of the access, a power of 2; COMPLEX: it is not known what the
	 * instruction did to the 64 bytes from the address on. */
	uint64_t *addresses, *values;
	uint8_t *forms;
	size_t count, capacity;
	uint64_t low, span; /* addresses that are kept: low .. low + span */
	bool failed;        /* something is not in it: it is of no use */
};

#define EAR_INDEX_LOG_COMPLEX 0
#define EAR_INDEX_LOG_MAX     ((size_t)1 << 21) /* accesses, 36 MB */

/* All zero is a log that fini takes. */
void ear_index_log_fini(struct ear_index_log *log);

/* Begin with nothing, and keep what may concern first .. last from here on. */
void ear_index_log_begin(struct ear_index_log *log, uint64_t first, uint64_t last);

/* The next run or record. */
void ear_index_log_push(struct ear_index_log *log, const struct ear_source_run *run);

/* What the log says of lines that follow each other in memory goes under them
 * (ear_memory_line_under). False: it cannot say. */
bool ear_index_log_lines(
	const struct ear_index_log *log, struct ear_memory_line *lines, size_t count);

#endif
