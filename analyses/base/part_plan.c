/* Equal parts, moved to where the index has a place: there a part begins at the least cost. */
#include "analyses/base/part_plan.h"

#include <earshot/index.h>

/* Records of a part, at least, that are worth a thread. */
#define PART_LEAST 100000
/* Of a part of a queue: to find out what is at its begin takes as long as reading a million. */
#define QUEUE_PART 16000000
#define LITTLE     4 /* of a part's size: one by this */

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

/* Parts that would begin a little after a place of the index begin there. */
static int move_to_places(
	struct ear_part_plan *plan, struct ear_trace *trace, const struct ear_progress *progress)
{
	const uint64_t share = (plan->begins[plan->count] - plan->begins[0]) / plan->count;

	for (unsigned i = 1; i < plan->count; i++) {
		uint64_t before;
		int result = ear_trace_checkpoint_before(trace, plan->begins[i], &before, progress);
		if (result < 0)
			return result;
		if (plan->begins[i] - before <= share / LITTLE)
			plan->begins[i] = before;
	}
	return 0;
}

/* As many for each thread, so that none waits for the last ones. */
static uint64_t parts_of_queue(unsigned jobs, uint64_t records)
{
	const uint64_t rounds = (records / QUEUE_PART + jobs - 1) / jobs,
		       max = EAR_PARTS_QUEUE_MAX / jobs;

	return jobs * (rounds == 0 ? 1 : rounds < max ? rounds : max);
}

int ear_part_plan_threads(struct ear_part_plan *plan, struct ear_trace *trace, uint64_t begin,
	uint64_t end, const struct ear_progress *progress)
{
	const uint64_t records = end > begin ? end - begin : 0;
	const uint64_t max = plan->queue ? parts_of_queue(plan->jobs, records) : plan->jobs;
	uint64_t count = records / PART_LEAST;

	count = count < max ? count : max;
	ear_part_plan_divide(plan, begin, begin + records, count > 0 ? (unsigned)count : 1);
	return move_to_places(plan, trace, progress);
}
