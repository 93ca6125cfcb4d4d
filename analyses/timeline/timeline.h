#ifndef EAR_ANALYSES_TIMELINE_H
#define EAR_ANALYSES_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/calls.h>
#include <earshot/names.h>
#include <earshot/trace.h>

#include "analyses/base/analysis.h"
#include "analyses/timeline/timeline_types.h"

/* A run over time: calls, handlers, privileges, tasks and gaps as slices on tracks, traps,
 * interrupts and events as instants, and counters. docs/analyses/timeline.md.
 *
 *     ear_timeline_new(&timeline, names, &options);
 *     while (ear_trace_next_batch(trace, &batch) == 1)
 *             ear_timeline_batch(timeline, &batch);
 *     ear_timeline_finish(timeline);
 *     while (ear_timeline_next(timeline, &event))
 *             ... event
 *     ear_timeline_free(timeline);
 *
 * Memory is bounded by the number of slices.
 *
 * Parts of a trace that follow each other are read into a timeline each, with options.part, begun
 * by ear_timeline_start and finished; joined in order they make the timeline of the whole.
 */
struct ear_timeline;

/* All of that for the runner; struct ear_timeline_options, which may be NULL, are its options. */
extern const struct ear_analysis ear_timeline_analysis;

/* names NULL: there are none; they must stay, and so must options->task. Returns 0 and *timeline;
 * EAR_E_NO_MEMORY. */
int ear_timeline_new(struct ear_timeline **timeline, struct ear_names *names,
	const struct ear_timeline_options *options);
void ear_timeline_free(struct ear_timeline *timeline); /* NULL is fine */

/* The first batch is at moment, not at the begin of the trace: as ear_calls_start. */
int ear_timeline_start(struct ear_timeline *timeline, struct ear_moment *moment,
	const struct ear_progress *progress);

/* Returns 0, EAR_E_NO_MEMORY, or EAR_E_FULL: too many harts. */
int ear_timeline_batch(struct ear_timeline *timeline, const struct ear_batch *batch);

/* No more batches. Returns 0 or EAR_E_NO_MEMORY. */
int ear_timeline_finish(struct ear_timeline *timeline);

/* What the part has is behind what the sum has, which took no batches. The part is finished, the
 * sum not. Returns 0, EAR_E_NO_MEMORY, EAR_E_FULL, or EAR_E_BAD_FILE: the part is wrong. */
int ear_timeline_join(struct ear_timeline *sum, struct ear_timeline *part);

/* What the trace is called, for who shows the timeline; parts hand it on. NULL: it was not said. */
void ear_timeline_set_title(struct ear_timeline *timeline, const char *title);
const char *ear_timeline_title(const struct ear_timeline *timeline);

/* Does it follow a heap, by names of its functions? Parts of a whole that does must, too. */
bool ear_timeline_has_heap(const struct ear_timeline *timeline);

/* After that: tracks, 0 .. count - 1. */
size_t ear_timeline_track_count(const struct ear_timeline *timeline);
const struct ear_timeline_track *ear_timeline_track(
	const struct ear_timeline *timeline, size_t track);

/* Where the track is shown: 0 is the first one. */
uint32_t ear_timeline_track_rank(const struct ear_timeline *timeline, size_t track);

const char *ear_timeline_category_name(unsigned category); /* "call" */

/* "unwound"; NULL of one that returned. */
const char *ear_timeline_how_name(unsigned how);

/* Events in order: those of a track by time, all of a slice between its begin and its end. Returns
 * false after the last one, and begins anew then. */
bool ear_timeline_next(struct ear_timeline *timeline, struct ear_timeline_event *event);

struct ear_timeline_result ear_timeline_result(const struct ear_timeline *timeline);

#endif
