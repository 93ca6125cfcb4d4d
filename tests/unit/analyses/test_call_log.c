/* Calls in time: their order and their ends, however many wait; and how long they took. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "analyses/calls/call_log.h"
#include "analyses/calls/call_sum.h"
#include "call_machine.h"
#include "random.h"

#define JAL_RA 0x100000efu
#define RET    0x00008067u
#define NOP    0x00000013u

/* ---- What is handed out. ---- */

struct taken {
	struct ear_call_log_call *calls;
	size_t count, capacity;
	size_t stop_at; /* 0: never */
};

static int take(void *context, const struct ear_call_log_call *call)
{
	struct taken *taken = context;

	if (taken->count == taken->capacity) {
		taken->capacity = taken->capacity ? 2 * taken->capacity : 256;
		taken->calls = realloc(taken->calls, taken->capacity * sizeof(*taken->calls));
		assert_non_null(taken->calls);
	}
	taken->calls[taken->count++] = *call;
	return taken->count == taken->stop_at ? 77 : 0;
}

static struct ear_call_log *new_log(struct taken *taken, struct ear_call_log_options options)
{
	struct ear_call_log *log;

	options.take = take;
	options.context = taken;
	assert_int_equal(ear_call_log_new(&log, NULL, &options), 0);
	return log;
}

static int push(struct ear_call_log *log, const struct ear_record *record, uint64_t position)
{
	const struct ear_batch batch = {.size = sizeof(batch),
		.count = 1,
		.position = position,
		.number = position,
		.record = record};

	return ear_call_log_batch(log, &batch);
}

/* A program that is written record by record. */
struct program {
	struct ear_call_log *log;
	uint64_t position;
	int result; /* of the last record */
};

static void run(struct program *program, uint64_t pc, uint32_t opcode, uint64_t next_pc)
{
	const struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.flags = EAR_RECORD_HAS_TIME | (next_pc == pc + 4 ? 0 : EAR_RECORD_TAKEN),
		.index = program->position,
		.ticks = 10 * program->position,
		.pc = pc,
		.next_pc = next_pc,
		.opcode = opcode,
		.opcode_size = 4,
		.privilege = EAR_PRIVILEGE_M,
		.xlen = 32};

	program->result = push(program->log, &record, program->position++);
}

/* ---- Ends that are far. ---- */

#define MANY (EAR_CALL_LOG_WINDOW + 1000)

static void a_call_that_lasts_long_does_not_hold_back_the_others(void **state)
{
	struct taken taken = {.count = 0};
	struct program program = {
		.log = new_log(&taken, (struct ear_call_log_options){.depth = 0})};

	(void)state;
	run(&program, 0x100, JAL_RA, 0x200);
	for (unsigned i = 0; i < MANY; i++) {
		run(&program, 0x200, JAL_RA, 0x300);
		run(&program, 0x300, RET, 0x204);
		run(&program, 0x204, NOP, 0x200);
	}
	assert_int_equal(ear_call_log_finish(program.log), 0);
	assert_int_equal(taken.count, MANY + 1);
	assert_int_equal(taken.calls[0].end, EAR_CALL_LOG_WAITED);
	assert_int_equal(taken.calls[0].number, 0);
	/* The last one that waited with it has just begun: its call is the last record. */
	assert_int_equal(taken.calls[0].records, 3 * (EAR_CALL_LOG_WINDOW - 1) + 1);
	for (unsigned i = 1; i <= MANY; i++) {
		const struct ear_call_log_call *call = &taken.calls[i];
		assert_int_equal(call->number, 3 * (i - 1) + 1);
		assert_int_equal(call->end, EAR_CALL_LOG_RETURNED);
		assert_int_equal(call->records, 1);
		assert_int_equal(call->clocks, 10);
		assert_int_equal(call->depth, 1);
		assert_int_equal(call->entry, 0x300);
		assert_int_equal(call->call_pc, 0x200);
	}
	ear_call_log_free(program.log);
	free(taken.calls);
}

static void by_their_ends_all_have_one(void **state)
{
	struct taken taken = {.count = 0};
	struct program program = {
		.log = new_log(&taken, (struct ear_call_log_options){.by_end = true})};

	(void)state;
	run(&program, 0x100, JAL_RA, 0x200);
	for (unsigned i = 0; i < MANY; i++) {
		run(&program, 0x200, JAL_RA, 0x300);
		run(&program, 0x300, RET, 0x204);
		run(&program, 0x204, NOP, 0x200);
	}
	run(&program, 0x200, RET, 0x104);
	assert_int_equal(taken.count, MANY + 1);
	assert_int_equal(taken.calls[MANY].number, 0);
	assert_int_equal(taken.calls[MANY].end, EAR_CALL_LOG_RETURNED);
	assert_int_equal(taken.calls[MANY].records, 3 * MANY + 1);
	run(&program, 0x104, JAL_RA, 0x200);
	assert_int_equal(ear_call_log_finish(program.log), 0);
	assert_int_equal(taken.count, MANY + 2);
	assert_int_equal(taken.calls[MANY + 1].end, EAR_CALL_LOG_OPEN);
	ear_call_log_free(program.log);
	free(taken.calls);
}

