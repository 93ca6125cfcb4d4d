#ifndef EAR_ANALYSES_TOP_H
#define EAR_ANALYSES_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/trace.h>

#include "analyses/top/top_types.h"

/* What runs right now: counts of one interval of a trace after the other (docs/analyses/top.md).
 *
 *     ear_top_new(&top, &options);
 *     while (ear_trace_next_batch(trace, &batch) == 1) {
 *             ear_top_batch(top, &batch);
 *             if (... the interval is over)
 *                     ear_top_take(top, &wish, &view);
 *     }
 *
 * It is no struct ear_analysis: intervals are read in order, and are neither cut nor joined. The
 * sum of all intervals is what ear_profile_analysis and ear_stat_analysis count of the same
 * records. For one thread at a time. Nothing of the trace is kept.
 */
struct ear_top;

/* Returns 0 or EAR_E_NO_MEMORY. */
int ear_top_new(struct ear_top **top, const struct ear_top_options *options);
void ear_top_free(struct ear_top *top); /* NULL is fine */

/* Count the next batch. Returns 0, EAR_E_NO_MEMORY, or EAR_E_FULL: more than 1024 harts. */
int ear_top_batch(struct ear_top *top, const struct ear_batch *batch);

/* Records of instructions and interrupts of the interval so far. */
uint64_t ear_top_pending(const struct ear_top *top);

/* End the interval, and copy what was counted. Returns 0 or EAR_E_NO_MEMORY: nothing has changed.
 */
int ear_top_take(struct ear_top *top, const struct ear_top_wish *wish, struct ear_top_view *view);

void ear_top_view_fini(struct ear_top_view *view);

#endif
