/* Splits two traces by hart and runs one comparison for each.
 *
 * A comparison pulls: it asks for the next record of its hart and side. A record of another hart
 * that is read on the way waits in that hart's queue. A comparison whose next record is not there
 * yet stops with EAR_E_MORE and is called again when one has come, so no threads are needed, and
 * two runs of one pair of files report the same events in the same order.
 */
#include "library/compare/compare_harts.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/record/record_copy.h"

#define WAIT_MAX 256 /* pairs between two looks for equal lines, where there are none */

/* Records of a side that wait, a ring. */
struct queue {
	struct ear_record_copy *copies;
	size_t capacity, first, count;
};

struct lane {
	struct ear_compare_harts *harts;
	uint16_t hart;
	struct ear_compare *compare;
	struct queue queues[2];
	bool over; /* nothing more is compared */
	bool busy; /* is in harts->busy */
};

struct ear_compare_harts {
	struct ear_compare_harts_options options;
	struct lane *lanes[EAR_COMPARE_HARTS_MAX];
	size_t lane_count;
	struct lane *at;   /* the lane that is at an event */
	struct lane *last; /* that a record was found for last */
	bool many;         /* several harts: records are queued */
	bool ended[2];
	bool pulling; /* a record that is not there yet is read for */
	size_t queued[2];

	struct lane *busy[EAR_COMPARE_HARTS_MAX]; /* that may have something to do, in turn */
	size_t busy_count;

	uint64_t skipped;
	unsigned wait, wait_next; /* pairs until equal lines are looked for, and the time after */
};

static int next_of_lane(void *context, unsigned side, const struct ear_record **record);

static int add_lane(struct ear_compare_harts *harts, uint16_t hart, struct lane **lane)
{
	struct ear_compare_options options = harts->options.compare;
	struct lane *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	if (harts->lane_count == EAR_COMPARE_HARTS_MAX) {
		free(made);
		return EAR_E_FULL;
	}
	*made = (struct lane){.harts = harts, .hart = hart};
	options.next = next_of_lane;
	options.next_context = made;
	int result = ear_compare_new(&made->compare, &options);
	if (result) {
		free(made);
		return result;
	}
	harts->lanes[harts->lane_count++] = made;
	*lane = made;
	return 0;
}

/* The lane of a hart, made if there is none. */
static int find_lane(struct ear_compare_harts *harts, uint16_t hart, struct lane **lane)
{
	if (harts->last && harts->last->hart == hart) {
		*lane = harts->last;
		return 0;
	}
	for (size_t i = 0; i < harts->lane_count; i++) {
		if (harts->lanes[i]->hart == hart) {
			*lane = harts->last = harts->lanes[i];
			return 0;
		}
	}
	return add_lane(harts, hart, lane);
}

int ear_compare_harts_new(
	struct ear_compare_harts **harts, const struct ear_compare_harts_options *options)
{
	struct ear_compare_harts *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->options = *options;
	*harts = made;
	return 0;
}

static void free_lane(struct lane *lane)
{
	ear_compare_free(lane->compare);
	for (unsigned i = 0; i < 2; i++) {
		struct queue *queue = &lane->queues[i];
		for (size_t copy = 0; copy < queue->capacity; copy++)
			ear_record_copy_fini(&queue->copies[copy]);
		free(queue->copies);
	}
	free(lane);
}

void ear_compare_harts_free(struct ear_compare_harts *harts)
{
	if (!harts)
		return;
	for (size_t i = 0; i < harts->lane_count; i++)
		free_lane(harts->lanes[i]);
	free(harts);
}

/* Twice the room; the records are at the beginning then. */
static int grow_queue(struct queue *queue)
{
	size_t capacity = queue->capacity ? 2 * queue->capacity : 16;
	struct ear_record_copy *copies = calloc(capacity, sizeof(*copies));

	if (!copies)
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < queue->capacity; i++)
		copies[i] = queue->copies[(queue->first + i) % queue->capacity];
	free(queue->copies);
	queue->copies = copies;
	queue->capacity = capacity;
	queue->first = 0;
	return 0;
}

static int push(struct lane *lane, unsigned side, const struct ear_record *record)
{
	struct queue *queue = &lane->queues[side];

	if (lane->over)
		return 0;
	if (lane->harts->queued[side] == EAR_COMPARE_QUEUE_MAX)
		return EAR_E_FULL;
	/* The record taken last may still be looked at: its copy is not used again yet. */
	if (queue->count + 1 >= queue->capacity && grow_queue(queue) != 0)
		return EAR_E_NO_MEMORY;
	size_t place = (queue->first + queue->count) % queue->capacity;
	if (ear_record_copy_set(&queue->copies[place], record) != 0)
		return EAR_E_NO_MEMORY;
	queue->count++;
	lane->harts->queued[side]++;
	return 0;
}

