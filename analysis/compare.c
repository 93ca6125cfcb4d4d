/* Two traces side by side, each in a ring of copies.
 *
 * Where nothing is missing the records are paired one by one, and where they differ in what they
 * execute the nearest place is searched at which a run of them agrees again. Over a gap the sides
 * go by index, not by number: both must be at the same index after it, whatever each of them has
 * lost there. The offset between the positions of the two sides is that of the last pair. A search
 * crosses no gap.
 */
#include "analysis/compare.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare_side.h"
#include "common/error.h"

/* A gap of one side that the other side is crossing. */
struct crossing {
	bool open;
	bool again;        /* it was reported before, and more of the other side lies in it */
	bool rest;         /* it lasts to the end of the other side */
	unsigned doubt;    /* set of enum ear_side_doubt */
	uint64_t end;      /* on A's line of positions */
	uint64_t count[2]; /* records passed, which are not compared */
	struct ear_record_copy gap;
};

struct ear_compare {
	struct ear_compare_options options;
	struct ear_side sides[2];
	uint64_t pairs;
	bool started, over;
	size_t step[2]; /* records to pass before the next event */

	bool paired;          /* the sides have stood together: offset is known */
	uint64_t offset;      /* B's positions minus A's */
	unsigned start_doubt; /* until then, set of enum ear_side_doubt */
	struct crossing crossings[2];
	unsigned carried; /* doubt that a gap leaves to one directly after it */
	bool lost[2];     /* since the last pair a side had a gap of unknown size */
	int shown;        /* the side whose gap the event is about, or -1 */

	struct ear_across *across; /* NULL: nothing is left out or tolerated */
	bool step_is_pair;         /* the step passes the pair that was compared */
	bool probing;              /* what is tolerated counts as the same outcome */

	/* For resynchronising: positions of A's records by what they execute. */
	uint32_t *heads; /* position + 1 of the first with a hash, 0 none */
	uint32_t *links; /* of the next with the same hash */
	size_t hash_size;
};

int ear_compare_new(struct ear_compare **compare, const struct ear_compare_options *options)
{
	struct ear_compare *made = calloc(1, sizeof(*made));
	if (!made)
		return EAR_E_NO_MEMORY;

	assert(options->run >= 1 && options->next);
	made->options = *options;
	made->shown = -1;
	made->hash_size = 64;
	while (made->hash_size < 2 * options->window)
		made->hash_size *= 2;
	made->heads = calloc(made->hash_size, sizeof(*made->heads));
	made->links = calloc(options->window + 1, sizeof(*made->links));
	for (unsigned i = 0; i < 2; i++) {
		struct ear_side *side = &made->sides[i];
		side->counted = options->counted[i];
		side->capacity = (size_t)2 * options->context + options->window + options->run + 2;
		side->copies = calloc(side->capacity, sizeof(*side->copies));
	}
	bool across = ear_across_wanted(&options->across);
	if (across)
		made->across = ear_across_new(&options->across);
	if (!made->heads || !made->links || !made->sides[0].copies || !made->sides[1].copies ||
		(across && !made->across)) {
		ear_compare_free(made);
		return EAR_E_NO_MEMORY;
	}
	*compare = made;
	return 0;
}

void ear_compare_free(struct ear_compare *compare)
{
	if (!compare)
		return;
	for (unsigned i = 0; i < 2; i++) {
		struct ear_side *side = &compare->sides[i];
		for (size_t copy = 0; side->copies && copy < side->capacity; copy++)
			ear_record_copy_fini(&side->copies[copy]);
		free(side->copies);
		ear_record_copy_fini(&compare->crossings[i].gap);
	}
	ear_across_free(compare->across);
	free(compare->heads);
	free(compare->links);
	free(compare);
}

static bool wanted(const struct ear_compare *compare, const struct ear_record *record)
{
	if (record->kind != EAR_RECORD_INSTRUCTION && record->kind != EAR_RECORD_GAP)
		return false;
	return compare->options.hart < 0 || record->hart == compare->options.hart;
}

