#ifndef EAR_ANALYSES_CALL_SUM_H
#define EAR_ANALYSES_CALL_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyses/calls/call_log_call.h"

/* How long calls took, by function: docs/analyses/calls.md, section 3. Calls come from a log with
 * by_end.
 *
 *     ear_call_sum_new(&sum);
 *     ... ear_call_sum_add(sum, call) for each call
 *     ear_call_sum_function(sum, i)
 *     ear_call_sum_free(sum);
 */
struct ear_call_sum;

/* Values in buckets: each below 8 has its own, and four share each power of two above. */
#define EAR_DURATION_BUCKETS 252

struct ear_durations {
	uint64_t count, min, max;
	uint64_t sums[2]; /* the low and the high half of their sum, */
	double sum;       /* and that */
	uint64_t buckets[EAR_DURATION_BUCKETS];
};

void ear_durations_add(struct ear_durations *durations, uint64_t value);
/* The values of a bucket are first .. last. */
uint64_t ear_duration_first(unsigned bucket);
uint64_t ear_duration_last(unsigned bucket);
/* What so many of a thousand values do not exceed: the last value of its bucket, or max if that is
 * less. 0 if there are none. */
uint64_t ear_durations_at_most(const struct ear_durations *durations, unsigned per_mille);

#define EAR_CALL_SUM_FUNCTIONS 16384 /* those that are met later are counted together */

struct ear_call_sum_function {
	uint64_t entry; /* UINT64_MAX: those that are counted together */
	uint64_t calls;
	uint64_t handlers;            /* of these, of traps and interrupts */
	struct ear_durations records; /* of calls that ended, */
	struct ear_durations clocks;  /* and of these that have a time */
};

/* Returns 0 and *sum, or EAR_E_NO_MEMORY. */
int ear_call_sum_new(struct ear_call_sum **sum);
void ear_call_sum_free(struct ear_call_sum *sum); /* NULL is fine */

/* Returns 0 or EAR_E_NO_MEMORY. */
int ear_call_sum_add(struct ear_call_sum *sum, const struct ear_call_log_call *call);

/* The same, but for a call that would be counted with those of other functions: it is not, and 1 is
 * returned. */
int ear_call_sum_add_apart(struct ear_call_sum *sum, const struct ear_call_log_call *call);

/* Parts: add what next has counted, where calls came by ear_call_sum_add_apart only. Which
 * functions are counted together says the order in which they are met: ear_call_sum_meet lets
 * functions first
 * .. end - 1 of next be met, and counts nothing. Return 0 or EAR_E_NO_MEMORY. */
int ear_call_sum_join(struct ear_call_sum *sum, const struct ear_call_sum *next);
int ear_call_sum_meet(
	struct ear_call_sum *sum, const struct ear_call_sum *next, size_t first, size_t end);

/* In the order in which their first calls ended. */
size_t ear_call_sum_count(const struct ear_call_sum *sum);
const struct ear_call_sum_function *ear_call_sum_function(
	const struct ear_call_sum *sum, size_t function);

#endif
