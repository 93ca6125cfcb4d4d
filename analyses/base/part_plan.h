#ifndef EAR_ANALYSES_PART_PLAN_H
#define EAR_ANALYSES_PART_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include <earshot/trace.h>

/* Where a trace is cut into parts. A queue has many small parts, so what each of them leaves can be
 * taken in order while those after it are read.
 */
#define EAR_PARTS_MAX       64   /* threads, and parts that a user can ask for */
#define EAR_PARTS_QUEUE_MAX 1024 /* parts of a queue */

struct ear_part_plan {
	unsigned jobs; /* threads, the caller's included */
	bool queue;

	/* Part i has the records at begins[i] .. begins[i + 1] - 1. The last one may be UINT64_MAX:
	 * the end. */
	unsigned count;
	uint64_t begins[EAR_PARTS_QUEUE_MAX + 1];
};

/* One part. */
void ear_part_plan_whole(struct ear_part_plan *plan, uint64_t begin, uint64_t end);

/* Equal parts, count of them. */
void ear_part_plan_divide(struct ear_part_plan *plan, uint64_t begin, uint64_t end, unsigned count);

/* Parts for plan->jobs threads: each is worth one, and begins at a place of the index where one is
 * near. The trace has its index. Returns 0, or an error of ear_trace_checkpoint_before. */
int ear_part_plan_threads(struct ear_part_plan *plan, struct ear_trace *trace, uint64_t begin,
	uint64_t end, const struct ear_progress *progress);

#endif