/* The next record of a side that is wanted, not kept yet: 1, or 0 at its end, or an error. */
static int read_wanted(
	struct ear_compare *compare, unsigned which, const struct ear_record **record)
{
	for (;;) {
		int result = compare->options.next(compare->options.next_context, which, record);
		if (result <= 0)
			return result;
		if (!wanted(compare, *record))
			continue;
		int skips = compare->across ? ear_across_read(compare->across, which, *record) : 0;
		if (skips <= 0)
			return skips < 0 ? skips : result;
	}
}

/* Read until side has count records from the current one on, or has ended. */
static int load(struct ear_compare *compare, unsigned which, size_t count)
{
	struct ear_side *side = &compare->sides[which];

	while (side->ahead < count && !side->ended) {
		const struct ear_record *record;
		int result = read_wanted(compare, which, &record);
		side->ended = result == 0;
		if (result > 0)
			result = ear_side_keep(side, record);
		if (result < 0)
			return result;
	}
	return 0;
}

static unsigned pass(struct ear_compare *compare, unsigned which)
{
	if (compare->across)
		ear_across_pass(compare->across, which, ear_side_at(&compare->sides[which], 0));
	return ear_side_pass(&compare->sides[which], compare->options.context);
}

/* The sides are together at two records. */
static void pair_up(
	struct ear_compare *compare, const struct ear_record *a, const struct ear_record *b)
{
	const struct ear_side *sides = compare->sides;

	compare->offset = ear_side_position(&sides[1], b) - ear_side_position(&sides[0], a);
	compare->paired = true;
	compare->lost[0] = compare->lost[1] = false;
}

/* Are the two records of the same instruction? */
static bool same_place(const struct ear_record *a, const struct ear_record *b)
{
	uint32_t unknown = EAR_RECORD_NO_OPCODE;

	return a->kind == b->kind && a->pc == b->pc && a->hart == b->hart &&
	       ((a->flags | b->flags) & unknown || a->opcode == b->opcode) &&
	       (a->flags & EAR_RECORD_INTERRUPT) == (b->flags & EAR_RECORD_INTERRUPT);
}

static size_t hash(const struct ear_compare *compare, const struct ear_record *record)
{
	uint64_t mixed = (record->pc ^ (uint64_t)record->hart << 56) * 0x9E3779B97F4A7C15u;

	return (size_t)(mixed >> 32) & (compare->hash_size - 1);
}

static bool same_outcome(
	const struct ear_compare *compare, const struct ear_record *a, const struct ear_record *b)
{
	struct ear_record_difference difference;

	if (compare->probing && a->kind == EAR_RECORD_INSTRUCTION)
		return ear_across_probe(compare->across, a, b, compare->options.fields,
			compare->options.unknown_equal);
	return a->kind != EAR_RECORD_INSTRUCTION ||
	       ear_record_compare(
		       &difference, a, b, compare->options.fields, compare->options.unknown_equal);
}

/* As ear_record_compare, but for what is tolerated here. */
static bool compare_pair(struct ear_compare *compare, struct ear_record_difference *difference,
	const struct ear_record *a, const struct ear_record *b)
{
	const struct ear_compare_options *options = &compare->options;

	if (compare->across)
		return ear_across_compare(
			compare->across, difference, a, b, options->fields, options->unknown_equal);
	return ear_record_compare(difference, a, b, options->fields, options->unknown_equal);
}

/* Do the sides continue together from these positions for a run of instructions? exactly: with the
 * same outcomes too, which distinguishes one round of a loop from another. A gap cuts the run
 * short, and so does the end of both; of one, only if both simply continue.
 */
static bool meet(const struct ear_compare *compare, size_t a, size_t b, bool exactly)
{
	const struct ear_side *sides = compare->sides;

	for (unsigned i = 0; i < compare->options.run; i++) {
		bool end_a = a + i >= sides[0].ahead, end_b = b + i >= sides[1].ahead;
		if (ear_side_is_gap(&sides[0], a + i) || ear_side_is_gap(&sides[1], b + i))
			return i > 0;
		if (end_a || end_b)
			return i > 0 && ((end_a && end_b) || (a == b && a <= 1));
		const struct ear_record *of_a = ear_side_at(&sides[0], a + i),
					*of_b = ear_side_at(&sides[1], b + i);
		if (!same_place(of_a, of_b) || (exactly && !same_outcome(compare, of_a, of_b)))
			return false;
	}
	return true;
}