/* Frames beyond what is kept of a stack, and of those that wait. */
static void a_recursion_without_end(void **state)
{
	struct taken taken = {.count = 0};
	struct program program = {
		.log = new_log(&taken, (struct ear_call_log_options){.depth = 0})};
	const unsigned deep = 300000;

	(void)state;
	for (unsigned i = 0; i < deep; i++)
		run(&program, 0x100, JAL_RA, 0x100);
	assert_int_equal(ear_call_log_finish(program.log), 0);
	assert_int_equal(taken.count, deep);
	for (unsigned i = 0; i < deep; i++) {
		assert_int_equal(taken.calls[i].number, i);
		assert_int_not_equal(taken.calls[i].end, EAR_CALL_LOG_RETURNED);
	}
	assert_int_equal(taken.calls[100].depth, 100);
	ear_call_log_free(program.log);
	free(taken.calls);
}

static void a_taker_ends_it(void **state)
{
	struct taken taken = {.stop_at = 2};
	struct program program = {
		.log = new_log(&taken, (struct ear_call_log_options){.depth = 0})};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		run(&program, 0x200, JAL_RA, 0x300);
		assert_int_equal(program.result, 0);
		run(&program, 0x300, RET, 0x204);
		assert_int_equal(program.result, i == 0 ? 0 : 77);
		if (i == 0)
			run(&program, 0x204, NOP, 0x200);
	}
	ear_call_log_free(program.log);
	free(taken.calls);
}

static void only_what_is_asked_for(void **state)
{
	static const uint64_t entries[] = {0x300};
	struct taken taken = {.count = 0};
	struct program program = {
		.log = new_log(&taken, (struct ear_call_log_options){.entries = entries,
					       .entry_count = 1,
					       .registers = true,
					       .depth = 2})};

	(void)state;
	run(&program, 0x100, JAL_RA, 0x200); /* depth 0, not asked for */
	run(&program, 0x200, JAL_RA, 0x300); /* depth 1 */
	run(&program, 0x300, JAL_RA, 0x300); /* depth 2: too deep */
	run(&program, 0x300, RET, 0x304);
	run(&program, 0x304, RET, 0x204);
	assert_int_equal(ear_call_log_finish(program.log), 0);
	assert_int_equal(taken.count, 1);
	assert_int_equal(taken.calls[0].number, 1);
	assert_int_equal(taken.calls[0].last, 4);
	assert_int_equal(taken.calls[0].before->known, 0);
	ear_call_log_free(program.log);
	free(taken.calls);
}

/* ---- Random programs. ---- */

/* Calls of one hart lie in each other, but where tasks are switched; each that the machine makes
 * comes once, in order. */
static void check_program(uint64_t seed, const struct call_machine_options *options)
{
	struct call_machine *machine = call_machine_new(seed, options);
	struct taken taken = {.count = 0}, ended = {.count = 0};
	struct ear_call_log *log = new_log(&taken, (struct ear_call_log_options){.depth = 0});
	struct ear_call_log *by_end =
		new_log(&ended, (struct ear_call_log_options){.by_end = true});

	for (uint64_t i = 0; i < 2000; i++) {
		const struct ear_record *record = call_machine_next(machine);
		assert_int_equal(push(log, record, i), 0);
		assert_int_equal(push(by_end, record, i), 0);
	}
	assert_int_equal(ear_call_log_finish(log), 0);
	assert_int_equal(ear_call_log_finish(by_end), 0);
	assert_int_equal(taken.count, ended.count);
	assert_int_equal(ear_call_log_facts(log).calls, taken.count);
	uint64_t sums[2] = {0};
	for (size_t i = 0; i < taken.count; i++) {
		const struct ear_call_log_call *call = &taken.calls[i];
		assert_true(i == 0 || taken.calls[i - 1].number <= call->number);
		assert_true(call->last >= call->number || call->records == 0);
		assert_true(call->end != EAR_CALL_LOG_WAITED);
		sums[0] += call->number * 31 + call->records * 7 + call->end + call->depth * 13;
		call = &ended.calls[i];
		sums[1] += call->number * 31 + call->records * 7 + call->end + call->depth * 13;
	}
	assert_int_equal(sums[0], sums[1]);
	ear_call_log_free(log);
	ear_call_log_free(by_end);
	call_machine_free(machine);
	free(taken.calls);
	free(ended.calls);
}

static void random_programs(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		check_program(seed, &(struct call_machine_options){.xlen = seed % 2 ? 32 : 64});
		check_program(seed, &(struct call_machine_options){.xlen = 32, .unmarked = true});
	}
}

