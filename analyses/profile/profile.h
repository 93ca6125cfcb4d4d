#ifndef EAR_ANALYSES_PROFILE_H
#define EAR_ANALYSES_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/calls.h>
#include <earshot/names.h>

#include "analyses/base/analysis.h"
#include "analyses/profile/profile_types.h"

/* Where a run spent its instructions: by function, and by the path of calls that led there.
 * docs/analyses/profile.md.
 */
struct ear_profile;

/* struct ear_profile_options are its options, which may be NULL. A whole that is finished has
 * functions and nodes, and nothing is counted any more. */
extern const struct ear_analysis ear_profile_analysis;

#define EAR_PROFILE_PCS_MAX (1u << 24) /* instructions; others count for their function only */

/* What parts with these options share: the first words of the options in their head. */
void ear_profile_describe(const struct ear_profile_options *options, char text[EAR_PART_WORD_MAX]);

/* What comes next is another run: no time passed to it. */
void ear_profile_pause(struct ear_profile *profile);

/* Of a whole that is finished. Functions with what they have, by address; nodes, parents first. */
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
