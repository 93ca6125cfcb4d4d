/* The end of an interval: what was counted is copied, and counting begins anew. Only some hundred
 * rows of perhaps a million are shown, so the largest ones are kept in a heap while all are looked
 * at, and only these are sorted.
 */
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/top/top.h"
#include "analyses/top/top_state.h"

/* A row that is a candidate. */
struct pick {
	uint64_t value, tie; /* of equal values, the one with the lower tie comes first */
	uint32_t number;
};

struct picks {
	struct pick *list; /* a heap: the first one is the least */
	size_t count, max;
};

static bool is_before(const struct pick *a, const struct pick *b)
{
	return a->value != b->value ? a->value > b->value : a->tie < b->tie;
}

static int compare(const void *a, const void *b)
{
	return is_before(a, b) ? -1 : is_before(b, a);
}

static void swap(struct pick *a, struct pick *b)
{
	const struct pick kept = *a;

	*a = *b;
	*b = kept;
}

static void sift_up(struct picks *picks, size_t at)
{
	while (at > 0 && is_before(&picks->list[(at - 1) / 2], &picks->list[at])) {
		swap(&picks->list[(at - 1) / 2], &picks->list[at]);
		at = (at - 1) / 2;
	}
}

static void sift_down(struct picks *picks)
{
	size_t at = 0;

	for (;;) {
		size_t least = at;
		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < picks->count;
			child++)
			if (is_before(&picks->list[least], &picks->list[child]))
				least = child;
		if (least == at)
			return;
		swap(&picks->list[least], &picks->list[at]);
		at = least;
	}
}

