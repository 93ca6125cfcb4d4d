/* A history against moments at the same places. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include <earshot/calls.h>
#include <earshot/index.h>

#include "library/api/trace_internal.h"
#include "library_truth.h"
#include "random.h"

#define MEMORY 96u

static void compare_registers(const struct truth *truth, struct ear_history *history,
	const struct ear_moment *moment, uint16_t hart)
{
	static const enum ear_register_class classes[] = {
		EAR_REGISTER_X, EAR_REGISTER_F, EAR_REGISTER_CSR};

	for (unsigned c = 0; c < COUNT_OF(classes); c++)
		for (unsigned i = 0; i < (c == 2 ? 4096 : 32); i++) {
			uint64_t a = 0, b = 0;
			bool known = ear_moment_register(moment, hart, classes[c], i, &a);
			if (ear_history_register(history, hart, classes[c], i, &b) != known ||
				a != b)
				fail_msg("%s: register %u of class %u at %llu", truth->path, i, c,
					(unsigned long long)ear_moment_position(moment));
		}
	uint64_t a = 0, b = 0;
	assert_int_equal(
		ear_history_next_pc(history, hart, &a), ear_moment_next_pc(moment, hart, &b));
	assert_same(a, b);
}

/* Somewhere near an access of a record that is near. */
static uint64_t draw_address(const struct truth *truth, struct random *random, uint64_t position)
{
	for (unsigned i = 0; i < 200 && truth->count > 0; i++) {
		uint64_t at = position + random_below(random, 100);
		at = at < 50 ? at : at - 50;
		const struct ear_record *record = at < truth->count ? truth->records[at] : NULL;
		if (record && record->memory_count)
			return record->memory[0].address - random_below(random, MEMORY);
	}
	return 0x80000000;
}

static void compare_memory(const struct truth *truth, struct ear_history *history,
	struct ear_moment *moment, uint64_t address, size_t size)
{
	uint8_t bytes[2][MEMORY] = {{0}}, known[2][MEMORY] = {{0}};
	int64_t count = ear_moment_memory(moment, address, bytes[0], known[0], size, NULL);

	assert_int_equal(
		ear_history_memory(history, address, bytes[1], known[1], size, NULL), count);
	for (size_t i = 0; i < size; i++)
		if (known[0][i] != known[1][i] || bytes[0][i] != bytes[1][i])
			fail_msg("%s at %llu: byte %llx is %02x (%u), and %02x (%u) in a moment",
				truth->path, (unsigned long long)ear_moment_position(moment),
				(unsigned long long)(address + i), bytes[1][i], known[1][i],
				bytes[0][i], known[0][i]);
}

static void compare_records(const struct truth *truth, struct ear_history *history)
{
	struct ear_batch batch = {.size = sizeof(batch)};
	uint64_t first, end, position = ear_history_position(history);
	bool at_end = ear_history_window(history, &first, &end);

	assert_true(first <= position && position <= end);
	assert_true(position < end || at_end);
	assert_true(!at_end || end == truth->count);
	for (uint64_t at = first; at < end; at += batch.count) {
		assert_int_equal(ear_history_batch(history, at, &batch), 1);
		assert_same(batch.position, at);
		assert_same(batch.number, truth->numbers[at]);
		assert_true(batch.count <= end - at);
		for (size_t i = 0; i < batch.count; i++)
			truth_check(truth, ear_batch_record(&batch, i), at + i);
	}
	assert_int_equal(ear_history_batch(history, end, &batch), 0);
	assert_null(ear_history_record(history, end));
}

/* Calls begun at the window have the path at its first record that a moment there says. */
static void compare_begin(struct ear_trace *trace, struct ear_history *history)
{
	uint64_t first, end;
	struct ear_moment *begin, *moment;
	struct ear_calls *calls, *others;

	ear_history_window(history, &first, &end);
	assert_int_equal(ear_history_begin(history, &begin, NULL), 0);
	assert_same(ear_moment_position(begin), first);
	assert_int_equal(ear_moment_new(&moment, trace, first, NULL), 0);
	assert_int_equal(ear_calls_new(&calls, NULL), 0);
	assert_int_equal(ear_calls_new(&others, NULL), 0);
	assert_int_equal(
		ear_calls_start(calls, begin, NULL), ear_calls_start(others, moment, NULL));
	assert_int_equal(ear_calls_count(calls), ear_calls_count(others));
	ear_calls_free(calls);
	ear_calls_free(others);
	ear_moment_free(moment);
}

static uint64_t draw_position(const struct truth *truth, struct random *random, uint64_t position)
{
	uint64_t step = random_below(random, 3);

	switch (random_below(random, 6)) {
	case 0: return random_below(random, truth->count + 1);
	case 1: return position + random_below(random, 200);
	case 2: step = random_below(random, 200); return position > step ? position - step : 0;
	case 3: return position + step;
	default: return position > step ? position - step : 0;
	}
}

