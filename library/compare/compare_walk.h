#ifndef EAR_COMPARE_WALK_H
#define EAR_COMPARE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/compare/across.h"
#include "library/compare/compare_event.h"
#include "library/compare/compare_side.h"
#include "library/compare/left_out.h"

/* The inside of a comparison, for compare.c and compare_gap.c: its two sides, how they continue
 * record by record, and where they meet again.
 */

/* A gap of one side that the other side is crossing. */
struct ear_crossing {
	bool open;
	bool again;        /* it was reported before, and more of the other side lies in it */
	bool rest;         /* it lasts to the end of the other side */
	unsigned doubt;    /* set of enum ear_side_doubt */
	uint64_t end;      /* on A's line of positions; the other side stops there */
	uint64_t guess;    /* with EAR_SIDE_HANDLERS: where they meet if no handler was left out */
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
	struct ear_crossing crossings[2];
	unsigned carried; /* doubt that a gap leaves to one directly after it */
	bool lost[2];     /* since the last pair a side had a gap of unknown size */
	int shown;        /* the side whose gap the event is about, or -1 */

	struct ear_across *across; /* NULL: nothing is left out or tolerated */
	bool step_is_pair;         /* the step passes the pair that was compared */
	bool probing;              /* what is tolerated counts as the same outcome */

	/* By the rules of equivalence.h. */
	const struct ear_record_view *views[2]; /* of the records being compared */
	uint32_t used;                          /* rules that their comparison needed */
	uint64_t rules[EAR_RULE_COUNT];         /* how often each was needed */
	bool writing_only;  /* records that write no register are left out on both sides */
	bool no_interrupts; /* and interrupts, which a side has not */
	bool no_traps;      /* and traps */
	bool no_handlers;   /* a side does not show where the handler of an interrupt begins */

	/* For resynchronising: positions of A's records by what they execute. */
	uint32_t *heads; /* position + 1 of the first with a hash, 0 none */
	uint32_t *links; /* of the next with the same hash */
	size_t hash_size;
};

static inline bool ear_walk_wanted(
	const struct ear_compare *compare, const struct ear_record *record)
{
	if (record->kind != EAR_RECORD_INSTRUCTION && record->kind != EAR_RECORD_GAP)
		return false;
	return compare->options.hart < 0 || record->hart == compare->options.hart;
}

/* Is the record left out on both sides, because one side never has such records? */
static inline bool ear_walk_left_out(struct ear_compare *compare, const struct ear_record *record)
{
	enum ear_rule rule = EAR_RULE_COUNT;

	if (compare->no_interrupts && record->flags & EAR_RECORD_INTERRUPT)
		rule = EAR_RULE_INTERRUPTS;
	else if (compare->no_traps && record->flags & EAR_RECORD_TRAP)
		rule = EAR_RULE_TRAPS;
	else if (compare->writing_only && ear_writes_no_register(record))
		rule = EAR_RULE_ROWS;
	if (rule == EAR_RULE_COUNT)
		return false;
	compare->rules[rule]++;
	return true;
}

/* The next record of a side that is wanted, not kept yet: 1, or 0 at its end, or an error. */
static inline int ear_walk_read(
	struct ear_compare *compare, unsigned which, const struct ear_record **record)
{
	for (;;) {
		int result = compare->options.next(compare->options.next_context, which, record);
		if (result <= 0)
			return result;
		if (!ear_walk_wanted(compare, *record))
			continue;
		bool skips = compare->across && !compare->no_handlers;
		int handler = skips ? ear_across_read(compare->across, which, *record) : 0;
		if (handler < 0)
			return handler;
		ear_side_look(&compare->sides[which], *record);
		if (handler || ear_walk_left_out(compare, *record))
			continue;
		int seen = skips ? ear_across_see(compare->across, which, *record) : 0;
		return seen < 0 ? seen : result;
	}
}