/* Find the nearest positions at which the sides meet again: the smallest sum. Each record of A in
 * the window is entered into a table by its pc, then each of B is looked up.
 */
static bool find_meeting(struct ear_compare *compare, size_t *best_a, size_t *best_b, bool exactly)
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
			if (meet(compare, link - 1, b, exactly)) {
				best = link - 1 + b;
				*best_a = link - 1;
				*best_b = b;
			}
		}
	}
	return best != SIZE_MAX;
}

static int load_both(struct ear_compare *compare, size_t count)
{
	int result = load(compare, 0, count);

	return result ? result : load(compare, 1, count);
}

static int look_ahead(struct ear_compare *compare)
{
	return load_both(compare, compare->options.window + compare->options.run);
}

static int insertion(
	struct ear_compare *compare, struct ear_compare_event *event, size_t a, size_t b)
{
	event->kind = EAR_COMPARE_INSERTED;
	event->count[0] = a;
	event->count[1] = b;
	compare->step[0] = a;
	compare->step[1] = b;
	return 1;
}

/* Is the current record the last one before a gap or the end? */
static bool plain_ends(const struct ear_side *side)
{
	return side->ahead < 2 || ear_side_is_gap(side, 1);
}

/* Do the sides continue together after this pair, but for what is tolerated? */
static bool continue_tolerantly(struct ear_compare *compare)
{
	const struct ear_side *sides = compare->sides;

	if (!compare->across || !ear_across_probe_begin(compare->across, ear_side_at(&sides[0], 0),
					ear_side_at(&sides[1], 0)))
		return false;
	compare->probing = true;
	bool together = meet(compare, 1, 1, true);
	compare->probing = false;
	return together;
}

/* The same instruction had another outcome. If the sides do not simply continue together after it,
 * they may be in different rounds of a loop: then records are missing, and nothing is wrong with
 * the values.
 */
static int judge_outcome(struct ear_compare *compare, struct ear_compare_event *event)
{
	bool together = false;
	size_t a, b;

	if (compare->options.window == 0)
		return 1;
	/* Most often they continue together, which shows in few records. */
	int result = load_both(compare, compare->options.run + 1);
	if (result == 0) /* what a gap or an end hides is not held against them */
		together = plain_ends(&compare->sides[0]) || plain_ends(&compare->sides[1]) ||
			   meet(compare, 1, 1, true) || continue_tolerantly(compare);
	if (result == 0 && !together)
		result = look_ahead(compare);
	if (result) { /* the pair is compared again */
		compare->pairs--;
		compare->step_is_pair = false;
		compare->step[0] = compare->step[1] = 0;
		return result;
	}
	if (together || !find_meeting(compare, &a, &b, true) || a == b)
		return 1;
	compare->pairs--;
	compare->step_is_pair = false;
	memset(&event->difference, 0, sizeof(event->difference));
	return insertion(compare, event, a, b);
}

/* Where on A's line a gap begins that is known to come, or not at all. */
static bool next_gap(const struct ear_compare *compare, unsigned which, uint64_t *begin)
{
	const struct ear_side *side = &compare->sides[which];
	size_t count = ear_side_plain_count(side, side->ahead);

	if (!ear_side_is_gap(side, count))
		return false;
	*begin = count > 0 ? ear_side_position(side, ear_side_at(side, count - 1)) + 1
			   : side->position;
	*begin -= which ? compare->offset : 0;
	return true;
}

/* Records that a side has before this position of A's line and before its own next gap. */
static size_t count_before(const struct ear_compare *compare, unsigned which, uint64_t position)
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

/* Both sides are at records that are not of the same instruction. If they do not meet again
 * before a gap, they will after it: up to there everything is different.
 */
