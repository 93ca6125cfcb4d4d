/* Calls in another order than that of their begin. A heap has those that come first, with the last
 * one of them on top: so a run of any length takes the memory of what is shown of it.
 *
 * A call whose end is not in the trace lasted at least as long as is known: it has the place of
 * that, since the longest call of a run that hangs is the one that never returned. A time that is
 * not known comes last, by records: so of a trace without times the order is that of the records.
 */
#include "cli/commands/calls/calls_sort.h"

#include <stdlib.h>

#include <earshot/error.h>

struct calls_sort {
	enum calls_order order;
	size_t max, count, capacity;
	uint64_t added;
	struct ear_call_log_call *calls;
};

struct calls_sort *calls_sort_new(enum calls_order order, size_t max)
{
	struct calls_sort *sort = calloc(1, sizeof(*sort));

	if (!sort)
		return NULL;
	sort->order = order;
	sort->max = max;
	return sort;
}

void calls_sort_free(struct calls_sort *sort)
{
	if (!sort)
		return;
	free(sort->calls);
	free(sort);
}

static int compare_numbers(uint64_t a, uint64_t b, bool descending)
{
	const int order = (a > b) - (a < b);

	return descending ? -order : order;
}

/* Below 0: a comes first. */
static int compare(enum calls_order order, const struct ear_call_log_call *a,
	const struct ear_call_log_call *b)
{
	const bool times = order == CALLS_SLOWEST || order == CALLS_FASTEST;
	const bool descending = order == CALLS_LONGEST || order == CALLS_SLOWEST;
	int result = 0;

	if (times && a->has_clocks != b->has_clocks)
		return a->has_clocks ? -1 : 1;
	if (times && a->has_clocks)
		result = compare_numbers(a->clocks, b->clocks, descending);
	else
		result = compare_numbers(a->records, b->records, descending);
	if (result == 0)
		result = compare_numbers(a->number, b->number, false);
	if (result == 0)
		result = compare_numbers(a->hart, b->hart, false);
	return result ? result : compare_numbers(a->depth, b->depth, false);
}

static void swap(struct ear_call_log_call *a, struct ear_call_log_call *b)
{
	const struct ear_call_log_call other = *a;

	*a = *b;
	*b = other;
}

/* The one at the end goes up to its place. */
static void sift_up(struct calls_sort *sort, size_t at)
{
	struct ear_call_log_call *calls = sort->calls;

	for (; at > 0 && compare(sort->order, &calls[(at - 1) / 2], &calls[at]) < 0;
		at = (at - 1) / 2)
		swap(&calls[(at - 1) / 2], &calls[at]);
}

/* The one on top goes down to its place among the first count. */
static void sift_down(struct calls_sort *sort, size_t count)
{
	struct ear_call_log_call *calls = sort->calls;
	size_t at = 0, child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && compare(sort->order, &calls[child], &calls[child + 1]) < 0)
			child++;
		if (compare(sort->order, &calls[at], &calls[child]) >= 0)
			return;
		swap(&calls[at], &calls[child]);
		at = child;
	}
}

static bool grow(struct calls_sort *sort)
{
	size_t capacity = sort->capacity ? 2 * sort->capacity : 64;

	capacity = capacity < sort->max ? capacity : sort->max;
	struct ear_call_log_call *calls = realloc(sort->calls, capacity * sizeof(*calls));
	if (!calls)
		return false;
	sort->calls = calls;
	sort->capacity = capacity;
	return true;
}

int calls_sort_add(struct calls_sort *sort, const struct ear_call_log_call *call)
{
	sort->added++;
	if (sort->count == sort->max) {
		if (compare(sort->order, call, &sort->calls[0]) >= 0)
			return 0;
		sort->calls[0] = *call;
		sift_down(sort, sort->count);
		return 0;
	}
	if (sort->count == sort->capacity && !grow(sort))
		return EAR_E_NO_MEMORY;
	sort->calls[sort->count] = *call;
	sift_up(sort, sort->count++);
	return 0;
}

bool calls_sort_show(struct calls_sort *sort, struct calls_show *show)
{
	for (size_t count = sort->count; count > 1; count--) {
		swap(&sort->calls[0], &sort->calls[count - 1]);
		sift_down(sort, count - 1);
	}
	for (size_t i = 0; i < sort->count; i++)
		if (!calls_show(show, &sort->calls[i]))
			return false;
	return true;
}

uint64_t calls_sort_left_out(const struct calls_sort *sort)
{
	return sort->added - sort->count;
}
