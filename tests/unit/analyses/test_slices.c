/* Slices on tracks, at random: those that stay are all that last as long as the limit, and each one
 * that does not is counted in the nearest one below it that does.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "analyses/timeline/slices.h"
#include "analyses/timeline/timeline_counter.h"
#include "analyses/timeline/timeline_heap.h"
#include "analyses/timeline/timeline_instants.h"
#include "random.h"

#define SLICES 4000
#define TRACKS 3
#define DEPTH  40

struct model {
	uint64_t begin, end;
	uint32_t below, track; /* number from 1; 0: none */
	uint64_t merged;
};

struct run {
	struct ear_slices slices;
	struct model all[SLICES + 1];
	uint32_t marks[SLICES + 1];
	uint32_t stacks[TRACKS][DEPTH], depth[TRACKS];
	uint32_t count;
	uint64_t now;
};

static void begin_one(struct run *run, uint32_t track)
{
	const uint32_t number = ++run->count;
	const struct ear_slice_what what = {.position = number, .name = number};

	run->all[number] = (struct model){.begin = run->now,
		.below = run->depth[track] ? run->stacks[track][run->depth[track] - 1] : 0,
		.track = track};
	run->stacks[track][run->depth[track]++] = number;
	run->marks[number] = ear_slices_begin(&run->slices, track, &what, run->now);
	assert_int_not_equal(run->marks[number], 0);
}

static void end_one(struct run *run, uint32_t track)
{
	const uint32_t number = run->stacks[track][--run->depth[track]];

	run->all[number].end = run->now;
	ear_slices_end(&run->slices, run->marks[number], run->now, 0);
}

static void check_run(struct run *run, uint64_t max)
{
	uint64_t merged[TRACKS] = {0};
	uint32_t at = 0;

	assert_true(run->slices.kept <= max);
	for (uint32_t i = 1; i <= run->count; i++) {
		if (run->all[i].end - run->all[i].begin >= run->slices.least)
			continue;
		uint32_t below = run->all[i].below;
		while (below && run->all[below].end - run->all[below].begin < run->slices.least)
			below = run->all[below].below;
		*(below ? &run->all[below].merged : &merged[run->all[i].track]) += 1;
	}
	assert_int_equal(ear_slices_sort(&run->slices), 0);
	for (uint32_t i = 1; i <= run->count; i++) {
		if (run->all[i].end - run->all[i].begin < run->slices.least)
			continue;
		const struct ear_slice *slice = ear_slices_at(&run->slices, at++);
		assert_int_equal(slice->position, i);
		assert_int_equal(slice->begin, run->all[i].begin);
		assert_int_equal(slice->end, run->all[i].end);
		assert_int_equal(slice->track, run->all[i].track);
		assert_int_equal(slice->merged, run->all[i].merged);
	}
	assert_int_equal(at, run->slices.kept);
	for (uint32_t i = 0; i < TRACKS; i++)
		assert_int_equal(run->slices.merged[i], merged[i]);
}

static void random_slices(void **state)
{
	struct run *run = malloc(sizeof(*run));

	(void)state;
	assert_non_null(run);
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct random random = {seed};
		const uint64_t max = seed % 4 == 0 ? SLICES : 1 + random_below(&random, 200);
		memset(run, 0, sizeof(*run));
		assert_int_equal(ear_slices_init(&run->slices, max, seed % 3), 0);
		for (uint32_t i = 0; i < TRACKS; i++)
			assert_int_equal(ear_slices_add_track(&run->slices), i);
		while (run->count < SLICES) {
			const uint32_t track = (uint32_t)random_below(&random, TRACKS);
			run->now += random_below(&random, 3);
			if (run->depth[track] > 0 &&
				(run->depth[track] == DEPTH || random_below(&random, 2)))
				end_one(run, track);
			else
				begin_one(run, track);
		}
		for (uint32_t i = 0; i < TRACKS; i++)
			while (run->depth[i] > 0)
				end_one(run, i);
		check_run(run, max);
		ear_slices_fini(&run->slices);
	}
	free(run);
}

/* One that ends before what is in it ends that, too; the end of that comes late and does nothing
 * else. */
static void slices_that_cross(void **state)
{
	const struct ear_slice_what what = {.name = 1};
	struct ear_slices slices;

	(void)state;
	assert_int_equal(ear_slices_init(&slices, 10, 0), 0);
	ear_slices_add_track(&slices);
	uint32_t outer = ear_slices_begin(&slices, 0, &what, 1);
	uint32_t inner = ear_slices_begin(&slices, 0, &what, 2);
	ear_slices_end(&slices, outer, 5, 0);
	assert_int_equal(slices.crossed, 1);
	assert_null(ear_slices_top(&slices, 0));
	ear_slices_end(&slices, inner, 9, 0);
	ear_slices_end(&slices, inner, 10, 0);
	assert_int_equal(ear_slices_sort(&slices), 0);
	assert_int_equal(slices.kept, 2);
	assert_int_equal(ear_slices_at(&slices, 1)->end, 5);
	assert_true(ear_slices_at(&slices, 1)->end_order < ear_slices_at(&slices, 0)->end_order);
	ear_slices_fini(&slices);
}