static inline unsigned ear_walk_pass(struct ear_compare *compare, unsigned which)
{
	if (compare->across)
		ear_across_pass(compare->across, which, ear_side_at(&compare->sides[which], 0));
	return ear_side_pass(&compare->sides[which], compare->options.context);
}

/* The sides are together at two records. */
static inline void ear_walk_pair_up(
	struct ear_compare *compare, const struct ear_record *a, const struct ear_record *b)
{
	const struct ear_side *sides = compare->sides;

	compare->offset = ear_side_position(&sides[1], b) - ear_side_position(&sides[0], a);
	compare->paired = true;
	compare->lost[0] = compare->lost[1] = false;
}

/* Are the two records of the same instruction? */
static inline bool ear_walk_same_place(const struct ear_record *a, const struct ear_record *b)
{
	uint32_t unknown = EAR_RECORD_NO_OPCODE;

	return a->kind == b->kind && a->pc == b->pc && a->hart == b->hart &&
	       ((a->flags | b->flags) & unknown || a->opcode == b->opcode) &&
	       (a->flags & EAR_RECORD_INTERRUPT) == (b->flags & EAR_RECORD_INTERRUPT);
}

/* Have the two records of the same instruction the same outcome? If not, *difference says where.
 * Their views, and afterwards the rules that this needed, are those of *compare. */
static inline bool ear_walk_same_record(struct ear_compare *compare,
	struct ear_record_difference *difference, const struct ear_record *a,
	const struct ear_record *b)
{
	struct ear_record_comparison how = {.fields = compare->options.fields,
		.unknown_equal = compare->options.unknown_equal,
		.equivalence = compare->views[0] ? compare->options.equivalence : NULL,
		.views = {compare->views[0], compare->views[1]}};
	bool same = ear_record_compare_by(difference, a, b, &how);

	compare->used = same ? how.used : 0;
	return same;
}

/* Compare the records at these places from now on. */
static inline void ear_walk_view(struct ear_compare *compare, size_t a, size_t b)
{
	compare->views[0] = ear_side_view(&compare->sides[0], a);
	compare->views[1] = ear_side_view(&compare->sides[1], b);
}

/* The pair is the same: count the rules that this needed. */
static inline void ear_walk_count_rules(struct ear_compare *compare)
{
	for (uint32_t used = compare->used; used; used &= used - 1)
		compare->rules[__builtin_ctz(used)]++;
	compare->used = 0;
}

/* As ear_walk_same_record, but for what is tolerated; for the pair at which the sides are. */
bool ear_walk_same_pair(struct ear_compare *compare, struct ear_record_difference *difference,
	const struct ear_record *a, const struct ear_record *b);

/* Read until side has count records from the current one on, or has ended; of both sides; as many
 * as a search looks at. Return 0 or an error. */
int ear_walk_load(struct ear_compare *compare, unsigned which, size_t count);
int ear_walk_load_both(struct ear_compare *compare, size_t count);
int ear_walk_look_ahead(struct ear_compare *compare);

/* Records that a side has before this position of A's line and before its own next gap. */
size_t ear_walk_count_before(const struct ear_compare *compare, unsigned which, uint64_t position);

/* How much must agree where the sides meet. */
enum ear_meeting {
	EAR_MEETING_PLACE, /* a run of instructions */
	EAR_MEETING_EXACT, /* and their outcomes, which distinguishes one round of a loop from
			      another */
	EAR_MEETING_LONG,  /* outcomes but for what is tolerated, and a run that is longer than most
			      loops */
};

/* Do the sides continue together from these positions? A gap cuts the run short, and so does the
 * end of both; of one, only if both simply continue.
 */
bool ear_walk_meet(struct ear_compare *compare, size_t a, size_t b, enum ear_meeting how);

/* Do the sides continue together after the pair at which they are, but for what is tolerated? */
bool ear_walk_continue_tolerantly(struct ear_compare *compare);

/* Find the nearest positions at which the sides meet again: the smallest sum. */
bool ear_walk_find_meeting(
	struct ear_compare *compare, size_t *best_a, size_t *best_b, enum ear_meeting how);

#endif