static void walk(const struct truth *truth, struct ear_trace *trace, unsigned window, uint64_t seed)
{
	struct random random = {.state = seed};
	struct ear_history *history;
	struct ear_moment *moment;
	uint64_t position = random_below(&random, truth->count + 1);

	if (position % 4 == 0)
		position = UINT64_MAX; /* the end */
	trace->past_window = window;
	assert_int_equal(ear_history_new(&history, trace, position, NULL), 0);
	assert_int_equal(ear_moment_new(&moment, trace, position, NULL), 0);
	assert_same(ear_history_position(history), ear_moment_position(moment));
	position = ear_moment_position(moment);
	compare_records(truth, history);
	if (position > 0)
		truth_check(truth, ear_history_record(history, position - 1), position - 1);
	for (unsigned i = 0; i < 40; i++) {
		const uint16_t hart = ear_moment_hart(moment);
		compare_registers(truth, history, moment, hart);
		if (random_below(&random, 2))
			compare_memory(truth, history, moment,
				draw_address(truth, &random, position),
				(size_t)random_below(&random, MEMORY + 1));
		if (random_below(&random, 8) == 0) /* over the end of the address space */
			compare_memory(truth, history, moment,
				UINT64_MAX - random_below(&random, MEMORY),
				(size_t)random_below(&random, MEMORY + 1));
		if (random_below(&random, 8) == 0)
			compare_records(truth, history);
		if (random_below(&random, 16) == 0)
			compare_begin(trace, history);
		position = draw_position(truth, &random, position);
		assert_int_equal(ear_history_move(history, position, NULL), 0);
		assert_int_equal(ear_moment_move(moment, position, NULL), 0);
		position = ear_moment_position(moment);
		assert_same(ear_history_position(history), position);
	}
	ear_moment_free(moment);
	ear_history_free(history);
}

static void a_history_is_the_moments_around_it(void **state)
{
	static const unsigned windows[] = {16, 64, 1000, 0};
	struct truth *truth;

	(void)state;
	for (size_t i = 0; (truth = truth_of(i)) != NULL; i++) {
		for (unsigned w = 0; w < COUNT_OF(windows); w++) {
			struct ear_trace *trace =
				w % 2 ? truth_open(truth) : truth_open_indexed(truth);
			walk(truth, trace, windows[w], 100 * i + w);
			ear_trace_close(trace);
			trace = w % 2 ? truth_open_indexed(truth) : truth_open(truth);
			walk(truth, trace, windows[w], 100 * i + w + 50);
			ear_trace_close(trace);
		}
		truth_free(truth);
	}
}

/* Forward and backward through all of it, in single steps. */
static void steps_through_a_whole_trace(void **state)
{
	struct truth *truth = truth_of(0);
	struct ear_trace *trace = truth_open_indexed(truth);
	struct ear_history *history;
	uint64_t count = truth->count < 3000 ? truth->count : 3000;

	(void)state;
	trace->past_window = 64;
	assert_int_equal(ear_history_new(&history, trace, 0, NULL), 0);
	for (uint64_t i = 0; i < count; i++) {
		truth_check(truth, ear_history_record(history, i), i);
		assert_int_equal(ear_history_move(history, i + 1, NULL), 0);
		assert_same(ear_history_position(history), i + 1);
	}
	for (uint64_t i = count; i-- > 0;) {
		assert_int_equal(ear_history_move(history, i, NULL), 0);
		truth_check(truth, ear_history_record(history, i), i);
	}
	ear_history_free(history);
	ear_trace_close(trace);
	truth_free(truth);
}

/* Who keeps no index has one in memory, and no file of it. */
static void an_index_that_is_not_kept(void **state)
{
	struct truth *truth = truth_of(0);
	struct ear_trace *trace = truth_open(truth);
	struct ear_history *history;
	struct ear_index_facts facts = {.size = sizeof(facts)};

	(void)state;
	trace->index_always = true;
	trace->past_window = 64;
	assert_int_equal(ear_history_new(&history, trace, 0, NULL), 0);
	assert_int_equal(ear_trace_index_facts(trace, &facts), 0);
	assert_same(facts.records, truth->count);
	assert_int_equal(ear_history_move(history, UINT64_MAX, NULL), 0);
	assert_same(ear_history_position(history), truth->count);
	compare_records(truth, history);
	ear_history_free(history);
	ear_trace_close(trace);
	truth_free(truth);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_history_is_the_moments_around_it),
		cmocka_unit_test(steps_through_a_whole_trace),
		cmocka_unit_test(an_index_that_is_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
