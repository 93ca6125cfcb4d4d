#ifndef EAR_ANALYSES_PROFILE_H
#define EAR_ANALYSES_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/calls.h>
#include <earshot/names.h>
#include <earshot/trace.h>

#include "analyses/base/part.h"
#include "analyses/profile/profile_types.h"

/* Where a run spent its instructions: by function, and by the path of calls that led there.
 * docs/analyses/profile.md.
 *
 *     ear_profile_new(&profile, names, NULL);
 *     while (ear_trace_next_batch(trace, &batch) == 1)
 *             ear_profile_batch(profile, &batch);
 *     ear_profile_finish(profile);
 *     ... ear_profile_functions, ear_profile_path
 *     ear_profile_free(profile);
 */
struct ear_profile;

#define EAR_PROFILE_PCS_MAX (1u << 24) /* instructions; others count for their function only */

/* names NULL: there are none; they must stay. Returns 0 and *profile, or EAR_E_NO_MEMORY. */
int ear_profile_new(struct ear_profile **profile, struct ear_names *names,
	const struct ear_profile_options *options);
void ear_profile_free(struct ear_profile *profile); /* NULL is fine */

/* Returns 0 or an error as ear_calls_batch. */
int ear_profile_batch(struct ear_profile *profile, const struct ear_batch *batch);

/* Parts: before the first batch, the profile begins at the moment (ear_calls_start), which is not
 * needed after it. Where no calls are known none are. Returns 0 or an error as ear_calls_start. */
struct ear_moment;
int ear_profile_start(struct ear_profile *profile, struct ear_moment *moment,
	const struct ear_progress *progress);

/* Add what was counted of the part that comes next, by a profile with the same options: the result
 * is the profile of both, wherever they were cut. No more batches may come to either of them. next
 * must not be finished, and may be freed.
 *
 * Returns 0; EAR_E_NO_MEMORY: profile is of no use any more. */
int ear_profile_join(struct ear_profile *profile, struct ear_profile *next);

/* From now on records change the stacks, but do not count; or count again. */
void ear_profile_mute(struct ear_profile *profile, bool muted);

/* What comes next is another run: no time passed to it. */
void ear_profile_pause(struct ear_profile *profile);

/* Files of parts (part.h): what was counted, by a profile that is not finished, after the head; and
 * into a new profile with the same options, after ear_part_open. The first returns 0 or
 * EAR_E_NO_MEMORY; the second false, and the reader has the error. */
int ear_profile_write(struct ear_profile *profile, struct ear_part_writer *writer);
bool ear_profile_read(struct ear_profile *profile, struct ear_part_reader *reader);

/* All has been counted: make functions and nodes. Returns 0 or EAR_E_NO_MEMORY. */
int ear_profile_finish(struct ear_profile *profile);

/* After that. Functions with what they have, by address; nodes, parents first. */
size_t ear_profile_function_count(const struct ear_profile *profile);
const struct ear_profile_function *ear_profile_function(
	const struct ear_profile *profile, size_t function);
size_t ear_profile_node_count(const struct ear_profile *profile);
const struct ear_profile_node *ear_profile_node(const struct ear_profile *profile, size_t node);

size_t ear_profile_edge_count(const struct ear_profile *profile);
const struct ear_profile_edge *ear_profile_edge(const struct ear_profile *profile, size_t edge);
/* With pcs, by function and address. */
size_t ear_profile_pc_count(const struct ear_profile *profile);
const struct ear_profile_pc *ear_profile_pc(const struct ear_profile *profile, size_t pc);

struct ear_profile_counts ear_profile_total(const struct ear_profile *profile);
bool ear_profile_has_time(const struct ear_profile *profile);
struct ear_profile_shows ear_profile_shows_of(const struct ear_profile *profile);
uint64_t ear_profile_gaps(const struct ear_profile *profile);
/* Records of instruction sets of which no calls are known. */
uint64_t ear_profile_pathless(const struct ear_profile *profile);
/* Deeper paths were not kept apart. */
bool ear_profile_limited(const struct ear_profile *profile);

#endif