/* ---- Durations. ---- */

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void buckets_hold_what_falls_into_them(void **state)
{
	struct random random = {5};
	uint64_t values[1000];

	(void)state;
	for (unsigned round = 0; round < 50; round++) {
		struct ear_durations durations = {.count = 0};
		for (size_t i = 0; i < 1000; i++) {
			const unsigned width = 1 + (unsigned)random_below(&random, round + 14);
			values[i] = random_next(&random) >> (64 - (width < 64 ? width : 64));
			ear_durations_add(&durations, values[i]);
		}
		qsort(values, 1000, sizeof(values[0]), compare);
		assert_int_equal(durations.min, values[0]);
		assert_int_equal(durations.max, values[999]);
		for (unsigned i = 0, at = 0; i < EAR_DURATION_BUCKETS; i++) {
			for (uint64_t j = 0; j < durations.buckets[i]; j++, at++)
				assert_in_range(
					values[at], ear_duration_first(i), ear_duration_last(i));
		}
		const uint64_t half = ear_durations_at_most(&durations, 500);
		assert_true(half >= values[499] && half - values[499] <= values[499] / 4);
		assert_int_equal(ear_durations_at_most(&durations, 1000), values[999]);
	}
	assert_int_equal(ear_duration_last(EAR_DURATION_BUCKETS - 1), UINT64_MAX);
	for (unsigned i = 1; i < EAR_DURATION_BUCKETS; i++)
		assert_int_equal(ear_duration_first(i), ear_duration_last(i - 1) + 1);
}

static void functions_beyond_the_limit_are_counted_together(void **state)
{
	struct ear_call_sum *sum;
	uint64_t calls = 0;

	(void)state;
	assert_int_equal(ear_call_sum_new(&sum), 0);
	for (uint64_t i = 0; i < EAR_CALL_SUM_FUNCTIONS + 100; i++) {
		const struct ear_call_log_call call = {.function = 4 * i, .records = 5};
		assert_int_equal(ear_call_sum_add(sum, &call), 0);
		assert_int_equal(ear_call_sum_add(sum, &call), 0);
	}
	assert_int_equal(ear_call_sum_count(sum), EAR_CALL_SUM_FUNCTIONS + 1);
	for (size_t i = 0; i < ear_call_sum_count(sum); i++) {
		const struct ear_call_sum_function *function = ear_call_sum_function(sum, i);
		calls += function->calls;
		assert_int_equal(function->calls, function->entry == UINT64_MAX ? 200 : 2);
	}
	assert_int_equal(calls, 2 * (EAR_CALL_SUM_FUNCTIONS + 100));
	ear_call_sum_free(sum);
	ear_call_sum_free(NULL);
	ear_call_log_free(NULL);
}

/* A part, of which some functions have no room, as a log does it. */
static void sum_up_part(struct ear_call_sum *sum, struct random *random, uint64_t functions,
	struct ear_call_sum *whole)
{
	struct ear_call_sum *own;
	size_t met = 0;

	assert_int_equal(ear_call_sum_new(&own), 0);
	for (uint64_t i = 0; i < 2 * functions; i++) {
		const struct ear_call_log_call call = {
			.function = i < functions ? i * 2654435761u % 40009
						  : random_below(random, 40009),
			.records = random_below(random, 1000000)};
		assert_int_equal(ear_call_sum_add(whole, &call), 0);
		if (ear_call_sum_add_apart(own, &call) == 0)
			continue;
		const size_t count = ear_call_sum_count(own);
		assert_int_equal(ear_call_sum_meet(sum, own, met, count), 0);
		assert_int_equal(ear_call_sum_add(sum, &call), 0);
		met = count;
	}
	assert_int_equal(ear_call_sum_join(sum, own), 0);
	ear_call_sum_free(own);
}

static void sums_of_parts_with_more_functions_than_there_is_room_for(void **state)
{
	static const uint64_t parts[] = {100, 9000, 10, 17000, 1};
	struct random random = {13};
	struct ear_call_sum *sum, *whole;

	(void)state;
	assert_int_equal(ear_call_sum_new(&sum), 0);
	assert_int_equal(ear_call_sum_new(&whole), 0);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		sum_up_part(sum, &random, parts[i], whole);
	assert_int_equal(ear_call_sum_count(whole), EAR_CALL_SUM_FUNCTIONS + 1);
	assert_int_equal(ear_call_sum_count(sum), EAR_CALL_SUM_FUNCTIONS + 1);
	for (size_t i = 0; i < ear_call_sum_count(sum); i++)
		assert_memory_equal(ear_call_sum_function(sum, i), ear_call_sum_function(whole, i),
			sizeof(struct ear_call_sum_function));
	ear_call_sum_free(sum);
	ear_call_sum_free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_that_lasts_long_does_not_hold_back_the_others),
		cmocka_unit_test(by_their_ends_all_have_one),
		cmocka_unit_test(a_recursion_without_end),
		cmocka_unit_test(a_taker_ends_it),
		cmocka_unit_test(only_what_is_asked_for),
		cmocka_unit_test(random_programs),
		cmocka_unit_test(buckets_hold_what_falls_into_them),
		cmocka_unit_test(functions_beyond_the_limit_are_counted_together),
		cmocka_unit_test(sums_of_parts_with_more_functions_than_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
