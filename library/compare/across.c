/* Interrupt handlers and tolerated values, for a comparison of one hart.
 *
 * Handlers vanish between two records that the comparison sees. Each such place is a joint: how
 * many records were left out up to there. Joints are kept from where they were read until they are
 * passed, so they are no more than the records that the comparison has read ahead.
 */
#include "library/compare/across.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/record/record_copy.h"

struct joint {
	uint64_t at;      /* records that the comparison has seen before it */
	uint64_t skipped; /* records left out up to here, since the beginning */
	bool has_switch;
	struct ear_handler_switch to;
};

/* A record of a handler that the comparison has not come to yet. */
struct waiting {
	struct ear_record_copy copy;
	uint64_t at, number; /* records that the comparison has seen before it; its number */
};

struct side {
	struct ear_handler handler;
	uint64_t seen, passed; /* instruction records that the comparison has read, and passed */
	uint64_t skipped;      /* records left out, of those that were read */
	bool has_switch;       /* since the last record seen */
	struct ear_handler_switch to;

	struct joint *joints; /* the first one is passed or the first to come */
	size_t capacity, first, count;

	struct waiting *waiting; /* a ring, too */
	size_t waiting_capacity, waiting_first, waiting_count;
};

struct ear_across {
	struct ear_across_options options;
	struct ear_tolerance_hart *hart; /* NULL: nothing is tolerated */
	struct ear_tolerance_hart *probe;
	struct side sides[2];
};

struct ear_across *ear_across_new(const struct ear_across_options *options)
{
	struct ear_across *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->options = *options;
	if (!options->tolerance)
		return made;
	made->hart = ear_tolerance_hart_new(options->tolerance);
	if (made->hart)
		return made;
	ear_across_free(made);
	return NULL;
}

void ear_across_free(struct ear_across *across)
{
	if (!across)
		return;
	ear_tolerance_hart_free(across->hart);
	for (unsigned i = 0; i < 2; i++) {
		struct side *side = &across->sides[i];
		for (size_t place = 0; place < side->waiting_capacity; place++)
			ear_record_copy_fini(&side->waiting[place].copy);
		free(side->waiting);
		free(side->joints);
	}
	free(across);
}

static struct joint *joint_at(const struct side *side, size_t place)
{
	return &side->joints[(side->first + place) % side->capacity];
}

static bool grow(struct side *side)
{
	size_t capacity = side->capacity ? 2 * side->capacity : 16;
	struct joint *grown = calloc(capacity, sizeof(*grown));

	if (!grown)
		return false;
	for (size_t i = 0; i < side->count; i++)
		grown[i] = *joint_at(side, i);
	free(side->joints);
	side->joints = grown;
	side->capacity = capacity;
	side->first = 0;
	return true;
}

/* Joints before the last one that is passed are of no more use. */
static void drop_joints(struct side *side)
{
	while (side->count > 1 && joint_at(side, 1)->at <= side->passed) {
		side->first = (side->first + 1) % side->capacity;
		side->count--;
	}
}

/* Records were left out before the one that is read now. */
static int add_joint(struct side *side)
{
	if (side->count == side->capacity && !grow(side))
		return EAR_E_NO_MEMORY;
	side->count++;
	*joint_at(side, side->count - 1) = (struct joint){.at = side->seen,
		.skipped = side->skipped,
		.has_switch = side->has_switch,
		.to = side->to};
	side->has_switch = false;
	drop_joints(side);
	return 0;
}

/* Records of handlers that lie before the current record are executed now; with all, the others
 * too. */
static void execute_waiting(struct ear_across *across, unsigned which, bool all)
{
	struct side *side = &across->sides[which];

	while (side->waiting_count > 0) {
		const struct waiting *next = &side->waiting[side->waiting_first];
		if (!all && next->at > side->passed)
			return;
		ear_tolerance_pass(across->hart, which, &next->copy.record, next->number);
		side->waiting_first = (side->waiting_first + 1) % side->waiting_capacity;
		side->waiting_count--;
	}
}

static bool grow_waiting(struct side *side)
{
	size_t capacity = side->waiting_capacity ? 2 * side->waiting_capacity : 64;
	struct waiting *grown = calloc(capacity, sizeof(*grown));

	if (!grown)
		return false;
	for (size_t i = 0; i < side->waiting_capacity; i++)
		grown[i] = side->waiting[(side->waiting_first + i) % side->waiting_capacity];
	free(side->waiting);
	side->waiting = grown;
	side->waiting_capacity = capacity;
	side->waiting_first = 0;
	return true;
}