static void counters_of_any_length(void **state)
{
	struct timeline_counter sum = {.kind = TIMELINE_SUM}, most = {.kind = TIMELINE_MOST};
	uint64_t time = 1000, added = 0;
	struct random random = {7};

	(void)state;
	for (int i = 0; i < 20000; i++) {
		time += random_below(&random, 1000);
		assert_int_equal(timeline_counter_add(&sum, time, 3), 0);
		assert_int_equal(timeline_counter_add(&most, time, i), 0);
		added += 3;
	}
	int64_t total = 0, last = -1;
	assert_true(sum.count <= TIMELINE_WINDOWS);
	for (uint32_t i = 0; i < sum.count; i++) {
		total += sum.samples[i].has ? sum.samples[i].value : 0;
		if (!most.samples[i].has)
			continue;
		assert_true(most.samples[i].value > last);
		last = most.samples[i].value;
	}
	assert_int_equal(total, added);
	assert_int_equal(last, 19999);
	const uint64_t origin = sum.origin;
	uint64_t clocks = 0;
	for (uint32_t i = 0; i < sum.count; i++) {
		assert_int_equal(timeline_counter_time(&sum, i), origin + clocks);
		clocks += timeline_counter_clocks(&sum, i);
	}
	assert_int_equal(clocks, time - origin + 1);
	timeline_counter_fini(&sum);
	timeline_counter_fini(&most);
}

/* Of many of one kind every n-th is there; those of another kind stay. */
static void instants_are_thinned_out(void **state)
{
	struct timeline_instants instants = {0};
	const uint32_t count = 3 * TIMELINE_INSTANTS_MAX;
	uint64_t rare = 0, common = 0;

	(void)state;
	for (uint32_t i = 0; i < count; i++) {
		const struct timeline_instant instant = {
			.time = i, .category = i % 1000 == 0 ? 1 : 2};
		assert_int_equal(timeline_instants_add(&instants, &instant), 0);
	}
	assert_true(instants.count <= TIMELINE_INSTANTS_MAX);
	assert_int_equal(instants.count + instants.left_out, count);
	for (uint32_t i = 0; i < instants.count; i++) {
		rare += instants.list[i].category == 1;
		common += instants.list[i].category == 2;
		assert_true(i == 0 || instants.list[i].time > instants.list[i - 1].time);
	}
	assert_int_equal(rare, (count + 999) / 1000);
	assert_in_range(common, count / 8, count / 3);
	timeline_instants_fini(&instants);
}

/* A heap at random, beside the sizes of its blocks. */
static void heaps(void **state)
{
	enum { BLOCKS = 500, ENTRY = 0x100 };
	struct timeline_heap heap = {
		.functions = {{ENTRY, TIMELINE_HEAP_MALLOC}, {ENTRY + 1, TIMELINE_HEAP_CALLOC},
			{ENTRY + 2, TIMELINE_HEAP_REALLOC}, {ENTRY + 3, TIMELINE_HEAP_FREE}},
		.function_count = 4};
	struct random random = {11};
	uint64_t sizes[BLOCKS] = {0}, in_use = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct timeline_heap_call call = {.kind = TIMELINE_HEAP_NONE};
		struct timeline_heap_registers registers = {.known = {true, true}};
		const uint64_t at = random_below(&random, BLOCKS),
			       to = random_below(&random, BLOCKS),
			       size = 1 + random_below(&random, 100);
		if (sizes[at] == 0) {
			const bool zeroed = random_below(&random, 2);
			registers.value[0] = size;
			registers.value[1] = 3;
			timeline_heap_enter(&heap, &call, &registers, ENTRY + zeroed, 1);
			registers.value[0] = 16 * (at + 1);
			assert_true(timeline_heap_leave(&heap, &call, &registers));
			sizes[at] = zeroed ? 3 * size : size;
			in_use += sizes[at];
		} else if (sizes[to] == 0 && random_below(&random, 2)) {
			registers.value[0] = 16 * (at + 1);
			registers.value[1] = size;
			timeline_heap_enter(&heap, &call, &registers, ENTRY + 2, 1);
			/* What it calls itself does not count. */
			timeline_heap_enter(&heap, &call, &registers, ENTRY, 2);
			assert_int_equal(call.mark, 1);
			registers.value[0] = 16 * (to + 1);
			assert_true(timeline_heap_leave(&heap, &call, &registers));
			in_use += size - sizes[at];
			sizes[at] = 0;
			sizes[to] = size;
		} else {
			registers.value[0] = 16 * (at + 1);
			timeline_heap_enter(&heap, &call, &registers, ENTRY + 3, 1);
			assert_true(timeline_heap_leave(&heap, &call, &registers));
			in_use -= sizes[at];
			sizes[at] = 0;
		}
		assert_int_equal(heap.in_use, in_use);
	}
	/* One that failed, one that is not known, one that is no such function. */
	struct timeline_heap_call call = {.kind = TIMELINE_HEAP_NONE};
	struct timeline_heap_registers registers = {.value = {16, 1}, .known = {true, true}};
	timeline_heap_enter(&heap, &call, &registers, ENTRY, 1);
	registers.value[0] = 0;
	timeline_heap_leave(&heap, &call, &registers);
	registers.known[0] = false;
	timeline_heap_enter(&heap, &call, &registers, ENTRY, 1);
	assert_false(timeline_heap_leave(&heap, &call, &registers));
	timeline_heap_enter(&heap, &call, &registers, 7, 1);
	assert_int_equal(call.kind, TIMELINE_HEAP_NONE);
	assert_int_equal(heap.in_use, in_use);
	timeline_heap_fini(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_slices),
		cmocka_unit_test(slices_that_cross),
		cmocka_unit_test(counters_of_any_length),
		cmocka_unit_test(instants_are_thinned_out),
		cmocka_unit_test(heaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
