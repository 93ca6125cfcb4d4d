/* The two sides of a comparison: reading them, and the search for where they meet again.
 *
 * The search enters A's records into a table by their pc and looks up B's, nearest first. A pc
 * alone says little in a loop, so a run of instructions must agree there, with their values if that
 * is possible.
 */
#include "library/compare/compare_walk.h"

#include <string.h>

#include "common/hash.h"

#define LONG_RUN 64

int ear_walk_load(struct ear_compare *compare, unsigned which, size_t count)
{
	struct ear_side *side = &compare->sides[which];

	while (side->ahead < count && !side->ended) {
		const struct ear_record *record;
		int result = ear_walk_read(compare, which, &record);
		side->ended = result == 0;
		if (result > 0)
			result = ear_side_keep(side, record);
		if (result < 0)
			return result;
	}
	return 0;
}

int ear_walk_load_both(struct ear_compare *compare, size_t count)
{
	int result = ear_walk_load(compare, 0, count);

	return result ? result : ear_walk_load(compare, 1, count);
}

int ear_walk_look_ahead(struct ear_compare *compare)
{
	return ear_walk_load_both(compare, compare->options.window + compare->options.run);
}

size_t ear_walk_count_before(const struct ear_compare *compare, unsigned which, uint64_t position)
{
	const struct ear_side *side = &compare->sides[which];
	size_t count = ear_side_plain_count(side, side->ahead);
	size_t found = 0;

	position += which ? compare->offset : 0;
	while (found < count &&
		ear_side_before(ear_side_position(side, ear_side_at(side, found)), position))
		found++;
	return found;
}

static size_t hash(const struct ear_compare *compare, const struct ear_record *record)
{
	return ear_hash_index(record->pc ^ (uint64_t)record->hart << 56, compare->hash_size);
}

/* ear_walk_same_record, as the tolerance asks for it. */
static bool same(void *context, struct ear_record_difference *difference,
	const struct ear_record *a, const struct ear_record *b)
{
	return ear_walk_same_record(context, difference, a, b);
}

bool ear_walk_same_pair(struct ear_compare *compare, struct ear_record_difference *difference,
	const struct ear_record *a, const struct ear_record *b)
{
	const struct ear_pair_comparison how = {same, compare};

	if (!compare->across)
		return ear_walk_same_record(compare, difference, a, b);
	return ear_across_compare(compare->across, difference, a, b, &how);
}

static bool same_outcome(
	struct ear_compare *compare, const struct ear_record *a, const struct ear_record *b)
{
	const struct ear_pair_comparison how = {same, compare};
	struct ear_record_difference difference;

	if (a->kind != EAR_RECORD_INSTRUCTION)
		return true;
	if (compare->probing)
		return ear_across_probe(compare->across, a, b, &how);
	return ear_walk_same_record(compare, &difference, a, b);
}

static bool meet(struct ear_compare *compare, size_t a, size_t b, unsigned run, bool exactly)
{
	const struct ear_side *sides = compare->sides;

	for (unsigned i = 0; i < run; i++) {
		bool end_a = a + i >= sides[0].ahead, end_b = b + i >= sides[1].ahead;
		if (ear_side_is_gap(&sides[0], a + i) || ear_side_is_gap(&sides[1], b + i))
			return i > 0;
		if (end_a || end_b)
			return i > 0 && ((end_a && end_b) || (a == b && a <= 1));
		const struct ear_record *of_a = ear_side_at(&sides[0], a + i),
					*of_b = ear_side_at(&sides[1], b + i);
		ear_walk_view(compare, a + i, b + i);
		if (!ear_walk_same_place(of_a, of_b) ||
			(exactly && !same_outcome(compare, of_a, of_b)))
			return false;
	}
	return true;
}

bool ear_walk_meet(struct ear_compare *compare, size_t a, size_t b, enum ear_meeting how)
{
	if (how != EAR_MEETING_LONG)
		return meet(compare, a, b, compare->options.run, how == EAR_MEETING_EXACT);
	if (!meet(compare, a, b, compare->options.run, false))
		return false;
	compare->probing = compare->across && ear_across_probe_begin(compare->across, true);
	bool together = meet(compare, a, b, LONG_RUN, true);
	compare->probing = false;
	return together;
}

bool ear_walk_continue_tolerantly(struct ear_compare *compare)
{
	const struct ear_side *sides = compare->sides;

	if (!compare->across || !ear_across_probe_begin(compare->across, false))
		return false;
	ear_across_probe_pass(
		compare->across, ear_side_at(&sides[0], 0), ear_side_at(&sides[1], 0));
	compare->probing = true;
	bool together = meet(compare, 1, 1, compare->options.run, true);
	compare->probing = false;
	return together;
}

/* Each record of A in the window is entered into a table by its pc, then each of B is looked up. */
bool ear_walk_find_meeting(
	struct ear_compare *compare, size_t *best_a, size_t *best_b, enum ear_meeting how)
{
	const struct ear_side *sides = compare->sides;
	size_t window = compare->options.window;
	size_t count_a = ear_side_plain_count(&sides[0], window + 1);
	size_t count_b = ear_side_plain_count(&sides[1], window + 1);
	size_t best = SIZE_MAX;

	memset(compare->heads, 0, compare->hash_size * sizeof(*compare->heads));
	for (size_t a = count_a; a-- > 0;) {
		size_t slot = hash(compare, ear_side_at(&sides[0], a));
		compare->links[a] = compare->heads[slot];
		compare->heads[slot] = (uint32_t)a + 1;
	}
	for (size_t b = 0; b < count_b && b < best; b++) {
		uint32_t link = compare->heads[hash(compare, ear_side_at(&sides[1], b))];
		for (; link && link - 1 + b < best; link = compare->links[link - 1]) {
			if (ear_walk_meet(compare, link - 1, b, how)) {
				best = link - 1 + b;
				*best_a = link - 1;
				*best_b = b;
			}
		}
	}
	return best != SIZE_MAX;
}
