#ifndef EARSHOT_INDEX_H
#define EARSHOT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The index of a trace: a file beside it, "run.shot.idx", or in a cache folder, that says where in
 * the trace something may be found, and what registers, memory and stacks held at its checkpoints
 * (docs/index.md).
 *
 * It is made by the first function that needs it (struct ear_trace_options says whether and where),
 * and extended when the trace has grown. Every answer is the same as by a plain scan, which is
 * made where there is no index. It is only ever about speed. An index that turns out to be damaged,
 * or of another trace, is made anew in the middle of a question, once for a handle of the trace.
 */

/* Let the trace have an index now: open it, or build or extend it, as the options of the trace say;
 * with rebuild always build it. All blocks of an index that is there are read, and one that is
 * damaged is none. If the times of the trace are not those that the index knows, all bytes of the
 * trace are read and compared (docs/index.md, section 5). Returns 1 if there is an index; 0 if
 * there is none and none can be made (ear_trace_error says why); EAR_E_CANCELLED, or an error of
 * reading the trace.
 */
int ear_trace_index(struct ear_trace *trace, bool rebuild, const struct ear_progress *progress);

struct ear_index_facts {
	size_t size;                  /* sizeof(struct ear_index_facts), filled in by the caller */
	const char *file;             /* of the index; NULL: there is none */
	bool built, extended, cached; /* by this handle; it is in the cache folder */
	uint64_t file_size;           /* bytes */
	uint64_t records;             /* that it covers */
	uint64_t built_records;       /* of these, by this handle */
	double build_seconds;         /* that took */
	const char *cause; /* why it was built anew, or could not be built: a sentence; or "" */
};

/* Returns 0 and *facts; the texts are the trace's. EAR_E_BAD_ARGUMENT if size is 0. */
int ear_trace_index_facts(struct ear_trace *trace, struct ear_index_facts *facts);

/* The first position, from or after it, at which reading on may report a line
 * (ear_trace_options.report): a program that reads only what a search finds, and wants the reports
 * of a whole reading all the same, reads there, too. Without an index that is from; with one it is
 * where a part begins in which a bad line was seen. What comes after the last record does not
 * count.
 *
 * Returns 1 and *position; 0: nothing is reported from there on; EAR_E_CANCELLED, or an error of
 * reading.
 */
int ear_trace_find_report(struct ear_trace *trace, uint64_t from, uint64_t *position,
	const struct ear_progress *progress);

/* The last position at or before a position at which the index has a checkpoint (docs/index.md,
 * section 3): to seek there, or to ask for a moment, costs least, for nothing is decoded on the
 * way. So parts of a trace that are read by several threads begin best at checkpoints. An index is
 * built as a moment does.
 *
 * Returns 1 and *before; 0, and *before is position: there is no index, where no position is better
 * than another one; EAR_E_CANCELLED, or an error of reading. */
int ear_trace_checkpoint_before(struct ear_trace *trace, uint64_t position, uint64_t *before,
	const struct ear_progress *progress);

/* Read the whole trace and the whole index, and compare: each stretch of the trace with its
 * checksum, and what the index says with what is there.
 *
 * Returns 0: it is right. EAR_E_BAD_FILE: it is not, ear_trace_error says where. EAR_E_UNSUPPORTED:
 * there is no index. EAR_E_CANCELLED, or an error of reading.
 */
int ear_trace_index_verify(struct ear_trace *trace, const struct ear_progress *progress);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
