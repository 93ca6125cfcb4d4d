#include "decoder/compare.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"

#define REWIND_BOXES 32

/* Each side is a ring of boxes: up to context records that were passed, then the current one,
 * then what was read ahead to find where the sides meet again.
 *
 *        passed        current   ahead
 *   [ p p p ]            [c]     [a a a a ...]
 *     <= context                  <= window + run
 */
struct side {
	struct ear_record_box *boxes;
	size_t capacity;
	size_t current; /* index of the current record's box */
	size_t passed;  /* boxes before it */
	size_t ahead;   /* boxes from the current one on */
	bool ended;     /* nothing can be read behind them */
	uint64_t count; /* instruction records passed */
};

struct ear_compare {
	struct ear_compare_options options;
	struct side sides[2];
	uint64_t pairs;
	bool started, over;
	size_t step[2]; /* to go on by before the next event */

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
	made->hash_size = 64;
	while (made->hash_size < 2 * options->window)
		made->hash_size *= 2;
	made->heads = calloc(made->hash_size, sizeof(*made->heads));
	made->links = calloc(options->window + 1, sizeof(*made->links));
	for (unsigned i = 0; i < 2; i++) {
		struct side *side = &made->sides[i];
		side->capacity = 2 * options->context + options->window + options->run + 2;
		side->boxes = calloc(side->capacity, sizeof(*side->boxes));
	}
	if (!made->heads || !made->links || !made->sides[0].boxes || !made->sides[1].boxes) {
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
		struct side *side = &compare->sides[i];
		for (size_t box = 0; side->boxes && box < side->capacity; box++)
			ear_record_box_fini(&side->boxes[box]);
		free(side->boxes);
	}
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

static const struct ear_record *at(const struct side *side, size_t position)
{
	return &side->boxes[(side->current + position) % side->capacity].record;
}

/* The next record of a side that is wanted, not kept yet: 1, or 0 at its end, or an error. */
static int read_wanted(
	struct ear_compare *compare, unsigned which, const struct ear_record **record)
{
	for (;;) {
		int result = compare->options.next(compare->options.next_context, which, record);
		if (result <= 0 || wanted(compare, *record))
			return result;
	}
}

static int keep(struct side *side, const struct ear_record *record)
{
	size_t place = (side->current + side->ahead) % side->capacity;

	if (ear_record_box_put(&side->boxes[place], record) != 0)
		return EAR_E_NO_MEMORY;
	side->ahead++;
	return 0;
}

/* Read until side has count records from the current one on, or has ended. */
static int load(struct ear_compare *compare, unsigned which, size_t count)
{
	struct side *side = &compare->sides[which];

	while (side->ahead < count && !side->ended) {
		const struct ear_record *record;
		int result = read_wanted(compare, which, &record);
		side->ended = result == 0;
		if (result > 0)
			result = keep(side, record);
		if (result < 0)
			return result;
	}
	return 0;
}

/* Nothing was read ahead: go back to the beginning of the ring, with what was passed. Where the
 * sides go on together only few boxes are used, then, and they stay near the processor.
 */
static void rewind_ring(struct side *side)
{
	size_t first = side->current - side->passed;

	for (size_t i = 0; i < side->passed; i++) {
		struct ear_record_box box = side->boxes[i];
		side->boxes[i] = side->boxes[first + i];
		side->boxes[first + i] = box;
	}
	side->current = side->passed;
}

/* Go on by one record, which is there. */
static void pass(struct ear_compare *compare, unsigned which)
{
	struct side *side = &compare->sides[which];

	side->count += at(side, 0)->kind == EAR_RECORD_INSTRUCTION;
	side->current = (side->current + 1) % side->capacity;
	side->ahead--;
	if (side->passed < compare->options.context)
		side->passed++;
	if (side->ahead == 0 && side->current >= REWIND_BOXES && side->current >= 2 * side->passed)
		rewind_ring(side);
}

/* Do the two records tell of the same instruction? */
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

	return a->kind != EAR_RECORD_INSTRUCTION ||
	       ear_record_compare(
		       &difference, a, b, compare->options.fields, compare->options.unknown_equal);
}

/* Do the sides go on together from these positions for a run of instructions? exactly: with the
 * same outcomes too, which tells one round of a loop from another.
 */