static int resynchronise(struct ear_compare *compare, struct ear_compare_event *event)
{
	uint64_t begin_a = 0, begin_b = 0;
	size_t a, b;
	int result = look_ahead(compare);

	if (result)
		return result;
	if (find_meeting(compare, &a, &b, true) || find_meeting(compare, &a, &b, false))
		return insertion(compare, event, a, b);
	bool gap_a = next_gap(compare, 0, &begin_a), gap_b = next_gap(compare, 1, &begin_b);
	if (gap_a || gap_b) {
		uint64_t begin =
			gap_a && (!gap_b || ear_side_before(begin_a, begin_b)) ? begin_a : begin_b;
		return insertion(compare, event, count_before(compare, 0, begin),
			count_before(compare, 1, begin));
	}
	event->kind = EAR_COMPARE_PARTED;
	compare->over = true;
	return 1;
}

/* --- gaps --- */

/* The first index of a side, and the end of the gap there, if it is one. */
static uint64_t first_index(const struct ear_side *side, uint64_t *end)
{
	const struct ear_record *head = side->ahead > 0 ? ear_side_at(side, 0) : NULL;
	bool gap = head && head->kind == EAR_RECORD_GAP;

	*end = !head ? 0 : !gap || !head->u.gap.count_known ? head->index : head->u.gap.last + 1;
	return !head                     ? 0
	       : !gap                    ? head->index
	       : head->u.gap.count_known ? head->u.gap.first
	       : head->u.gap.at_start    ? 0
					 : head->index;
}

/* Before any pair, with a gap at the beginning. Most often both sides count from 0 or 1. Otherwise
 * one counts from elsewhere, or its beginning is missing without a word: the sides are taken
 * to begin together, or not, by what passes fewer records, for the search goes only forward.
 */
static void assume_offset(struct ear_compare *compare)
{
	uint64_t end_a, end_b;
	uint64_t a = first_index(&compare->sides[0], &end_a);
	uint64_t b = first_index(&compare->sides[1], &end_b);
	bool gap_a = ear_side_is_gap(&compare->sides[0], 0),
	     gap_b = ear_side_is_gap(&compare->sides[1], 0);
	bool overlap = ear_side_before(a, b) ? gap_a && (!gap_b || ear_side_before(b, end_a))
					     : gap_b && (!gap_a || ear_side_before(a, end_b));
	bool usual = a <= 1 && b <= 1, unknown = false;

	/* Of a gap whose size is not known the end is an index, the beginning is not. */
	for (unsigned i = 0; i < 2; i++)
		unknown |= ear_side_is_gap(&compare->sides[i], 0) &&
			   !ear_side_at(&compare->sides[i], 0)->u.gap.count_known;
	compare->offset = unknown || (overlap && !usual) ? 0 : b - a;
	compare->start_doubt =
		EAR_SIDE_SEARCH | EAR_SIDE_SLIDE | (usual || unknown ? 0 : EAR_SIDE_EXACT);
}

/* A side is at a gap: from now on the other side crosses it. */
static int open_gap(struct ear_compare *compare, unsigned which)
{
	struct crossing *crossing = &compare->crossings[which];
	struct ear_side *side = &compare->sides[which];

	if (ear_record_copy_set(&crossing->gap, ear_side_at(side, 0)) != 0)
		return EAR_E_NO_MEMORY;
	crossing->open = true;
	crossing->rest = crossing->again = false;
	crossing->count[0] = crossing->count[1] = 0;
	crossing->doubt = compare->carried | pass(compare, which);
	crossing->doubt |= compare->paired ? 0 : compare->start_doubt;
	/* The sides may have had handlers there, of other lengths. */
	if (compare->options.across.skip_interrupts)
		crossing->doubt |= EAR_SIDE_SEARCH | EAR_SIDE_SLIDE | EAR_SIDE_HANDLERS;
	if (compare->sides[0].sparse != compare->sides[1].sparse)
		crossing->doubt |= EAR_SIDE_SEARCH;
	crossing->end = side->position - (which ? compare->offset : 0);
	compare->carried = 0;
	return 0;
}