static const struct ear_record *pop(struct lane *lane, unsigned side)
{
	struct queue *queue = &lane->queues[side];
	const struct ear_record *record = &queue->copies[queue->first].record;

	queue->first = (queue->first + 1) % queue->capacity;
	queue->count--;
	lane->harts->queued[side]--;
	return record;
}

static int read_record(
	struct ear_compare_harts *harts, unsigned side, const struct ear_record **record)
{
	const struct ear_compare_options *options = &harts->options.compare;

	if (harts->ended[side])
		return 0;
	int result = options->next(options->next_context, side, record);
	harts->ended[side] = result == 0;
	return result;
}

/* There may be something to do for the lane. */
static void make_busy(struct lane *lane)
{
	struct ear_compare_harts *harts = lane->harts;

	if (!lane->busy && !lane->over)
		harts->busy[harts->busy_count++] = lane;
	lane->busy = true;
}

static int queue_for_lane(
	struct ear_compare_harts *harts, unsigned side, const struct ear_record *record)
{
	struct lane *lane;
	int result = find_lane(harts, record->hart, &lane);

	if (result == 0)
		result = push(lane, side, record);
	if (result == 0)
		make_busy(lane);
	return result;
}

/* Read one record of a side to the queue of its hart. Returns 1, 0 at the end, or an error. */
static int queue_record(struct ear_compare_harts *harts, unsigned side)
{
	const struct ear_record *record;
	int result = read_record(harts, side, &record);

	if (result > 0)
		result = queue_for_lane(harts, side, record);
	return result < 0 ? result : !harts->ended[side];
}

/* Pairs go by until equal lines are looked for again. */
static bool time_to_skip(struct ear_compare_harts *harts)
{
	if (harts->wait == 0)
		return harts->options.skip_equal != NULL;
	harts->wait--;
	return false;
}

/* For the comparison of the lane, while there is one hart: straight from the source. */
static int next_alone(struct lane *lane, unsigned side, const struct ear_record **record)
{
	struct ear_compare_harts *harts = lane->harts;

	if (side == 0 && time_to_skip(harts) && ear_compare_idle(lane->compare))
		return EAR_E_MORE;
	int result = read_record(harts, side, record);
	if (result <= 0 || (*record)->hart == lane->hart || harts->options.compare.hart >= 0)
		return result;
	harts->many = true;
	result = queue_for_lane(harts, side, *record);
	return result ? result : EAR_E_MORE;
}

static int next_of_lane(void *context, unsigned side, const struct ear_record **record)
{
	struct lane *lane = context;
	struct ear_compare_harts *harts = lane->harts;
	struct queue *queue = &lane->queues[side];

	if (queue->count == 0 && !harts->many) {
		int result = next_alone(lane, side, record);
		if (result != EAR_E_MORE)
			return result;
	}
	while (queue->count == 0 && harts->pulling && !harts->ended[side]) {
		int result = queue_record(harts, side);
		if (result < 0)
			return result;
	}
	if (queue->count > 0) {
		*record = pop(lane, side);
		return 1;
	}
	return harts->ended[side] ? 0 : EAR_E_MORE;
}

/* Nothing is read ahead on either side? */
static bool all_idle(const struct ear_compare_harts *harts)
{
	if (harts->queued[0] || harts->queued[1] || harts->ended[0] || harts->ended[1])
		return false;
	for (size_t i = 0; i < harts->lane_count; i++)
		if (!ear_compare_idle(harts->lanes[i]->compare))
			return false;
	return true;
}

/* Leave out what is equal. Where there is nothing, it is looked for more and more seldom. */
static int skip_equal(struct ear_compare_harts *harts)
{
	struct ear_equal_lines equal[EAR_EQUAL_HARTS_MAX];
	const struct ear_compare_options *options = &harts->options.compare;
	size_t count = harts->options.skip_equal(options->next_context, equal, options->context);

	for (size_t i = 0; i < count; i++) {
		struct lane *lane;
		if (options->hart >= 0 && equal[i].hart != options->hart)
			continue;
		int result = find_lane(harts, equal[i].hart, &lane);
		if (result)
			return result;
		harts->many |= harts->lane_count > 1;
		ear_compare_pass_equal(lane->compare, equal[i].count);
		harts->skipped += equal[i].count;
	}
	if (count > 0)
		harts->wait_next = 0;
	else if (harts->wait_next < WAIT_MAX)
		harts->wait_next = 2 * harts->wait_next + 1;
	harts->wait = harts->wait_next;
	return 0;
}

