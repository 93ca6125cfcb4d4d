/* Two traces side by side, each in a ring of copies.
 *
 * Where nothing is missing the records are paired one by one, and where they differ in what they
 * execute the nearest place is searched at which a run of them agrees again. Over a gap the sides
 * go by index, not by number: both must be at the same index after it, whatever each of them has
 * lost there. The offset between the positions of the two sides is that of the last pair. A search
 * crosses no gap.
 */
#include "library/compare/compare.h"

#include <assert.h>
#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "library/compare/compare_edge.h"
#include "library/compare/compare_gap.h"
#include "library/compare/compare_side.h"
#include "library/compare/compare_walk.h"

int ear_compare_new(struct ear_compare **compare, const struct ear_compare_options *options)
{
	struct ear_compare *made = calloc(1, sizeof(*made));
	uint32_t rules = options->equivalence ? options->equivalence->rules : 0;
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
		if (rules)
			side->views = calloc(side->capacity, sizeof(*side->views));
		side->trap_csrs = rules && !ear_equivalence_brings(
						   options->equivalence, i, EAR_RULE_TRAP_CSRS);
	}
	made->no_interrupts = rules & EAR_RULE_BIT(EAR_RULE_INTERRUPTS);
	made->no_traps = rules & EAR_RULE_BIT(EAR_RULE_TRAPS);
	made->no_handlers = made->no_interrupts && (!options->equivalence->handlers[0] ||
							   !options->equivalence->handlers[1]);
	bool across = ear_across_wanted(&options->across);
	if (across)
		made->across = ear_across_new(&options->across);
	if (!made->heads || !made->links || !made->sides[0].copies || !made->sides[1].copies ||
		(rules && (!made->sides[0].views || !made->sides[1].views)) ||
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
		free(side->views);
		ear_view_state_fini(&side->state);
		ear_record_copy_fini(&compare->crossings[i].gap);
	}
	ear_across_free(compare->across);
	free(compare->heads);
	free(compare->links);
	free(compare);
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
	int result = ear_walk_load_both(compare, compare->options.run + 1);
	if (result == 0) /* what a gap or an end hides is not held against them */
		together = plain_ends(&compare->sides[0]) || plain_ends(&compare->sides[1]) ||
			   ear_walk_meet(compare, 1, 1, EAR_MEETING_EXACT) ||
			   ear_walk_continue_tolerantly(compare);
	if (result == 0 && !together)
		result = ear_walk_look_ahead(compare);
	if (result) { /* the pair is compared again */
		compare->pairs--;
		compare->step_is_pair = false;
		compare->step[0] = compare->step[1] = 0;
		return result;
	}
	if (together || !ear_walk_find_meeting(compare, &a, &b, EAR_MEETING_EXACT) || a == b)
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

/* Both sides are at records that are not of the same instruction. If they do not meet again
 * before a gap, they will after it: up to there everything is different.
 */
static int resynchronise(struct ear_compare *compare, struct ear_compare_event *event)
{
	uint64_t begin_a = 0, begin_b = 0;
	size_t a, b;
	int result = ear_walk_look_ahead(compare);

	if (result)
		return result;
	if (ear_walk_find_meeting(compare, &a, &b, EAR_MEETING_EXACT) ||
		ear_walk_find_meeting(compare, &a, &b, EAR_MEETING_PLACE))
		return insertion(compare, event, a, b);
	bool gap_a = next_gap(compare, 0, &begin_a), gap_b = next_gap(compare, 1, &begin_b);
	if (gap_a || gap_b) {
		uint64_t begin =
			gap_a && (!gap_b || ear_side_before(begin_a, begin_b)) ? begin_a : begin_b;
		return insertion(compare, event, ear_walk_count_before(compare, 0, begin),
			ear_walk_count_before(compare, 1, begin));
	}
	event->kind = EAR_COMPARE_PARTED;
	compare->over = true;
	return 1;
}

/* Pass the pair that was compared. */
static void pass_pair(struct ear_compare *compare)
{
	const struct ear_side *sides = compare->sides;

	if (compare->across)
		ear_across_pass_pair(
			compare->across, ear_side_at(&sides[0], 0), ear_side_at(&sides[1], 0));
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
			int result = ear_walk_load(compare, i, 1);
			if (result)
				return result;
			if (compare->sides[i].ahead == 0)
				break;
			ear_walk_pass(compare, i);
		}
		compare->step[i] = 0;
	}
	return 0;
}

static int skip_to_start(struct ear_compare *compare, unsigned which)
{
	struct ear_side *side = &compare->sides[which];

	for (;;) {
		int result = ear_walk_load(compare, which, 1);
		if (result || side->ahead == 0)
			return result;
		if (ear_side_at(side, 0)->kind == EAR_RECORD_INSTRUCTION &&
			ear_side_at(side, 0)->pc == compare->options.start_pc)
			return 0;
		ear_walk_pass(compare, which);
	}
}