/* The gap is crossed; step[] records later the sides are at the same instruction. */
static int close_gap(struct ear_compare *compare, struct ear_compare_event *event, unsigned which)
{
	struct crossing *crossing = &compare->crossings[which];

	crossing->open = false;
	compare->lost[which] |= crossing->doubt & EAR_SIDE_EXACT;
	compare->shown = (int)which;
	event->kind = EAR_COMPARE_GAP;
	event->side = which;
	event->again = crossing->again;
	for (unsigned i = 0; i < 2; i++)
		event->count[i] = crossing->count[i] + compare->step[i];
	return 1;
}

static void pass_in_gap(struct ear_compare *compare, unsigned gap, unsigned which, size_t count)
{
	compare->crossings[gap].count[which] += count;
	while (count-- > 0)
		pass(compare, which);
}

/* Where the index alone does not say how the sides relate: do they agree here, or how far on? */
static bool stand_together(struct ear_compare *compare, size_t *a, size_t *b, bool exact_first)
{
	bool here = meet(compare, 0, 0, false);

	*a = *b = 0;
	if (here && (!exact_first || meet(compare, 0, 0, true)))
		return true;
	if (find_meeting(compare, a, b, true)) {
		if (here && *a == *b)
			*a = *b = 0; /* a difference, nothing is missing */
		return true;
	}
	*a = *b = 0;
	return !exact_first && find_meeting(compare, a, b, false);
}

/* The other side has come to the index at which the gap of a side ends, which may be wrong. Returns
 * 1 and the event if the gap is crossed, 0 to continue, or an error.
 */
static int find_end(struct ear_compare *compare, struct ear_compare_event *event, unsigned which)
{
	struct crossing *crossing = &compare->crossings[which];
	struct ear_side *side = &compare->sides[which], *other = &compare->sides[1 - which];
	size_t a, b, window = compare->options.window;
	unsigned doubt = crossing->doubt;
	int result = load(compare, which, 1);

	if (result)
		return result;
	if (side->ahead == 0) { /* nothing comes that could be compared */
		crossing->rest = !crossing->gap.record.u.gap.count_known && doubt & EAR_SIDE_EXACT;
		return crossing->rest ? 0 : close_gap(compare, event, which);
	}
	if (ear_side_is_gap(side, 0)) {
		compare->carried = doubt;
		return close_gap(compare, event, which);
	}
	if (window == 0)
		return close_gap(compare, event, which);
	result = look_ahead(compare);
	if (result)
		return result;
	if (stand_together(compare, &a, &b, doubt & (EAR_SIDE_EXACT | EAR_SIDE_HANDLERS))) {
		compare->step[0] = a;
		compare->step[1] = b;
		return close_gap(compare, event, which);
	}
	size_t count = ear_side_plain_count(other, other->ahead);
	size_t own_count = ear_side_plain_count(side, side->ahead);
	if (ear_side_is_gap(other, count))
		pass_in_gap(compare, which, 1 - which, count);
	else if (ear_side_is_gap(side, own_count))
		pass_in_gap(compare, which, which, own_count);
	else if (!(doubt & EAR_SIDE_SLIDE) || (other->ended && !(doubt & EAR_SIDE_EXACT)))
		return close_gap(compare, event, which);
	else
		pass_in_gap(compare, which, 1 - which, count < window ? count : window);
	return 0;
}

/* One side is after its gap, the other is on its way to the same index. */
static int cross_gap(struct ear_compare *compare, struct ear_compare_event *event, unsigned which)
{
	struct crossing *crossing = &compare->crossings[which];
	unsigned other = 1 - which;
	struct ear_side *side = &compare->sides[other];
	int result = load(compare, other, 1);

	if (result)
		return result;
	if (side->ahead == 0)
		return close_gap(compare, event, which);
	if (ear_side_is_gap(side, 0))
		return open_gap(compare, other);
	if (crossing->rest || ear_side_before(ear_side_position(side, ear_side_at(side, 0)),
				      crossing->end + (other ? compare->offset : 0))) {
		pass_in_gap(compare, which, other, 1);
		return 0;
	}
	if (crossing->doubt)
		return find_end(compare, event, which);
	return close_gap(compare, event, which);
}

