#ifndef EAR_INDEXED_H
#define EAR_INDEXED_H

#include "library/api/query.h"
#include "library/api/trace_internal.h"
#include "library/index/index.h"

/* The index of a trace is about to be used: open it, or build it if the options say so and the
 * trace is long enough. Afterwards trace->index is it, or NULL: go on without.
 *
 * Returns 0; EAR_E_CANCELLED or EAR_E_NO_MEMORY, which the trace has.
 */
int ear_trace_need_index(struct ear_trace *trace, const struct ear_progress *progress);

/* The same, but none is built: for what reads the trace once at most. */
int ear_trace_find_index(struct ear_trace *trace, const struct ear_progress *progress);

/* For many questions to a trace that shall have no index: one without a name is built, if the trace
 * is long enough, and is gone with the handle. Not of inferred values, which it does not know.
 * Returns as ear_trace_need_index.
 */
int ear_trace_need_private_index(struct ear_trace *trace, const struct ear_progress *progress);

/* A question ended with this result: is it to be asked again? Once, if it may be the index that
 * cannot be read, or that is not of this trace: then it is made anew, or, if the options say that
 * none is to be made, not used any more.
 */
bool ear_trace_asks_again(struct ear_trace *trace, int64_t result);

#define EAR_QUERY_TERMS_MAX 12

/* What the index can say about a query. The terms point into it. Returns their number. */
size_t ear_query_terms(
	const struct ear_query *query, struct ear_index_term terms[EAR_QUERY_TERMS_MAX]);

#endif