/* The first lane: of the hart asked for, or of the first record. Returns 1, 0 if there is none, or
 * an error. */
static int begin(struct ear_compare_harts *harts)
{
	struct lane *lane;
	int result;

	if (harts->options.compare.hart >= 0) {
		result = find_lane(harts, (uint16_t)harts->options.compare.hart, &lane);
		if (result == 0)
			make_busy(lane);
		return result ? result : 1;
	}
	result = queue_record(harts, 0);
	return result ? result : queue_record(harts, 1);
}

static void end_lane(struct lane *lane)
{
	lane->over = true;
	for (unsigned side = 0; side < 2; side++) {
		lane->harts->queued[side] -= lane->queues[side].count;
		lane->queues[side].count = 0;
	}
}

/* More for the lanes to do. Returns 1, 0 if there is no more, or an error. */
static int feed(struct ear_compare_harts *harts)
{
	if (!harts->many) {
		struct lane *lane = harts->lanes[0];
		if (lane->over)
			return 0;
		make_busy(lane);
		int result = harts->options.skip_equal && ear_compare_idle(lane->compare)
				     ? skip_equal(harts)
				     : 0;
		return result ? result : 1;
	}
	if (time_to_skip(harts) && all_idle(harts)) {
		int result = skip_equal(harts);
		if (result)
			return result;
	}
	/* Over a gap one side has more to read: the one of which fewer records wait. */
	for (unsigned side = 0; side < 2; side++) {
		bool turn =
			harts->queued[side] <= harts->queued[1 - side] || harts->ended[1 - side];
		int result = turn ? queue_record(harts, side) : 0;
		if (result < 0)
			return result;
	}
	if (!harts->ended[0] || !harts->ended[1])
		return 1;
	/* Both have ended: each lane may have something to say on that, once. */
	for (size_t i = 0; i < harts->lane_count; i++)
		make_busy(harts->lanes[i]);
	return harts->busy_count > 0;
}

int ear_compare_harts_next(struct ear_compare_harts *harts, struct ear_compare_event *event,
	struct ear_compare **compare)
{
	int result = harts->lane_count == 0 ? begin(harts) : 1;

	while (result > 0) {
		if (harts->busy_count == 0) {
			result = feed(harts);
			continue;
		}
		struct lane *lane = harts->busy[0];
		result = ear_compare_next(lane->compare, event);
		harts->at = lane;
		*compare = lane->compare;
		if (result == 1 || (result < 0 && result != EAR_E_MORE))
			return result;
		if (result == 0)
			end_lane(lane);
		lane->busy = false;
		harts->busy_count--;
		for (size_t i = 0; i < harts->busy_count; i++)
			harts->busy[i] = harts->busy[i + 1];
		result = 1;
	}
	return result;
}

const struct ear_record *ear_compare_harts_record(
	struct ear_compare_harts *harts, unsigned side, int position)
{
	harts->pulling = true;
	const struct ear_record *record = ear_compare_record(harts->at->compare, side, position);
	harts->pulling = false;
	return record;
}

uint64_t ear_compare_harts_pairs(const struct ear_compare_harts *harts)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < harts->lane_count; i++)
		sum += ear_compare_pairs(harts->lanes[i]->compare);
	return sum;
}

uint64_t ear_compare_harts_skipped(const struct ear_compare_harts *harts)
{
	return harts->skipped;
}

void ear_compare_harts_handlers(const struct ear_compare_harts *harts, unsigned side,
	struct ear_handler_statistics *statistics)
{
	memset(statistics, 0, sizeof(*statistics));
	for (size_t i = 0; i < harts->lane_count; i++) {
		const struct ear_handler_statistics *of_hart =
			ear_compare_handlers(harts->lanes[i]->compare, side);
		if (!of_hart)
			continue;
		statistics->handlers += of_hart->handlers;
		statistics->records += of_hart->records;
		statistics->switched += of_hart->switched;
		statistics->cut += of_hart->cut;
		statistics->open += of_hart->open;
		if (of_hart->longest > statistics->longest)
			statistics->longest = of_hart->longest;
	}
}

void ear_compare_harts_rules(const struct ear_compare_harts *harts, uint64_t counts[EAR_RULE_COUNT])
{
	memset(counts, 0, EAR_RULE_COUNT * sizeof(*counts));
	for (size_t i = 0; i < harts->lane_count; i++)
		ear_compare_add_rules(harts->lanes[i]->compare, counts);
}

bool ear_compare_harts_many(const struct ear_compare_harts *harts)
{
	return harts->many;
}
