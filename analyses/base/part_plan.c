/* Equal parts, or those of a queue, moved to where the index has a place: there a part begins at
 * the least cost. */
#include "analyses/base/part_plan.h"

#include <earshot/index.h>

/* Records of a part, at least, that are worth a thread. */
#define PART_LEAST 100000
/* Of a part of a queue: the most, for its rows wait in memory; and the least, which a checkpoint of
 * the index is near to. */
#define QUEUE_PART  16000000
#define QUEUE_LEAST UINT64_C(2000000)
#define LITTLE      4 /* of a part's size: one by this */

void ear_part_plan_divide(struct ear_part_plan *plan, uint64_t begin, uint64_t end, unsigned count)
{
	const uint64_t size = end - begin;

	plan->count = count;
	for (unsigned i = 0; i <= count; i++)
		plan->begins[i] = begin + size / count * i + size % count * i / count;
}

void ear_part_plan_whole(struct ear_part_plan *plan, uint64_t begin, uint64_t end)
{
	plan->count = 1;
	plan->begins[0] = begin;
	plan->begins[1] = end;
}

/* Parts that would begin near a place of the index begin there. */
static int move_to_places(
	struct ear_part_plan *plan, struct ear_trace *trace, const struct ear_progress *progress)
{
	for (unsigned i = 1; i < plan->count; i++) {
		const uint64_t begin = plan->begins[i];
		uint64_t before, near; /* near: no farther, on either side */
		int result = ear_trace_checkpoint_before(trace, begin, &before, progress);
		if (result >= 0)
			result = ear_trace_checkpoint_before(
				trace, begin + (begin - before), &near, progress);
		if (result < 0)
			return result;
		if ((near < begin ? begin - near : near - begin) <=
			(plan->begins[i + 1] - begin) / LITTLE)
			plan->begins[i] = near;
	}
	return 0;
}

/* Rounds of a part for each thread: each has half of what is left, so that the last parts, which
 * one thread joins at the end, are small. */
static void divide_queue(struct ear_part_plan *plan, uint64_t begin, uint64_t end)
{
	const unsigned jobs = plan->jobs;
	unsigned count = 0;
	uint64_t left;

	while ((left = end - begin) > 0) {
		const bool last =
			left / jobs < 2 * QUEUE_LEAST || count + 2 * jobs > EAR_PARTS_QUEUE_MAX;
		const uint64_t half = left / jobs / 2, size = last                ? left / jobs + 1
							      : half < QUEUE_PART ? half
										  : QUEUE_PART;
		for (unsigned i = 0; i < jobs && begin < end; i++) {
			plan->begins[count++] = begin;
			begin = size < end - begin ? begin + size : end;
		}
	}
	plan->begins[count] = end;
	plan->count = count;
}

int ear_part_plan_threads(struct ear_part_plan *plan, struct ear_trace *trace, uint64_t begin,
	uint64_t end, const struct ear_progress *progress)
{
	const uint64_t records = end > begin ? end - begin : 0;
	const uint64_t count = records / PART_LEAST;

	if (plan->queue && count >= plan->jobs)
		divide_queue(plan, begin, begin + records);
	else
		ear_part_plan_divide(plan, begin, begin + records,
			count == 0           ? 1
			: count < plan->jobs ? (unsigned)count
					     : plan->jobs);
	return move_to_places(plan, trace, progress);
}
