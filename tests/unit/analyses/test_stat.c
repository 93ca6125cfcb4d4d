/* Runs in numbers: what parts sum up to, wherever a trace is cut, and what the hash tells apart.
 * What is counted is held against another count by tests/e2e/test_stat.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyses/stat/stat.h"
#include "library_truth.h"
#include "random.h"

#define CUTS 64

static void check_equal(const struct ear_stat *a, const struct ear_stat *b)
{
	assert_int_equal(a->records, b->records);
	assert_int_equal(a->interrupts, b->interrupts);
	assert_int_equal(a->traps, b->traps);
	assert_int_equal(a->gaps, b->gaps);
	assert_int_equal(a->events, b->events);
	assert_int_equal(a->others, b->others);
	assert_int_equal(a->missing, b->missing);
	assert_int_equal(a->blind, b->blind);
	assert_int_equal(a->decoded, b->decoded);
	for (unsigned i = 0; i < EAR_STAT_CLASSES; i++)
		assert_int_equal(a->classes[i], b->classes[i]);
	assert_int_equal(a->compressed, b->compressed);
	assert_int_equal(a->taken, b->taken);
	assert_int_equal(a->not_taken, b->not_taken);
	assert_int_equal(a->reads, b->reads);
	assert_int_equal(a->writes, b->writes);
	assert_int_equal(a->read_bytes, b->read_bytes);
	assert_int_equal(a->written_bytes, b->written_bytes);
	assert_int_equal(a->timed, b->timed);
	assert_int_equal(a->first_ticks, b->first_ticks);
	assert_int_equal(a->last_ticks, b->last_ticks);
	assert_int_equal(a->first_pc, b->first_pc);
	assert_int_equal(a->last_pc, b->last_pc);
	assert_int_equal(ear_stat_hart_count(a), ear_stat_hart_count(b));
	assert_int_equal(a->hash, b->hash);
	assert_int_equal(a->power, b->power);
}

static void count_record(struct ear_stat_counter *counter, const struct ear_record *record)
{
	const struct ear_batch batch = {.size = sizeof(batch), .count = 1, .record = record};

	ear_stat_batch(counter, &batch);
}

/* The records first .. end - 1, one by one. */
static struct ear_stat *count_part(const struct truth *truth, size_t first, size_t end)
{
	struct ear_stat_counter *counter = malloc(sizeof(*counter));
	struct ear_stat *stat = malloc(sizeof(*stat));

	assert_non_null(counter);
	assert_non_null(stat);
	assert_int_equal(ear_stat_begin(counter), 0);
	for (size_t i = first; i < end; i++)
		count_record(counter, truth->records[i]);
	*stat = counter->stat;
	ear_stat_end(counter);
	free(counter);
	return stat;
}

/* As the command reads it. */
static struct ear_stat *count_batches(const struct truth *truth)
{
	struct ear_stat_counter *counter = malloc(sizeof(*counter));
	struct ear_stat *stat = malloc(sizeof(*stat));
	struct ear_trace *trace = truth_open(truth);
	struct ear_batch batch = {.size = sizeof(batch)};

	assert_non_null(counter);
	assert_non_null(stat);
	assert_int_equal(ear_stat_begin(counter), 0);
	while (ear_trace_next_batch(trace, &batch) == 1)
		ear_stat_batch(counter, &batch);
	*stat = counter->stat;
	ear_stat_end(counter);
	free(counter);
	ear_trace_close(trace);
	return stat;
}

static int compare_places(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void check_cuts(const struct truth *truth, const struct ear_stat *whole, unsigned cuts)
{
	struct random random = {cuts + 1};
	size_t places[CUTS + 1];
	struct ear_stat *sum = malloc(sizeof(*sum));

	assert_non_null(sum);
	ear_stat_clear(sum);
	for (unsigned i = 0; i < cuts; i++)
		places[i] = (size_t)random_below(&random, truth->count + 1);

	places[cuts] = truth->count;
	qsort(places, cuts, sizeof(places[0]), compare_places);
	for (unsigned i = 0; i <= cuts; i++) {
		struct ear_stat *part = count_part(truth, i > 0 ? places[i - 1] : 0, places[i]);
		ear_stat_join(sum, part);
		free(part);
	}
	check_equal(sum, whole);
	free(sum);
}

static void parts_sum_up_to_the_whole(void **state)
{
	struct truth *truth;

	(void)state;
	size_t number = 0;
	for (; (truth = truth_of(number)); number++) {
		struct ear_stat *whole = count_batches(truth);
		assert_true(whole->records > 0);
		for (unsigned cuts = 0; cuts <= CUTS; cuts = 2 * cuts + 1)
			check_cuts(truth, whole, cuts);
		free(whole);
		truth_free(truth);
	}
	assert_true(number > 5);
}

/* Order, harts, values, accesses: each of them counts. */
static void the_hash_tells_runs_apart(void **state)
{
	struct ear_record_register regs[2] = {{.number = 5, .value = 1}, {.number = 5, .value = 2}};
	struct ear_record_access accesses[2] = {{.address = 16, .size = 4, .has_value = true},
		{.address = 16, .size = 4, .has_value = true, .write = true}};
	const struct ear_record records[] = {
		{.pc = 0x100, .opcode = 0x13, .opcode_size = 4, .xlen = 32},
		{.pc = 0x104, .opcode = 0x13, .opcode_size = 4, .xlen = 32},
		{.pc = 0x100, .opcode = 0x93, .opcode_size = 4, .xlen = 32},
		{.pc = 0x100, .opcode = 0x13, .opcode_size = 4, .xlen = 32, .hart = 1},
		{.pc = 0x100,
			.opcode = 0x13,
			.xlen = 32,
			.registers = &regs[0],
			.register_count = 1},
		{.pc = 0x100,
			.opcode = 0x13,
			.xlen = 32,
			.registers = &regs[1],
			.register_count = 1},
		{.pc = 0x100,
			.opcode = 0x13,
			.xlen = 32,
			.memory = &accesses[0],
			.memory_count = 1},
		{.pc = 0x100,
			.opcode = 0x13,
			.xlen = 32,
			.memory = &accesses[1],
			.memory_count = 1},
		{.pc = 0x100, .opcode = 0x13, .xlen = 32, .flags = EAR_RECORD_TRAP},
		{.pc = 0x100, .opcode = 0x13, .xlen = 32, .flags = EAR_RECORD_TRAP, .cause = 2},
		{.pc = 0x100,
			.opcode = 0x13,
			.xlen = 32,
			.flags = EAR_RECORD_INTERRUPT,
			.cause = 2},
	};
	enum { COUNT = sizeof(records) / sizeof(records[0]) };
	uint64_t hashes[COUNT * COUNT];
	struct ear_stat_counter *counter = malloc(sizeof(*counter));

	(void)state;
	assert_non_null(counter);
	assert_int_equal(ear_stat_begin(counter), 0);
	for (size_t i = 0; i < COUNT * COUNT; i++) {
		ear_stat_clear(&counter->stat);
		count_record(counter, &records[i / COUNT]);
		count_record(counter, &records[i % COUNT]);
		hashes[i] = counter->stat.hash;
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(hashes[i], hashes[j]);
	}
	ear_stat_end(counter);
	free(counter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_sum_up_to_the_whole),
		cmocka_unit_test(the_hash_tells_runs_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