/* Both sides have a gap: that one is crossed which ends first. What is not sure of it is not sure
 * of the other one either.
 */
static int close_first(struct ear_compare *compare, struct ear_compare_event *event)
{
	struct crossing *crossings = compare->crossings;
	unsigned first = crossings[0].rest || ear_side_before(crossings[1].end, crossings[0].end);

	if (crossings[1].rest)
		first = 0;
	crossings[1 - first].doubt |= crossings[first].doubt;
	return close_gap(compare, event, first);
}

/* A side has ended, and what it had last was a gap of unknown size: all that is left of the other
 * may lie in it.
 */
static bool reopen_gap(struct ear_compare *compare)
{
	for (unsigned i = 0; i < 2; i++) {
		if (!compare->lost[i] || compare->sides[i].ahead > 0 ||
			compare->sides[1 - i].ahead == 0)
			continue;
		compare->crossings[i] = (struct crossing){.open = true,
			.rest = true,
			.again = true,
			.gap = compare->crossings[i].gap};
		return true;
	}
	return false;
}

/* Returns 1 for the event that a gap is crossed, 0 when none is open, or an error. */
static int cross_gaps(struct ear_compare *compare, struct ear_compare_event *event)
{
	const struct crossing *crossings = compare->crossings;
	int result = 0;

	while (result == 0 && (crossings[0].open || crossings[1].open))
		result = crossings[0].open && crossings[1].open
				 ? close_first(compare, event)
				 : cross_gap(compare, event, crossings[1].open);
	return result;
}

/* Pass the pair that was compared. */
static void pass_pair(struct ear_compare *compare)
{
	const struct ear_side *sides = compare->sides;

	if (compare->across)
		ear_across_pass_pair(compare->across, ear_side_at(&sides[0], 0),
			ear_side_at(&sides[1], 0), compare->options.fields, false);
	for (unsigned i = 0; i < 2; i++)
		ear_side_pass(&compare->sides[i], compare->options.context);
	compare->step_is_pair = false;
	compare->step[0] = compare->step[1] = 0;
}

static int take_steps(struct ear_compare *compare)
{
	if (compare->step_is_pair)
		pass_pair(compare);
	for (unsigned i = 0; i < 2; i++) {
		for (; compare->step[i] > 0; compare->step[i]--) {
			int result = load(compare, i, 1);
			if (result)
				return result;
			if (compare->sides[i].ahead == 0)
				break;
			pass(compare, i);
		}
		compare->step[i] = 0;
	}
	return 0;
}

static int skip_to_start(struct ear_compare *compare, unsigned which)
{
	struct ear_side *side = &compare->sides[which];

	for (;;) {
		int result = load(compare, which, 1);
		if (result || side->ahead == 0)
			return result;
		if (ear_side_at(side, 0)->kind == EAR_RECORD_INSTRUCTION &&
			ear_side_at(side, 0)->pc == compare->options.start_pc)
			return 0;
		pass(compare, which);
	}
}

/* Go to the first place where both agree for a run. Gaps before it are of no interest. */
static int skip_to_common(struct ear_compare *compare)
{
	struct ear_side *sides = compare->sides;

	for (;;) {
		size_t counts[2];
		int result = look_ahead(compare);
		if (result)
			return result;
		if (find_meeting(compare, &counts[0], &counts[1], true) ||
			find_meeting(compare, &counts[0], &counts[1], false)) {
			memcpy(compare->step, counts, sizeof(counts));
			return take_steps(compare);
		}
		unsigned which = 0;
		for (; which < 2; which++) {
			counts[which] = ear_side_plain_count(&sides[which], sides[which].ahead);
			if (ear_side_is_gap(&sides[which], counts[which]))
				break;
		}
		if (which == 2)
			return 0; /* parted at once, which the first comparison reports */
		for (size_t i = 0; i <= counts[which]; i++)
			pass(compare, which);
	}
}

