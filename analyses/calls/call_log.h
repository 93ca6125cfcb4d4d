#ifndef EAR_ANALYSES_CALL_LOG_H
#define EAR_ANALYSES_CALL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/calls.h>
#include <earshot/names.h>
#include <earshot/trace.h>

#include "analyses/base/analysis.h"
#include "analyses/calls/call_log_call.h"

/* All calls of a run in the order in which they began, each with its end.
 * docs/analyses/calls.md.
 *
 *     ear_call_log_new(&log, names, &options);
 *     while (ear_trace_next_batch(trace, &batch) == 1)
 *             ear_call_log_batch(log, &batch);
 *     ear_call_log_finish(log);
 *     ear_call_log_free(log);
 *
 * A call is handed out when it, and all before it, have ended. EAR_CALL_LOG_WINDOW calls wait at
 * most: then the first of them is handed out before its end. With options->by_end each call is
 * handed out when it ends, none before, and those that have no end at last.
 */
struct ear_call_log;

/* All of that for the runner; struct ear_call_log_options are its options. */
extern const struct ear_analysis ear_calls_analysis;

/* names NULL: there are none, and no tail calls are seen; they must stay. Returns 0 and *log, or
 * EAR_E_NO_MEMORY. */
int ear_call_log_new(struct ear_call_log **log, struct ear_names *names,
	const struct ear_call_log_options *options);
void ear_call_log_free(struct ear_call_log *log); /* NULL is fine */

/* Begin at a moment in the trace, before the first batch: with the calls that are active there,
 * which are not handed out, and what registers hold. Returns as ear_calls_start. */
struct ear_moment;
int ear_call_log_start(struct ear_call_log *log, struct ear_moment *moment);

/* Calls that begin from now on are followed, but not handed out: another task makes them. */
void ear_call_log_skip(struct ear_call_log *log, bool skipped);

/* Returns 0, an error as ear_calls_batch, or what take returned. */
int ear_call_log_batch(struct ear_call_log *log, const struct ear_batch *batch);

/* No more batches come: the rest is handed out. Returns 0 or what take returned. */
int ear_call_log_finish(struct ear_call_log *log);

/* Parts of a trace, each read by a log of its own that was started at its begin, in the order of
 * the trace: the sum, a log that got no batches, hands out what a log of the whole does, with its
 * own options. A part that was joined is to be freed. They have no registers. Returns
 * 0, EAR_E_NO_MEMORY, what take returned, or EAR_E_BAD_FILE: the file that it was read from is
 * wrong. */
int ear_call_log_join(struct ear_call_log *sum, struct ear_call_log *part);

struct ear_call_log_facts ear_call_log_facts(const struct ear_call_log *log);

#endif
