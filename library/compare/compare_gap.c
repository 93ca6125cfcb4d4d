/* Over a gap the sides go by index, not by number: both must be at the same index after it,
 * whatever each of them has lost there. The offset between the positions of the two sides is that
 * of the last pair. Where an index can be wrong, the sides are searched for the place where they
 * agree.
 */
#include "library/compare/compare_gap.h"

#include <earshot/error.h>

#include "library/compare/compare_walk.h"

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

/* The index after a gap of so many positions is too high if handlers lie in the gap: the other side
 * stops that much before it. */
static uint64_t step_back(const struct ear_compare *compare, uint64_t size)
{
	uint64_t most = compare->options.window / 2;

	return size < most ? size : most;
}

/* A side is at a gap: from now on the other side crosses it. */
static int open_gap(struct ear_compare *compare, unsigned which)
{
	struct ear_crossing *crossing = &compare->crossings[which];
	struct ear_side *side = &compare->sides[which];

	if (ear_record_copy_set(&crossing->gap, ear_side_at(side, 0)) != 0)
		return EAR_E_NO_MEMORY;
	crossing->open = true;
	crossing->rest = crossing->again = false;
	crossing->count[0] = crossing->count[1] = 0;
	uint64_t begin = side->position;
	crossing->doubt = compare->carried | ear_walk_pass(compare, which);
	crossing->doubt |= compare->paired ? 0 : compare->start_doubt;
	/* The sides may have had handlers there, of other lengths. */
	if (compare->options.across.skip_interrupts)
		crossing->doubt |= EAR_SIDE_SEARCH | EAR_SIDE_SLIDE | EAR_SIDE_HANDLERS;
	if (compare->sides[0].sparse != compare->sides[1].sparse)
		crossing->doubt |= EAR_SIDE_SEARCH;
	crossing->end = crossing->guess = side->position - (which ? compare->offset : 0);
	if (crossing->doubt & EAR_SIDE_HANDLERS)
		crossing->end -= step_back(compare, side->position - begin);
	compare->carried = 0;
	return 0;
}

/* The gap is crossed; step[] records later the sides are at the same instruction. */
static int close_gap(struct ear_compare *compare, struct ear_compare_event *event, unsigned which)
{
	struct ear_crossing *crossing = &compare->crossings[which];

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
		ear_walk_pass(compare, which);
}

/* Do the sides agree in a long run: at the index after the gap, or elsewhere? After handlers that
 * were left out the index is not exact, and short loops agree with themselves at many places. */
static bool stand_near_index(struct ear_compare *compare, unsigned which, size_t *a, size_t *b)
{
	size_t guess = ear_walk_count_before(compare, 1 - which, compare->crossings[which].guess);

	*a = which == 0 ? 0 : guess;
	*b = which == 0 ? guess : 0;
	if (ear_walk_meet(compare, *a, *b, EAR_MEETING_LONG) ||
		ear_walk_find_meeting(compare, a, b, EAR_MEETING_LONG))
		return true;
	*a = which == 0 ? 0 : guess;
	*b = which == 0 ? guess : 0;
	return ear_walk_meet(compare, *a, *b, EAR_MEETING_EXACT);
}

/* Where the index alone does not say how the sides relate: do they agree here, or how far on? */
static bool stand_together(
	struct ear_compare *compare, unsigned which, size_t *a, size_t *b, unsigned doubt)
{
	bool here = ear_walk_meet(compare, 0, 0, EAR_MEETING_PLACE);

	if (doubt & EAR_SIDE_HANDLERS && stand_near_index(compare, which, a, b))
		return true;
	*a = *b = 0;
	if (here && (!(doubt & (EAR_SIDE_EXACT | EAR_SIDE_HANDLERS)) ||
			    ear_walk_meet(compare, 0, 0, EAR_MEETING_EXACT)))
		return true;
	if (ear_walk_find_meeting(compare, a, b, EAR_MEETING_EXACT)) {
		if (here && *a == *b)
			*a = *b = 0; /* a difference, nothing is missing */
		return true;
	}
	*a = *b = 0;
	return !(doubt & EAR_SIDE_EXACT) && ear_walk_find_meeting(compare, a, b, EAR_MEETING_PLACE);
}

/* The other side has come to the index at which the gap of a side ends, which may be wrong. Returns
 * 1 and the event if the gap is crossed, 0 to continue, or an error.
 */
static int find_end(struct ear_compare *compare, struct ear_compare_event *event, unsigned which)
{
	struct ear_crossing *crossing = &compare->crossings[which];
	struct ear_side *side = &compare->sides[which], *other = &compare->sides[1 - which];
	size_t a, b, window = compare->options.window;
	unsigned doubt = crossing->doubt;
	int result = ear_walk_load(compare, which, 1);

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
	result = ear_walk_look_ahead(compare);
	if (result)
		return result;
	if (stand_together(compare, which, &a, &b, doubt)) {
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
	struct ear_crossing *crossing = &compare->crossings[which];
	unsigned other = 1 - which;
	struct ear_side *side = &compare->sides[other];
	int result = ear_walk_load(compare, other, 1);

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
	struct ear_crossing *crossings = compare->crossings;
	unsigned first = crossings[0].rest || ear_side_before(crossings[1].end, crossings[0].end);

	if (crossings[1].rest)
		first = 0;
	crossings[1 - first].doubt |= crossings[first].doubt;
	return close_gap(compare, event, first);
}

bool ear_gap_reopen(struct ear_compare *compare)
{
	for (unsigned i = 0; i < 2; i++) {
		if (!compare->lost[i] || compare->sides[i].ahead > 0 ||
			compare->sides[1 - i].ahead == 0)
			continue;
		compare->crossings[i] = (struct ear_crossing){.open = true,
			.rest = true,
			.again = true,
			.gap = compare->crossings[i].gap};
		return true;
	}
	return false;
}

int ear_gap_cross(struct ear_compare *compare, struct ear_compare_event *event)
{
	const struct ear_crossing *crossings = compare->crossings;
	int result = 0;

	while (result == 0 && (crossings[0].open || crossings[1].open))
		result = crossings[0].open && crossings[1].open
				 ? close_first(compare, event)
				 : cross_gap(compare, event, crossings[1].open);
	return result;
}

int ear_gap_open(struct ear_compare *compare)
{
	int result = 0;

	if (!compare->paired && !compare->sides[0].begun && !compare->sides[1].begun) {
		result = ear_walk_load_both(compare, 1);
		if (result)
			return result;
		if (ear_side_is_gap(&compare->sides[0], 0) ||
			ear_side_is_gap(&compare->sides[1], 0))
			assume_offset(compare);
	}
	for (unsigned i = 0; i < 2; i++) {
		result = ear_walk_load(compare, i, 1);
		if (result)
			return result;
		if (ear_side_is_gap(&compare->sides[i], 0)) {
			result = open_gap(compare, i);
			return result ? result : 1;
		}
	}
	return 0;
}