static int begin(struct ear_compare *compare)
{
	const struct ear_side *sides = compare->sides;
	int result = 0;

	if (compare->options.has_start) {
		result = skip_to_start(compare, 0);
		if (result == 0)
			result = skip_to_start(compare, 1);
	}
	if (result == 0 && compare->options.first_common)
		result = skip_to_common(compare);
	compare->started = result == 0;
	if (compare->started && (compare->options.has_start || compare->options.first_common) &&
		sides[0].ahead > 0 && sides[1].ahead > 0 && !ear_side_is_gap(&sides[0], 0) &&
		!ear_side_is_gap(&sides[1], 0))
		pair_up(compare, ear_side_at(&sides[0], 0), ear_side_at(&sides[1], 0));
	return result;
}

/* Open the gap at which a side is, if there is one. Before the first pair, the beginnings of
 * both sides say how their indexes go together. Returns 1, 0 if there is none, or an error.
 */
static int open_gaps(struct ear_compare *compare)
{
	int result = 0;

	if (!compare->paired && !compare->sides[0].begun && !compare->sides[1].begun) {
		result = load_both(compare, 1);
		if (result)
			return result;
		if (ear_side_is_gap(&compare->sides[0], 0) ||
			ear_side_is_gap(&compare->sides[1], 0))
			assume_offset(compare);
	}
	for (unsigned i = 0; i < 2; i++) {
		result = load(compare, i, 1);
		if (result)
			return result;
		if (ear_side_is_gap(&compare->sides[i], 0)) {
			result = open_gap(compare, i);
			return result ? result : 1;
		}
	}
	return 0;
}

/* Compare where the sides are. Returns 1 for an event, 0 to continue, or an error. */
static int compare_here(struct ear_compare *compare, struct ear_compare_event *event)
{
	struct ear_side *sides = compare->sides;
	int result = open_gaps(compare);

	if (result)
		return result < 0 ? result : cross_gaps(compare, event);
	compare->carried = 0;
	if (reopen_gap(compare))
		return cross_gaps(compare, event);
	if (sides[0].ahead == 0 || sides[1].ahead == 0) {
		compare->over = true;
		event->kind = EAR_COMPARE_ENDED;
		event->side = sides[0].ahead == 0 ? 0 : 1;
		return sides[0].ahead != sides[1].ahead;
	}

	const struct ear_record *a = ear_side_at(&sides[0], 0), *b = ear_side_at(&sides[1], 0);
	if (!same_place(a, b) && compare->options.window > 0) {
		if (compare->across)
			ear_across_decided(compare->across, a, b, NULL, &event->decision);
		return resynchronise(compare, event);
	}
	pair_up(compare, a, b);
	compare->pairs++;
	compare->step[0] = 1;
	compare->step[1] = 1;
	compare->step_is_pair = true;
	event->kind = EAR_COMPARE_DIFFERENT;
	if (compare_pair(compare, &event->difference, a, b))
		return 0;
	if (compare->across)
		ear_across_decided(compare->across, a, b, &event->difference, &event->decision);
	return judge_outcome(compare, event);
}

/* Are the two records the same, or is what differs tolerated? Then they are passed. */
static bool pass_equal(
	struct ear_compare *compare, const struct ear_record *a, const struct ear_record *b)
{
	bool same = same_outcome(compare, a, b);
	struct ear_record_difference difference;

	if (!compare->across)
		return same;
	if (!same && !compare_pair(compare, &difference, a, b))
		return false;
	ear_across_pass_pair(compare->across, a, b, compare->options.fields,
		same && !compare->options.unknown_equal);
	return true;
}

/* As long as nothing was read ahead and the sides agree, records are compared where their readers
 * hold them, and only those of A are kept, to show before a difference: they are B's as well.
 * Returns 0 when there is something to look at, with the records kept on both sides.
 */