static void offer(struct picks *picks, const struct pick *pick)
{
	if (picks->count < picks->max) {
		picks->list[picks->count] = *pick;
		sift_up(picks, picks->count++);
	} else if (picks->max > 0 && is_before(pick, &picks->list[0])) {
		picks->list[0] = *pick;
		sift_down(picks);
	}
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Room for count elements. */
static bool reserve(void **list, size_t *room, size_t count, size_t size)
{
	if (count <= *room)
		return true;
	void *more = realloc(*list, 2 * count * size);
	if (!more)
		return false;
	*list = more;
	*room = 2 * count;
	return true;
}

static void subtract(struct ear_top_counts *sum, const struct ear_top_counts *less)
{
	for (unsigned i = 0; i < EAR_TOP_KEYS; i++)
		sum->all[i] -= less->all[i];
}

static bool is_wanted(const struct ear_top_wish *wish, uint16_t hart)
{
	return wish->hart < 0 || wish->hart == hart;
}

static void take_functions(struct ear_top *top, const struct ear_top_wish *wish,
	struct ear_top_view *view, struct picks *picks, size_t candidates)
{
	const struct ear_top_touched *touched = &top->touched_functions;

	for (size_t i = 0; i < touched->count; i++) {
		struct ear_top_function *row = &top->functions[touched->numbers[i]];
		ear_top_counts_add(&row->sum, &row->now);
	}
	picks->count = 0;
	view->other_functions = (struct ear_top_counts){{0}};
	for (size_t i = 0; i < candidates; i++) {
		const uint32_t number = wish->sum ? (uint32_t)i : touched->numbers[i];
		const struct ear_top_function *row = &top->functions[number];
		const struct ear_top_counts *counts = wish->sum ? &row->sum : &row->now;
		const struct pick pick = {counts->all[wish->key], row->entry, number};
		if (!is_wanted(wish, row->hart) || ear_top_counts_are_empty(counts))
			continue;
		ear_top_counts_add(&view->other_functions, counts);
		offer(picks, &pick);
	}
	qsort(picks->list, picks->count, sizeof(*picks->list), compare);
	view->function_count = picks->count;
	for (size_t i = 0; i < picks->count; i++) {
		const struct ear_top_function *row = &top->functions[picks->list[i].number];
		view->functions[i] = *row;
		subtract(&view->other_functions, wish->sum ? &row->sum : &row->now);
	}
	for (size_t i = 0; i < touched->count; i++)
		top->functions[touched->numbers[i]].now = (struct ear_top_counts){{0}};
	top->touched_functions.count = 0;
}

/* The same of instructions; and of those for which there was no row, by the sum. */
static void take_pcs(struct ear_top *top, const struct ear_top_wish *wish,
	struct ear_top_view *view, struct picks *picks, size_t candidates)
{
	const struct ear_top_touched *touched = &top->touched_pcs;

	for (size_t i = 0; i < touched->count; i++) {
		struct ear_top_pc *row = &top->pcs[touched->numbers[i]];
		ear_top_counts_add(&row->sum, &row->now);
	}
	picks->count = 0;
	view->other_pcs = (struct ear_top_counts){{0}};
	for (uint32_t i = 0; i < top->hart_count; i++)
		if (is_wanted(wish, top->harts[i].hart))
			ear_top_counts_add(&view->other_pcs,
				wish->sum ? &top->harts[i].sum : &top->harts[i].now);
	for (size_t i = 0; i < candidates; i++) {
		const uint32_t number = wish->sum ? (uint32_t)i : touched->numbers[i];
		const struct ear_top_pc *row = &top->pcs[number];
		const struct ear_top_counts *counts = wish->sum ? &row->sum : &row->now;
		const struct pick pick = {counts->all[wish->key], row->pc, number};
		if (is_wanted(wish, row->hart) && !ear_top_counts_are_empty(counts))
			offer(picks, &pick);
	}
	qsort(picks->list, picks->count, sizeof(*picks->list), compare);
	view->pc_count = picks->count;
	for (size_t i = 0; i < picks->count; i++) {
		const struct ear_top_pc *row = &top->pcs[picks->list[i].number];
		view->pcs[i] = *row;
		subtract(&view->other_pcs, wish->sum ? &row->sum : &row->now);
	}
	for (size_t i = 0; i < touched->count; i++)
		top->pcs[touched->numbers[i]].now = (struct ear_top_counts){{0}};
	top->touched_pcs.count = 0;
}

static void add_idle(struct ear_top_idle *sum, const struct ear_top_idle *more)
{
	sum->records += more->records;
	sum->clocks += more->clocks;
	sum->waits += more->waits;
}

static void take_harts(struct ear_top *top, struct ear_top_view *view)
{
	for (uint32_t i = 0; i < top->hart_count; i++) {
		struct ear_top_hart *row = &top->harts[i];
		add_idle(&row->idle_sum, &row->idle_now);
		if (row->depth_ever < row->depth_most)
			row->depth_ever = row->depth_most;
		view->harts[i] = *row;
		row->now = (struct ear_top_counts){{0}};
		row->idle_now = (struct ear_top_idle){0};
		row->depth_most = row->depth;
	}
	view->hart_count = top->hart_count;
}

static void take_causes(struct ear_top *top, struct ear_top_view *view)
{
	view->cause_count = 0;
	for (uint32_t i = 0; i < EAR_TOP_CAUSES + 2; i++) {
		struct ear_top_cause *row = &top->causes[i];
		row->sum += row->now;
		if (row->sum > 0)
			view->causes[view->cause_count++] = *row;
		row->now = 0;
	}
}

static void take_sums(struct ear_top *top, struct ear_top_view *view)
{
	struct ear_top_sum *sum = &top->sum, *now = &top->now;

	ear_top_counts_add(&sum->counts, &now->counts);
	add_idle(&sum->idle, &now->idle);
	sum->gaps += now->gaps;
	sum->missing += now->missing;
	sum->blind += now->blind;
	sum->events += now->events;
	sum->decoded += now->decoded;
	for (unsigned i = 0; i <= EAR_CLASS_VECTOR; i++)
		sum->classes[i] += now->classes[i];
	sum->timed += now->timed;
	view->now = *now;
	view->sum = *sum;
	memset(now, 0, sizeof(*now));
}

int ear_top_take(struct ear_top *top, const struct ear_top_wish *wish, struct ear_top_view *view)
{
	const size_t functions = wish->sum ? top->function_count : top->touched_functions.count;
	const size_t pcs = wish->sum ? top->pc_count : top->touched_pcs.count;
	const size_t max = wish->rows_max ? wish->rows_max : SIZE_MAX;
	const size_t function_max = least(functions, max), pc_max = least(pcs, max);
	const size_t most = function_max > pc_max ? function_max : pc_max;
	struct picks picks = {.list = malloc((most + 1) * sizeof(*picks.list))};

	if (!picks.list ||
		!reserve((void **)&view->functions, &view->function_room, function_max,
			sizeof(*view->functions)) ||
		!reserve((void **)&view->pcs, &view->pc_room, pc_max, sizeof(*view->pcs)) ||
		!reserve((void **)&view->harts, &view->hart_room, top->hart_count,
			sizeof(*view->harts))) {
		free(picks.list);
		return EAR_E_NO_MEMORY;
	}
	for (uint32_t i = 0; i < top->hart_count; i++)
		ear_top_counts_add(&top->harts[i].sum, &top->harts[i].now);
	picks.max = function_max;
	take_functions(top, wish, view, &picks, functions);
	picks.max = pc_max;
	take_pcs(top, wish, view, &picks, pcs);
	take_harts(top, view);
	take_causes(top, view);
	take_sums(top, view);
	view->limited = top->limited || ear_calls_limited(top->calls);
	free(picks.list);
	return 0;
}

void ear_top_view_fini(struct ear_top_view *view)
{
	free(view->functions);
	free(view->pcs);
	free(view->harts);
	memset(view, 0, sizeof(*view));
}
