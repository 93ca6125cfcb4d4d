/* Spans of overlapping ranges: one sweep over the beginnings, with a heap of the ranges that are
 * open, the one that counts on top. A range that has ended is taken out when it comes to the top.
 * So n ranges take n log n steps however they are nested, and make at most 2 n + 1 spans.
 */
#include "library/names/intervals.h"

#include <stdlib.h>

#include <earshot/error.h>

struct sweep {
	const struct ear_interval *intervals;
	uint32_t *heap;
	size_t open;
	struct ear_spans *spans;
};

static int compare_firsts(const void *a, const void *b)
{
	const struct ear_interval *left = a, *right = b;

	if (left->first != right->first)
		return left->first < right->first ? -1 : 1;
	return left->item < right->item ? -1 : left->item > right->item;
}

static bool is_above(const struct sweep *sweep, uint32_t a, uint32_t b)
{
	const struct ear_interval *left = &sweep->intervals[a], *right = &sweep->intervals[b];

	if (left->rank[0] != right->rank[0])
		return left->rank[0] > right->rank[0];
	if (left->first != right->first)
		return left->first > right->first;
	if (left->rank[1] != right->rank[1])
		return left->rank[1] > right->rank[1];
	return left->item < right->item;
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t kept = *a;

	*a = *b;
	*b = kept;
}

static void open_interval(struct sweep *sweep, uint32_t number)
{
	size_t at = sweep->open++;

	sweep->heap[at] = number;
	while (at > 0 && is_above(sweep, sweep->heap[at], sweep->heap[(at - 1) / 2])) {
		swap(&sweep->heap[at], &sweep->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

static void close_top(struct sweep *sweep)
{
	size_t at = 0;

	sweep->heap[0] = sweep->heap[--sweep->open];
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= sweep->open)
			return;
		if (child + 1 < sweep->open &&
			is_above(sweep, sweep->heap[child + 1], sweep->heap[child]))
			child++;
		if (!is_above(sweep, sweep->heap[child], sweep->heap[at]))
			return;
		swap(&sweep->heap[at], &sweep->heap[child]);
		at = child;
	}
}

static void put_span(struct ear_spans *spans, uint64_t first, uint32_t item)
{
	if (spans->count > 0 && spans->items[spans->count - 1] == item)
		return;
	spans->firsts[spans->count] = first;
	spans->items[spans->count++] = item;
}

static void run(struct sweep *sweep, size_t count)
{
	const struct ear_interval *intervals = sweep->intervals;
	size_t next = 0;
	uint64_t at = count ? intervals[0].first : 0;

	while (next < count || sweep->open > 0) {
		while (next < count && intervals[next].first <= at)
			open_interval(sweep, (uint32_t)next++);
		while (sweep->open > 0 && intervals[sweep->heap[0]].last < at)
			close_top(sweep);
		if (sweep->open == 0) {
			put_span(sweep->spans, at, EAR_INTERVALS_NONE);
			if (next == count)
				return;
			at = intervals[next].first;
			continue;
		}
		const struct ear_interval *top = &intervals[sweep->heap[0]];
		put_span(sweep->spans, at, top->item);
		bool starts_first = next < count && intervals[next].first <= top->last;
		if (!starts_first && top->last == UINT64_MAX)
			return;
		at = starts_first ? intervals[next].first : top->last + 1;
	}
}

int ear_spans_make(struct ear_spans *spans, struct ear_interval *intervals, size_t count)
{
	struct sweep sweep = {.intervals = intervals, .spans = spans};
	struct ear_spans made = {0};

	made.firsts = calloc(2 * count + 2, sizeof(*made.firsts));
	made.items = calloc(2 * count + 2, sizeof(*made.items));
	sweep.heap = calloc(count + 1, sizeof(*sweep.heap));
	if (!made.firsts || !made.items || !sweep.heap) {
		ear_spans_free(&made);
		free(sweep.heap);
		return EAR_E_NO_MEMORY;
	}
	*spans = made;
	qsort(intervals, count, sizeof(*intervals), compare_firsts);
	run(&sweep, count);
	free(sweep.heap);
	return 0;
}

void ear_spans_free(struct ear_spans *spans)
{
	free(spans->firsts);
	free(spans->items);
	*spans = (struct ear_spans){0};
}

uint32_t ear_spans_find(const struct ear_spans *spans, uint64_t address, size_t *at)
{
	const uint64_t *firsts = spans->firsts;
	size_t low = 0, size = spans->count;

	*at = spans->count;
	if (size == 0 || address < firsts[0])
		return EAR_INTERVALS_NONE;
	while (size > 1) { /* without a branch: the answers are as random as the addresses */
		size_t half = size / 2;
		low = firsts[low + half] <= address ? low + half : low;
		size -= half;
	}
	*at = low;
	return spans->items[low];
}

void ear_spans_bounds(const struct ear_spans *spans, size_t at, uint64_t *first, uint64_t *last)
{
	if (at >= spans->count) {
		*first = 0;
		*last = spans->count ? spans->firsts[0] - 1 : UINT64_MAX;
		return;
	}
	*first = spans->firsts[at];
	*last = at + 1 < spans->count ? spans->firsts[at + 1] - 1 : UINT64_MAX;
}
