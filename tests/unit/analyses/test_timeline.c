/* Timelines of random programs, with tasks, handlers that nest, longjmp and gaps: the slices of
 * calls are the frames that were entered and left. With names and time tests/e2e/test_timeline.py
 * holds them against the records.
 */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/timeline/timeline.h"
#include "call_machine.h"

#define RECORDS 3000
#define FRAMES  4000

/* What was entered and left. */
struct naive {
	struct ear_calls *calls;
	uint64_t begin[FRAMES], end[FRAMES];
	uint8_t how[FRAMES];
	uint32_t count;
	uint64_t now;
};

static uint32_t enter(void *context, const struct ear_call_change *change)
{
	struct naive *naive = context;

	(void)change;
	assert_true(naive->count + 1 < FRAMES);
	naive->count++;
	naive->begin[naive->count] = naive->now;
	naive->end[naive->count] = UINT64_MAX;
	return naive->count;
}

static void leave(void *context, const struct ear_call_change *change)
{
	struct naive *naive = context;

	naive->end[change->mark] = naive->now;
	naive->how[change->mark] = change->end;
}

static int take(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t path)
{
	struct naive *naive = context;

	(void)path;
	naive->now = batch->number + first + count - 1;
	return 0;
}

/* Slices of a track are within each other; those of calls are the frames, in order. */
static void check_events(struct ear_timeline *timeline, const struct naive *naive)
{
	static const uint8_t hows[] = {[EAR_CALL_RETURNED] = EAR_TIMELINE_RETURNED,
		[EAR_CALL_UNWOUND] = EAR_TIMELINE_UNWOUND,
		[EAR_CALL_FORGOTTEN] = EAR_TIMELINE_FORGOTTEN};
	const size_t tracks = ear_timeline_track_count(timeline);
	uint64_t *open = calloc(tracks, sizeof(*open)), *last = calloc(tracks, sizeof(*last));
	struct ear_timeline_event event;
	uint32_t frame = 0;

	assert_non_null(open);
	assert_non_null(last);
	while (ear_timeline_next(timeline, &event)) {
		assert_true(event.track < tracks);
		assert_true(event.time >= last[event.track]);
		last[event.track] = event.time;
		open[event.track] += event.kind == EAR_TIMELINE_BEGIN;
		if (event.kind == EAR_TIMELINE_END)
			assert_int_not_equal(open[event.track]--, 0);
		if (event.kind == EAR_TIMELINE_COUNTER)
			assert_true(isfinite(event.value));
		if (event.kind != EAR_TIMELINE_BEGIN ||
			(event.category != EAR_TIMELINE_CALL &&
				event.category != EAR_TIMELINE_TRAP &&
				event.category != EAR_TIMELINE_INTERRUPT))
			continue;
		frame++;
		const bool cut = naive->end[frame] == UINT64_MAX;
		assert_int_equal(event.time, naive->begin[frame]);
		assert_int_equal(event.time + event.duration, cut ? naive->now : naive->end[frame]);
		assert_int_equal(event.how, cut ? EAR_TIMELINE_CUT : hows[naive->how[frame]]);
	}
	assert_int_equal(frame, naive->count);
	for (size_t i = 0; i < tracks; i++)
		assert_int_equal(open[i], 0);
	free(open);
	free(last);
}

static void check_program(uint64_t seed, const struct call_machine_options *options)
{
	struct call_machine *machine = call_machine_new(seed, options);
	struct naive *naive = calloc(1, sizeof(*naive));
	const struct ear_calls_watch watch = {sizeof(watch), enter, leave, naive};
	struct ear_timeline *timeline;
	uint64_t number = 0;

	assert_non_null(naive);
	assert_int_equal(ear_calls_new(&naive->calls, NULL), 0);
	assert_int_equal(ear_calls_set_watch(naive->calls, &watch), 0);
	assert_int_equal(ear_timeline_new(&timeline, NULL, NULL), 0);
	for (uint64_t i = 0; i < RECORDS; i++) {
		const struct ear_record *record = call_machine_next(machine);
		const struct ear_batch batch = {.size = sizeof(batch),
			.count = 1,
			.position = i,
			.number = number,
			.record = record};
		assert_int_equal(ear_timeline_batch(timeline, &batch), 0);
		assert_int_equal(ear_calls_batch(naive->calls, &batch, take, naive), 0);
		number += record->kind == EAR_RECORD_INSTRUCTION;
	}
	assert_int_equal(ear_timeline_finish(timeline), 0);
	assert_int_equal(ear_timeline_result(timeline).records, number);
	for (unsigned pass = 0; pass < 2; pass++) /* it begins anew */
		check_events(timeline, naive);
	ear_timeline_free(timeline);
	ear_calls_free(naive->calls);
	free(naive);
	call_machine_free(machine);
}

static void random_programs(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		check_program(seed, &(struct call_machine_options){.xlen = seed % 2 ? 32 : 64});
		check_program(seed, &(struct call_machine_options){
					    .xlen = 32, .gaps = 30, .unmarked = seed % 2});
	}
}

/* The rate of the last window is that of the time up to the last record, however long it is. */
static void times_of_any_size(void **state)
{
	static const uint64_t times[][2] = {
		{0, UINT64_MAX}, {UINT64_MAX - 1, UINT64_MAX}, {5, 5}, {7, 3}, {100, 163}};

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct ear_timeline *timeline;
		struct ear_timeline_event event;
		assert_int_equal(ear_timeline_new(&timeline, NULL, NULL), 0);
		for (uint64_t j = 0; j < 2; j++) {
			const struct ear_record record = {.flags = EAR_RECORD_HAS_TIME,
				.ticks = times[i][j],
				.index = j,
				.pc = 4 * j,
				.next_pc = 4 * j + 4,
				.opcode = 0x13,
				.opcode_size = 4,
				.xlen = 32};
			const struct ear_batch batch = {.size = sizeof(batch),
				.count = 1,
				.position = j,
				.number = j,
				.record = &record};
			assert_int_equal(ear_timeline_batch(timeline, &batch), 0);
		}
		assert_int_equal(ear_timeline_finish(timeline), 0);
		assert_int_equal(
			ear_timeline_result(timeline).backwards, times[i][1] < times[i][0]);
		while (ear_timeline_next(timeline, &event)) {
			if (event.kind == EAR_TIMELINE_COUNTER)
				assert_true(isfinite(event.value) && event.value <= 2);
			if (event.kind == EAR_TIMELINE_BEGIN && times[i][1] >= times[i][0])
				assert_int_equal(event.duration, times[i][1] - times[i][0]);
		}
		ear_timeline_free(timeline);
	}
}

static void of_nothing(void **state)
{
	struct ear_timeline_event event;
	struct ear_timeline *timeline;

	(void)state;
	assert_int_equal(ear_timeline_new(&timeline, NULL, NULL), 0);
	assert_int_equal(ear_timeline_finish(timeline), 0);
	assert_int_equal(ear_timeline_track_count(timeline), 0);
	assert_false(ear_timeline_next(timeline, &event));
	ear_timeline_free(timeline);
	ear_timeline_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs),
		cmocka_unit_test(times_of_any_size),
		cmocka_unit_test(of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
