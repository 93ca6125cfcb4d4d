/* Durations in buckets of a quarter of a power of two: flat memory, and an error below a quarter.
 */
#include "analyses/calls/call_sum.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/base/numbering.h"

#define FINE 8u /* values that have a bucket each */

struct ear_call_sum {
	/* Functions are large, and stay where they are. */
	struct ear_call_sum_function **functions;
	uint32_t count;
	struct ear_numbering numbers;
	struct ear_call_sum_function *others; /* also among functions; NULL: none */
};

/* ---- Durations. ---- */

static unsigned bucket_of(uint64_t value)
{
	if (value < FINE)
		return (unsigned)value;
	const unsigned power = 63 - (unsigned)__builtin_clzll(value);

	return FINE + 4 * (power - 3) + (unsigned)(value >> (power - 2) & 3);
}

uint64_t ear_duration_first(unsigned bucket)
{
	if (bucket < FINE)
		return bucket;
	const unsigned power = 3 + (bucket - FINE) / 4;

	return (UINT64_C(4) + (bucket - FINE) % 4) << (power - 2);
}

uint64_t ear_duration_last(unsigned bucket)
{
	return bucket + 1 < EAR_DURATION_BUCKETS ? ear_duration_first(bucket + 1) - 1 : UINT64_MAX;
}

/* In whole numbers: what is put together of parts is what it is of the whole, to the last bit. */
static void add_sum(struct ear_durations *durations, uint64_t low, uint64_t high)
{
	durations->sums[0] += low;
	durations->sums[1] += high + (durations->sums[0] < low);
	durations->sum = (double)durations->sums[0];
	if (durations->sums[1] > 0)
		durations->sum += (double)durations->sums[1] * 0x1p64;
}

void ear_durations_add(struct ear_durations *durations, uint64_t value)
{
	if (durations->count == 0 || value < durations->min)
		durations->min = value;
	if (value > durations->max)
		durations->max = value;
	durations->count++;
	add_sum(durations, value, 0);
	durations->buckets[bucket_of(value)]++;
}

static void join_durations(struct ear_durations *durations, const struct ear_durations *next)
{
	if (next->count == 0)
		return;
	if (durations->count == 0 || next->min < durations->min)
		durations->min = next->min;
	if (next->max > durations->max)
		durations->max = next->max;
	durations->count += next->count;
	add_sum(durations, next->sums[0], next->sums[1]);
	for (unsigned i = 0; i < EAR_DURATION_BUCKETS; i++)
		durations->buckets[i] += next->buckets[i];
}

uint64_t ear_durations_at_most(const struct ear_durations *durations, unsigned per_mille)
{
	uint64_t below = 0;

	for (unsigned i = 0; i < EAR_DURATION_BUCKETS; i++) {
		below += durations->buckets[i];
		if (below > 0 && (double)below * 1000 >= (double)durations->count * per_mille) {
			const uint64_t last = ear_duration_last(i);
			return last < durations->max ? last : durations->max;
		}
	}
	return 0;
}

/* ---- Functions. ---- */

static uint32_t *find(const struct ear_call_sum *sum, uint64_t entry)
{
	const struct ear_numbering *numbers = &sum->numbers;
	uint32_t at = ear_numbering_first(numbers, ear_numbering_hash(entry, 0));

	while (numbers->places[at] && sum->functions[numbers->places[at] - 1]->entry != entry)
		at = ear_numbering_next(numbers, at);
	return &numbers->places[at];
}

static struct ear_call_sum_function *make(struct ear_call_sum *sum, uint64_t entry)
{
	struct ear_call_sum_function *function = calloc(1, sizeof(*function));

	if (function) {
		function->entry = entry;
		sum->functions[sum->count++] = function;
	}
	return function;
}

/* NULL if memory is short, or there is no room for one more and apart is set: *full then. */
static struct ear_call_sum_function *take(
	struct ear_call_sum *sum, uint64_t entry, bool apart, bool *full)
{
	bool again;

	*full = false;
	struct ear_call_sum_function **functions = ear_numbering_grow(&sum->numbers, sum->functions,
		sizeof(struct ear_call_sum_function *), sum->count, &again);

	if (!functions)
		return NULL;
	sum->functions = functions;
	for (uint32_t i = 0; i < sum->count && again; i++)
		*find(sum, functions[i]->entry) = i + 1;
	uint32_t *slot = find(sum, entry);
	if (*slot)
		return functions[*slot - 1];
	if (sum->count >= EAR_CALL_SUM_FUNCTIONS) {
		*full = apart;
		if (apart)
			return NULL;
		if (!sum->others)
			sum->others = make(sum, UINT64_MAX);
		return sum->others;
	}
	struct ear_call_sum_function *function = make(sum, entry);
	*slot = function ? sum->count : 0;
	return function;
}

static int add(struct ear_call_sum *sum, const struct ear_call_log_call *call, bool apart)
{
	bool full;
	struct ear_call_sum_function *function = take(sum, call->function, apart, &full);

	if (!function)
		return full ? 1 : EAR_E_NO_MEMORY;
	function->calls++;
	function->handlers +=
		call->kind == EAR_CALL_LOG_TRAP || call->kind == EAR_CALL_LOG_INTERRUPT;
	if (call->end != EAR_CALL_LOG_RETURNED && call->end != EAR_CALL_LOG_UNWOUND)
		return 0;
	ear_durations_add(&function->records, call->records);
	if (call->has_clocks)
		ear_durations_add(&function->clocks, call->clocks);
	return 0;
}

int ear_call_sum_add(struct ear_call_sum *sum, const struct ear_call_log_call *call)
{
	return add(sum, call, false);
}

int ear_call_sum_add_apart(struct ear_call_sum *sum, const struct ear_call_log_call *call)
{
	return add(sum, call, true);
}

/* ---- Parts. ---- */

int ear_call_sum_meet(
	struct ear_call_sum *sum, const struct ear_call_sum *next, size_t first, size_t end)
{
	bool full;

	for (size_t i = first; i < end; i++)
		if (!take(sum, next->functions[i]->entry, false, &full))
			return EAR_E_NO_MEMORY;
	return 0;
}

int ear_call_sum_join(struct ear_call_sum *sum, const struct ear_call_sum *next)
{
	bool full;

	for (uint32_t i = 0; i < next->count; i++) {
		const struct ear_call_sum_function *from = next->functions[i];
		struct ear_call_sum_function *to = take(sum, from->entry, false, &full);
		if (!to)
			return EAR_E_NO_MEMORY;
		to->calls += from->calls;
		to->handlers += from->handlers;
		join_durations(&to->records, &from->records);
		join_durations(&to->clocks, &from->clocks);
	}
	return 0;
}

/* ---- The whole. ---- */

int ear_call_sum_new(struct ear_call_sum **sum)
{
	*sum = calloc(1, sizeof(**sum));
	return *sum ? 0 : EAR_E_NO_MEMORY;
}

void ear_call_sum_free(struct ear_call_sum *sum)
{
	if (!sum)
		return;
	for (uint32_t i = 0; i < sum->count; i++)
		free(sum->functions[i]);
	free(sum->functions);
	ear_numbering_fini(&sum->numbers);
	free(sum);
}

size_t ear_call_sum_count(const struct ear_call_sum *sum)
{
	return sum->count;
}

const struct ear_call_sum_function *ear_call_sum_function(
	const struct ear_call_sum *sum, size_t function)
{
	return sum->functions[function];
}