static int compare_fast(struct ear_compare *compare)
{
	struct ear_side *sides = compare->sides;

	while (sides[0].ahead == 0 && sides[1].ahead == 0 && !sides[0].ended && !sides[1].ended) {
		const struct ear_record *a, *b;
		int result_a = read_wanted(compare, 0, &a), result_b = 0;
		if (result_a < 0)
			return result_a;
		sides[0].ended = result_a == 0;
		if (result_a && ear_side_keep(&sides[0], a) != 0)
			return EAR_E_NO_MEMORY;
		a = ear_side_at(&sides[0], 0);
		result_b = read_wanted(compare, 1, &b);
		if (result_b < 0)
			return result_b;
		sides[1].ended = result_b == 0;
		if (result_a && result_b && a->kind == EAR_RECORD_INSTRUCTION && same_place(a, b) &&
			pass_equal(compare, a, b)) {
			pair_up(compare, a, b);
			ear_side_advance(&sides[1], b);
			ear_side_pass(&sides[0], compare->options.context);
			sides[1].passed = 0;
			compare->pairs++;
			continue;
		}
		if (result_b && ear_side_keep(&sides[1], b) != 0)
			return EAR_E_NO_MEMORY;
	}
	return 0;
}

int ear_compare_next(struct ear_compare *compare, struct ear_compare_event *event)
{
	int result = 0;

	memset(event, 0, sizeof(*event));
	compare->shown = -1;
	if (!compare->started)
		result = begin(compare);
	while (result == 0 && !compare->over) {
		result = take_steps(compare);
		if (result == 0)
			result = cross_gaps(compare, event);
		if (result == 0)
			result = compare_fast(compare);
		if (result == 0)
			result = compare_here(compare, event);
	}
	return result;
}

const struct ear_record *ear_compare_record(
	struct ear_compare *compare, unsigned side, int position)
{
	struct ear_side *at_side = &compare->sides[side];

	if (position == 0 && compare->shown == (int)side)
		return &compare->crossings[side].gap.record;
	/* What both sides had in common is kept once. */
	if (position < 0 && side == 1 && at_side->passed == 0)
		at_side = &compare->sides[0];
	if (position < 0) {
		if ((size_t)-position > at_side->passed)
			return NULL;
		return ear_side_at(at_side, at_side->capacity - (size_t)-position);
	}
	size_t ahead = (size_t)position;
	if (ahead > compare->options.context + compare->options.window ||
		load(compare, side, ahead + 1) != 0 || ahead >= at_side->ahead)
		return NULL;
	return ear_side_at(at_side, ahead);
}

bool ear_compare_idle(const struct ear_compare *compare)
{
	const struct ear_side *sides = compare->sides;

	return compare->started && !compare->over && sides[0].ahead == 0 && sides[1].ahead == 0 &&
	       compare->step[0] == 0 && compare->step[1] == 0 && !compare->crossings[0].open &&
	       !compare->crossings[1].open;
}

void ear_compare_pass_equal(struct ear_compare *compare, uint64_t count)
{
	compare->offset = compare->sides[1].position - compare->sides[0].position;
	for (unsigned i = 0; i < 2; i++) {
		compare->sides[i].count += count;
		compare->sides[i].position += count;
		compare->sides[i].begun = true;
		compare->sides[i].passed = 0;
	}
	compare->pairs += count;
	compare->paired = true;
}

const struct ear_handler_statistics *ear_compare_handlers(
	const struct ear_compare *compare, unsigned side)
{
	return compare->options.across.skip_interrupts ? ear_across_handlers(compare->across, side)
						       : NULL;
}

bool ear_compare_switch(const struct ear_compare *compare, unsigned side, uint64_t count,
	struct ear_handler_switch *found, uint64_t *number)
{
	return compare->across && ear_across_switch(compare->across, side, count, found, number);
}

uint64_t ear_compare_count(const struct ear_compare *compare, unsigned side)
{
	return compare->sides[side].count +
	       (compare->across ? ear_across_skipped(compare->across, side) : 0);
}

uint64_t ear_compare_pairs(const struct ear_compare *compare)
{
	return compare->pairs;
}