static bool meet(const struct ear_compare *compare, size_t a, size_t b, bool exactly)
{
	const struct side *sides = compare->sides;

	for (unsigned i = 0; i < compare->options.run; i++) {
		if (a + i >= sides[0].ahead || b + i >= sides[1].ahead)
			return i > 0 && a + i >= sides[0].ahead && b + i >= sides[1].ahead;
		const struct ear_record *of_a = at(&sides[0], a + i), *of_b = at(&sides[1], b + i);
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
	const struct side *sides = compare->sides;
	size_t window = compare->options.window;
	size_t count_a = sides[0].ahead < window + 1 ? sides[0].ahead : window + 1;
	size_t count_b = sides[1].ahead < window + 1 ? sides[1].ahead : window + 1;
	size_t best = SIZE_MAX;

	memset(compare->heads, 0, compare->hash_size * sizeof(*compare->heads));
	for (size_t a = count_a; a-- > 0;) {
		size_t slot = hash(compare, at(&sides[0], a));
		compare->links[a] = compare->heads[slot];
		compare->heads[slot] = (uint32_t)a + 1;
	}
	for (size_t b = 0; b < count_b && b < best; b++) {
		uint32_t link = compare->heads[hash(compare, at(&sides[1], b))];
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

/* The same instruction had another outcome. If the sides do not simply go on together behind it,
 * they may be in different rounds of a loop: then records are missing, and nothing is wrong with
 * the values.
 */
static int judge_outcome(struct ear_compare *compare, struct ear_compare_event *event)
{
	bool together = false;
	size_t a, b;

	if (compare->options.window == 0)
		return 1;
	/* Most often they go on together, which shows in few records. */
	int result = load_both(compare, compare->options.run + 1);
	if (result == 0)
		together = meet(compare, 1, 1, true);
	if (result == 0 && !together)
		result = look_ahead(compare);
	if (result) { /* the pair is compared again */
		compare->pairs--;
		compare->step[0] = compare->step[1] = 0;
		return result;
	}
	if (together || !find_meeting(compare, &a, &b, true) || a == b)
		return 1;
	compare->pairs--;
	memset(&event->difference, 0, sizeof(event->difference));
	return insertion(compare, event, a, b);
}

/* Both sides stand at records that do not tell of the same instruction. */
static int resynchronise(struct ear_compare *compare, struct ear_compare_event *event)
{
	size_t a, b;
	int result = look_ahead(compare);

	if (result)
		return result;
	if (find_meeting(compare, &a, &b, true) || find_meeting(compare, &a, &b, false))
		return insertion(compare, event, a, b);
	event->kind = EAR_COMPARE_PARTED;
	compare->over = true;
	return 1;
}

/* A gap stands on one side. If its size is known the other side passes as many records. */
static int take_gap(struct ear_compare *compare, struct ear_compare_event *event, unsigned which)
{
	const struct ear_gap *gap = &at(&compare->sides[which], 0)->u.gap;
	uint64_t count = gap->count_known ? gap->count : 0;

	event->kind = EAR_COMPARE_GAP;
	event->side = which;
	event->count[which] = 0;
	event->count[1 - which] = count;
	compare->step[which] = 1;
	compare->step[1 - which] = (size_t)count;
	return 1;
}

static int take_steps(struct ear_compare *compare)
{
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
	struct side *side = &compare->sides[which];

	for (;;) {
		int result = load(compare, which, 1);
		if (result || side->ahead == 0)
			return result;
		if (at(side, 0)->kind == EAR_RECORD_INSTRUCTION &&
			at(side, 0)->pc == compare->options.start_pc)
			return 0;
		pass(compare, which);
	}
}

static int begin(struct ear_compare *compare)
{
	struct ear_compare_event event;
	int result = 0;

	if (compare->options.has_start) {
		result = skip_to_start(compare, 0);
		if (result == 0)
			result = skip_to_start(compare, 1);
	}
	if (result == 0 && compare->options.first_common) {
		result = resynchronise(compare, &event);
		result = result > 0 ? 0 : result;
		compare->over = false; /* parted at once is told by the first comparison */
	}
	compare->started = result == 0;
	return result;
}

/* Compare where the sides stand. Returns 1 for an event, 0 to go on, or an error. */
static int compare_here(struct ear_compare *compare, struct ear_compare_event *event)
{
	struct side *sides = compare->sides;
	int result = load(compare, 0, 1);

	if (result == 0)
		result = load(compare, 1, 1);
	if (result)
		return result;
	if (sides[0].ahead == 0 || sides[1].ahead == 0) {
		compare->over = true;
		event->kind = EAR_COMPARE_ENDED;
		event->side = sides[0].ahead == 0 ? 0 : 1;
		return sides[0].ahead != sides[1].ahead;
	}

	const struct ear_record *a = at(&sides[0], 0), *b = at(&sides[1], 0);
	for (unsigned i = 0; i < 2; i++)
		if (at(&sides[i], 0)->kind == EAR_RECORD_GAP)
			return take_gap(compare, event, i);

	if (!same_place(a, b) && compare->options.window > 0)
		return resynchronise(compare, event);
	compare->pairs++;
	compare->step[0] = 1;
	compare->step[1] = 1;
	event->kind = EAR_COMPARE_DIFFERENT;
	if (ear_record_compare(&event->difference, a, b, compare->options.fields,
		    compare->options.unknown_equal))
		return 0;
	return judge_outcome(compare, event);
}

/* As long as nothing was read ahead and the sides agree, records are compared where their readers
 * hold them, and only those of A are kept, to show before a difference: they are B's as well.
 * Returns 0 when there is something to look at, with the records kept on both sides.
 */
static int compare_fast(struct ear_compare *compare)
{
	struct side *sides = compare->sides;

	while (sides[0].ahead == 0 && sides[1].ahead == 0 && !sides[0].ended && !sides[1].ended) {
		const struct ear_record *a, *b;
		int result_a = read_wanted(compare, 0, &a), result_b = 0;
		if (result_a < 0)
			return result_a;
		sides[0].ended = result_a == 0;
		if (result_a && keep(&sides[0], a) != 0)
			return EAR_E_NO_MEMORY;
		a = at(&sides[0], 0);
		result_b = read_wanted(compare, 1, &b);
		if (result_b < 0)
			return result_b;
		sides[1].ended = result_b == 0;
		if (result_a && result_b && a->kind == EAR_RECORD_INSTRUCTION && same_place(a, b) &&
			same_outcome(compare, a, b)) {
			pass(compare, 0);
			sides[1].count++;
			sides[1].passed = 0;
			compare->pairs++;
			continue;
		}
		if (result_b && keep(&sides[1], b) != 0)
			return EAR_E_NO_MEMORY;
	}
	return 0;
}

int ear_compare_next(struct ear_compare *compare, struct ear_compare_event *event)
{
	int result = 0;

	memset(event, 0, sizeof(*event));
	if (!compare->started)
		result = begin(compare);
	while (result == 0 && !compare->over) {
		result = take_steps(compare);
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
	struct side *at_side = &compare->sides[side];

	/* What both sides had in common is kept once. */
	if (position < 0 && side == 1 && at_side->passed == 0)
		at_side = &compare->sides[0];
	if (position < 0) {
		if ((size_t)-position > at_side->passed)
			return NULL;
		return at(at_side, at_side->capacity - (size_t)-position);
	}
	size_t ahead = (size_t)position;
	if (ahead > compare->options.context + compare->options.window ||
		load(compare, side, ahead + 1) != 0 || ahead >= at_side->ahead)
		return NULL;
	return at(at_side, ahead);
}

bool ear_compare_idle(const struct ear_compare *compare)
{
	const struct side *sides = compare->sides;

	return compare->started && !compare->over && sides[0].ahead == 0 && sides[1].ahead == 0 &&
	       compare->step[0] == 0 && compare->step[1] == 0;
}

void ear_compare_pass_equal(struct ear_compare *compare, uint64_t count)
{
	for (unsigned i = 0; i < 2; i++) {
		compare->sides[i].count += count;
		compare->sides[i].passed = 0;
	}
	compare->pairs += count;
}

uint64_t ear_compare_count(const struct ear_compare *compare, unsigned side)
{
	return compare->sides[side].count;
}

uint64_t ear_compare_pairs(const struct ear_compare *compare)
{
	return compare->pairs;
}