/* Go to the first place where both agree for a run. Gaps before it are of no interest. */
static int skip_to_common(struct ear_compare *compare)
{
	struct ear_side *sides = compare->sides;

	for (;;) {
		size_t counts[2];
		int result = ear_walk_look_ahead(compare);
		if (result)
			return result;
		if (ear_walk_find_meeting(compare, &counts[0], &counts[1], EAR_MEETING_EXACT) ||
			ear_walk_find_meeting(compare, &counts[0], &counts[1], EAR_MEETING_PLACE)) {
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
			ear_walk_pass(compare, which);
	}
}

static int begin(struct ear_compare *compare)
{
	const struct ear_side *sides = compare->sides;
	int result = ear_edge_begin(compare);

	if (result)
		return result;
	if (compare->options.has_start && !compare->options.at_start) {
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
		ear_walk_pair_up(compare, ear_side_at(&sides[0], 0), ear_side_at(&sides[1], 0));
	return result;
}

/* Compare where the sides are. Returns 1 for an event, 0 to continue, or an error. */
static int compare_here(struct ear_compare *compare, struct ear_compare_event *event)
{
	struct ear_side *sides = compare->sides;
	int result = ear_gap_open(compare);

	if (result)
		return result < 0 ? result : ear_gap_cross(compare, event);
	compare->carried = 0;
	if (ear_gap_reopen(compare))
		return ear_gap_cross(compare, event);
	if (sides[0].ahead == 0 || sides[1].ahead == 0) {
		unsigned ended = sides[0].ahead == 0 ? 0 : 1;
		result = ear_edge_end(compare, 1 - ended);
		if (result)
			return result;
		compare->over = true;
		event->kind = EAR_COMPARE_ENDED;
		event->side = ended;
		return sides[0].ahead != sides[1].ahead;
	}

	const struct ear_record *a = ear_side_at(&sides[0], 0), *b = ear_side_at(&sides[1], 0);
	if (!ear_walk_same_place(a, b) && compare->options.window > 0) {
		if (compare->across)
			ear_across_decided(compare->across, a, b, NULL, &event->decision);
		return resynchronise(compare, event);
	}
	ear_walk_pair_up(compare, a, b);
	compare->pairs++;
	compare->step[0] = 1;
	compare->step[1] = 1;
	compare->step_is_pair = true;
	event->kind = EAR_COMPARE_DIFFERENT;
	ear_walk_view(compare, 0, 0);
	if (ear_walk_same_pair(compare, &event->difference, a, b)) {
		ear_walk_count_rules(compare);
		return 0;
	}
	if (compare->across)
		ear_across_decided(compare->across, a, b, &event->difference, &event->decision);
	return judge_outcome(compare, event);
}

/* Are the two records the same, or is what differs tolerated? Then they are passed. */
static bool pass_equal(
	struct ear_compare *compare, const struct ear_record *a, const struct ear_record *b)
{
	struct ear_record_difference difference;

	compare->views[0] = ear_side_view(&compare->sides[0], 0);
	compare->views[1] = compare->sides[1].views ? &compare->sides[1].view : NULL;
	bool same = ear_walk_same_record(compare, &difference, a, b);
	if (!compare->across)
		return same;
	if (!same && !ear_walk_same_pair(compare, &difference, a, b))
		return false;
	ear_across_pass_pair(compare->across, a, b);
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
		int result_a = ear_walk_read(compare, 0, &a), result_b = 0;
		if (result_a < 0)
			return result_a;
		sides[0].ended = result_a == 0;
		if (result_a && ear_side_keep(&sides[0], a) != 0)
			return EAR_E_NO_MEMORY;
		a = ear_side_at(&sides[0], 0);
		result_b = ear_walk_read(compare, 1, &b);
		if (result_b < 0)
			return result_b;
		sides[1].ended = result_b == 0;
		if (result_a && result_b && a->kind == EAR_RECORD_INSTRUCTION &&
			ear_walk_same_place(a, b) && pass_equal(compare, a, b)) {
			ear_walk_count_rules(compare);
			ear_walk_pair_up(compare, a, b);
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
			result = ear_gap_cross(compare, event);
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
		ear_walk_load(compare, side, ahead + 1) != 0 || ahead >= at_side->ahead)
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

void ear_compare_add_rules(const struct ear_compare *compare, uint64_t counts[EAR_RULE_COUNT])
{
	for (unsigned i = 0; i < EAR_RULE_COUNT; i++)
		counts[i] += compare->rules[i];
}