/* A record of a handler was read: the comparison is there, or it waits. */
static int execute(struct ear_across *across, unsigned which, const struct ear_record *record)
{
	struct side *side = &across->sides[which];
	uint64_t number = side->seen + side->skipped;

	if (side->waiting_count == EAR_ACROSS_WAITING_MAX)
		execute_waiting(across, which, true);
	if (side->waiting_count == 0 && side->seen == side->passed) {
		ear_tolerance_pass(across->hart, which, record, number);
		return 0;
	}
	if (side->waiting_count == side->waiting_capacity && !grow_waiting(side))
		return EAR_E_NO_MEMORY;
	struct waiting *last = &side->waiting[(side->waiting_first + side->waiting_count) %
					      side->waiting_capacity];
	if (ear_record_copy_set(&last->copy, record) != 0)
		return EAR_E_NO_MEMORY;
	last->at = side->seen;
	last->number = number;
	side->waiting_count++;
	return 0;
}

static void advance(struct ear_across *across, unsigned which)
{
	across->sides[which].passed++;
	drop_joints(&across->sides[which]);
	execute_waiting(across, which, false);
}

int ear_across_read(struct ear_across *across, unsigned which, const struct ear_record *record)
{
	struct side *side = &across->sides[which];

	if (!across->options.skip_interrupts)
		return 0;
	bool skipped = ear_handler_push(&side->handler, record);
	if (side->handler.has_switch) {
		side->has_switch = true;
		side->to = side->handler.last_switch;
	}
	if (skipped) {
		int result = across->hart ? execute(across, which, record) : 0;
		side->skipped++;
		return result ? result : 1;
	}
	return 0;
}

int ear_across_see(struct ear_across *across, unsigned which, const struct ear_record *record)
{
	struct side *side = &across->sides[which];

	if (record->kind == EAR_RECORD_GAP)
		return 0;
	uint64_t before = side->count ? joint_at(side, side->count - 1)->skipped : 0;
	int result = side->skipped > before ? add_joint(side) : 0;
	side->seen++;
	return result;
}

bool ear_across_compare(struct ear_across *across, struct ear_record_difference *difference,
	const struct ear_record *a, const struct ear_record *b,
	const struct ear_pair_comparison *how)
{
	if (across->hart)
		return ear_tolerance_compare(across->hart, difference, a, b, how);
	return how->same(how->context, difference, a, b);
}

static const uint64_t no_numbers[2];

bool ear_across_probe_begin(struct ear_across *across, bool any_load)
{
	across->probe = across->hart ? ear_tolerance_probe(across->hart, any_load) : NULL;
	return across->probe;
}

void ear_across_probe_pass(
	struct ear_across *across, const struct ear_record *a, const struct ear_record *b)
{
	ear_tolerance_pass_pair(across->probe, a, b, no_numbers);
}

bool ear_across_probe(struct ear_across *across, const struct ear_record *a,
	const struct ear_record *b, const struct ear_pair_comparison *how)
{
	struct ear_record_difference difference;

	if (!ear_tolerance_compare(across->probe, &difference, a, b, how))
		return false;
	ear_tolerance_pass_pair(across->probe, a, b, no_numbers);
	return true;
}

uint64_t ear_across_skipped(const struct ear_across *across, unsigned which)
{
	const struct side *side = &across->sides[which];

	if (side->count == 0 || joint_at(side, 0)->at > side->passed)
		return 0;
	return joint_at(side, 0)->skipped;
}

/* The number of the current record. */
static uint64_t number_of(const struct ear_across *across, unsigned side)
{
	return across->sides[side].passed + ear_across_skipped(across, side);
}

void ear_across_pass_pair(
	struct ear_across *across, const struct ear_record *a, const struct ear_record *b)
{
	const uint64_t numbers[2] = {number_of(across, 0), number_of(across, 1)};

	if (across->hart)
		ear_tolerance_pass_pair(across->hart, a, b, numbers);
	advance(across, 0);
	advance(across, 1);
}

void ear_across_pass(struct ear_across *across, unsigned side, const struct ear_record *record)
{
	if (across->hart)
		ear_tolerance_pass(across->hart, side, record, number_of(across, side));
	if (record->kind == EAR_RECORD_INSTRUCTION)
		advance(across, side);
}

bool ear_across_decided(const struct ear_across *across, const struct ear_record *a,
	const struct ear_record *b, const struct ear_record_difference *difference,
	struct ear_decision *decision)
{
	if (!across->hart || (a->flags | b->flags) & EAR_RECORD_INTERRUPT)
		return false;
	if (!difference)
		return ear_tolerance_decided_before(across->hart, decision);
	return ear_tolerance_decided(across->hart, a, b, difference, decision);
}

bool ear_across_switch(const struct ear_across *across, unsigned which, uint64_t count,
	struct ear_handler_switch *found, uint64_t *number)
{
	const struct side *side = &across->sides[which];

	for (size_t i = 0; i < side->count; i++) {
		const struct joint *joint = joint_at(side, i);
		if (joint->at < side->passed || !joint->has_switch)
			continue;
		if (joint->at > side->passed + count)
			return false;
		*found = joint->to;
		*number = joint->at + joint->skipped;
		return true;
	}
	return false;
}

const struct ear_handler_statistics *ear_across_handlers(
	const struct ear_across *across, unsigned side)
{
	return &across->sides[side].handler.statistics;
}
