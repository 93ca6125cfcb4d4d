/* The counts of a live view: all intervals together are what analyses/profile and analyses/stat
 * count of the same records, whatever the intervals are and however few rows are kept. What is idle
 * is held against records that are written by hand.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "analyses/profile/profile.h"
#include "analyses/stat/stat.h"
#include "analyses/top/top.h"
#include "call_machine.h"

#define RECORDS   3000
#define FUNCTIONS 4096

struct sums {
	uint64_t entries[FUNCTIONS];
	uint16_t harts[FUNCTIONS];
	struct ear_top_counts counts[FUNCTIONS];
	size_t count;
	struct ear_top_counts all, pcs;
	uint64_t classes[EAR_STAT_CLASSES], gaps, missing, blind, decoded, events;
};

static void add(struct ear_top_counts *sum, const struct ear_top_counts *more)
{
	for (unsigned i = 0; i < EAR_TOP_KEYS; i++)
		sum->all[i] += more->all[i];
}

static struct ear_top_counts *sum_of(struct sums *sums, uint64_t entry)
{
	for (size_t i = 0; i < sums->count; i++)
		if (sums->entries[i] == entry)
			return &sums->counts[i];
	assert_true(sums->count < FUNCTIONS);
	sums->entries[sums->count] = entry;
	return &sums->counts[sums->count++];
}

/* One interval, and what is in no row of it. */
static void add_view(struct sums *sums, const struct ear_top_view *view)
{
	struct ear_top_counts functions = view->other_functions, pcs = view->other_pcs;

	for (size_t i = 0; i < view->function_count; i++) {
		const struct ear_top_function *row = &view->functions[i];
		add(sum_of(sums, row->entry), &row->now);
		add(&functions, &row->now);
		assert_true(i == 0 || row->now.all[0] <= row[-1].now.all[0]);
		assert_true(row->now.all[0] > 0);
	}
	for (size_t i = 0; i < view->pc_count; i++)
		add(&pcs, &view->pcs[i].now);
	/* Rows and the others are all of the interval. */
	assert_memory_equal(&functions, &view->now.counts, sizeof(functions));
	assert_memory_equal(&pcs, &view->now.counts, sizeof(pcs));
	add(&sums->all, &view->now.counts);
	for (unsigned i = 0; i < EAR_STAT_CLASSES; i++)
		sums->classes[i] += view->now.classes[i];
	sums->gaps += view->now.gaps;
	sums->missing += view->now.missing;
	sums->blind += view->now.blind;
	sums->decoded += view->now.decoded;
	sums->events += view->now.events;
}

static void *make(const struct ear_analysis *analysis)
{
	const struct ear_analysis_setup setup = {.options = NULL};
	void *count;

	assert_int_equal(analysis->create(&count, &setup), 0);
	return count;
}

static void compare(const struct sums *sums, const struct ear_profile *profile,
	const struct ear_stat *stat, bool all_rows)
{
	const struct ear_profile_counts total = ear_profile_total(profile);

	assert_int_equal(sums->all.all[EAR_TOP_RECORDS], total.records);
	assert_int_equal(sums->all.all[EAR_TOP_CLOCKS], total.clocks);
	assert_int_equal(sums->all.all[EAR_TOP_TRAPS], total.traps);
	assert_int_equal(sums->all.all[EAR_TOP_INTERRUPTS], total.interrupts);
	assert_int_equal(sums->all.all[EAR_TOP_RECORDS], stat->records);
	assert_int_equal(sums->all.all[EAR_TOP_TRAPS], stat->traps);
	assert_int_equal(sums->all.all[EAR_TOP_INTERRUPTS], stat->interrupts);
	assert_memory_equal(sums->classes, stat->classes, sizeof(sums->classes));
	assert_int_equal(sums->decoded, stat->decoded);
	assert_int_equal(sums->gaps, stat->gaps);
	assert_int_equal(sums->missing, stat->missing);
	assert_int_equal(sums->blind, stat->blind);
	assert_int_equal(sums->events, stat->events);
	for (size_t i = 0; i < ear_profile_function_count(profile) && all_rows; i++) {
		const struct ear_profile_function *function = ear_profile_function(profile, i);
		struct sums *mutable = (struct sums *)sums;
		const struct ear_top_counts *own = sum_of(mutable, function->entry);
		assert_int_equal(own->all[EAR_TOP_RECORDS], function->self.records);
		assert_int_equal(own->all[EAR_TOP_CLOCKS], function->self.clocks);
		assert_int_equal(own->all[EAR_TOP_TRAPS], function->self.traps);
		assert_int_equal(own->all[EAR_TOP_INTERRUPTS], function->self.interrupts);
	}
}

/* Records of a machine, some with a time, of two harts. */
static void check_program(uint64_t seed, const struct call_machine_options *options,
	size_t rows_max, uint32_t table_max)
{
	const struct ear_top_options how = {.rows_max = table_max};
	struct ear_top_wish wish = {.rows_max = rows_max, .hart = -1};
	struct call_machine *machine = call_machine_new(seed, options);
	struct sums *sums = calloc(1, sizeof(*sums));
	void *profile = make(&ear_profile_analysis), *stat = make(&ear_stat_analysis);
	struct ear_top_view view = {0};
	struct ear_top *top;
	uint64_t ticks = 0, left = 1 + seed % 7;

	assert_non_null(sums);
	assert_int_equal(ear_top_new(&top, &how), 0);
	for (uint64_t i = 0; i < RECORDS; i++) {
		struct ear_record record = *call_machine_next(machine);
		const struct ear_batch batch = {
			.size = sizeof(batch), .count = 1, .position = i, .record = &record};
		ticks += i % 5;
		record.ticks = ticks;
		if (record.kind == EAR_RECORD_INSTRUCTION && i % 11 != 0)
			record.flags |= EAR_RECORD_HAS_TIME;
		assert_int_equal(ear_top_batch(top, &batch), 0);
		assert_int_equal(ear_profile_analysis.batch(profile, &batch), 0);
		assert_int_equal(ear_stat_analysis.batch(stat, &batch), 0);
		if (--left > 0 && i + 1 < RECORDS)
			continue;
		assert_int_equal(ear_top_take(top, &wish, &view), 0);
		assert_int_equal(ear_top_pending(top), 0);
		add_view(sums, &view);
		left = 1 + (i * seed) % 97;
	}
	assert_int_equal(ear_profile_analysis.finish(profile), 0);
	compare(sums, profile, ear_stat_numbers(stat), rows_max == 0 && table_max == 0);
	assert_memory_equal(&sums->all, &view.sum.counts, sizeof(sums->all));

	/* The sums at the end are the same, in one list. */
	struct sums *whole = calloc(1, sizeof(*whole));
	assert_non_null(whole);
	wish.sum = true;
	assert_int_equal(ear_top_take(top, &wish, &view), 0);
	struct ear_top_counts rows = view.other_functions, pcs = view.other_pcs;
	for (size_t i = 0; i < view.function_count; i++)
		add(&rows, &view.functions[i].sum);
	for (size_t i = 0; i < view.pc_count; i++)
		add(&pcs, &view.pcs[i].sum);
	assert_memory_equal(&rows, &sums->all, sizeof(rows));
	assert_memory_equal(&pcs, &sums->all, sizeof(pcs));
	assert_int_equal(view.limited, table_max > 0);
	free(whole);
	free(sums);
	ear_top_view_fini(&view);
	ear_top_free(top);
	ear_profile_analysis.free(profile);
	ear_stat_analysis.free(stat);
	call_machine_free(machine);
}

static void all_intervals_together_are_profile_and_stat(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 30; seed++) {
		const struct call_machine_options options = {
			.xlen = seed % 2 ? 32 : 64, .gaps = seed % 3 ? 0 : 30};
		check_program(seed, &options, 0, 0);
		check_program(seed, &options, 3, 0);
		check_program(seed, &options, 0, 5);
	}
}

/* ---- By hand. ---- */

static void take_record(struct ear_top *top, uint64_t position, uint16_t hart, uint64_t pc,
	uint32_t opcode, uint64_t ticks)
{
	const struct ear_record record = {.flags = ticks ? EAR_RECORD_HAS_TIME : 0,
		.index = position,
		.pc = pc,
		.next_pc = pc + 4,
		.opcode = opcode,
		.opcode_size = 4,
		.xlen = 32,
		.hart = hart,
		.ticks = ticks};
	const struct ear_batch batch = {
		.size = sizeof(batch), .count = 1, .position = position, .record = &record};

	assert_int_equal(ear_top_batch(top, &batch), 0);
}

/* wfi at 105, after 5 clocks; what follows it came 90 later; a jump to itself takes 3, an addi 1.
 */
static void waiting_is_wfi_and_what_follows_it_and_a_jump_to_itself(void **state)
{
	const struct ear_top_options options = {.rows_max = 0};
	const struct ear_top_wish wish = {.hart = -1};
	struct ear_top_view view = {0};
	struct ear_top *top;

	(void)state;
	assert_int_equal(ear_top_new(&top, &options), 0);
	take_record(top, 0, 0, 0x100, 0x13, 100);
	take_record(top, 1, 0, 0x104, 0x10500073, 105);
	take_record(top, 2, 0, 0x108, 0x13, 195);
	take_record(top, 3, 0, 0x10c, 0x6f, 198);
	take_record(top, 4, 0, 0x10c, 0x13, 199);
	take_record(top, 5, 1, 0x10c, 0x10500073, 0);
	take_record(top, 6, 1, 0x110, 0xa001, 0);
	assert_int_equal(ear_top_take(top, &wish, &view), 0);
	assert_int_equal(view.now.counts.all[EAR_TOP_CLOCKS], 99);
	assert_int_equal(view.now.idle.clocks, 5 + 90 + 3);
	assert_int_equal(view.now.idle.records, 4);
	assert_int_equal(view.now.idle.waits, 2);
	assert_int_equal(view.hart_count, 2);
	assert_int_equal(view.harts[0].idle_now.clocks, 98);
	assert_int_equal(view.harts[1].idle_now.clocks, 0);
	assert_int_equal(view.harts[1].idle_now.records, 2);
	assert_int_equal(view.harts[1].pc, 0x110);
	/* The next interval begins with nothing. */
	assert_int_equal(ear_top_take(top, &wish, &view), 0);
	assert_int_equal(view.now.counts.all[EAR_TOP_RECORDS], 0);
	assert_int_equal(view.now.idle.records, 0);
	assert_int_equal(view.function_count, 0);
	assert_int_equal(view.sum.idle.records, 4);
	ear_top_view_fini(&view);
	ear_top_free(top);
}

static void rows_of_one_hart_are_its_own(void **state)
{
	const struct ear_top_options options = {.rows_max = 0};
	struct ear_top_wish wish = {.hart = 1};
	struct ear_top_view view = {0};
	struct ear_top *top;

	(void)state;
	assert_int_equal(ear_top_new(&top, &options), 0);
	for (uint64_t i = 0; i < 30; i++)
		take_record(top, i, i % 3 == 0, 0x100 + 4 * i, 0x13, 0);
	assert_int_equal(ear_top_take(top, &wish, &view), 0);
	assert_int_equal(view.pc_count, 10);
	for (size_t i = 0; i < view.pc_count; i++)
		assert_int_equal(view.pcs[i].hart, 1);
	assert_int_equal(view.other_pcs.all[EAR_TOP_RECORDS], 0);
	assert_int_equal(view.now.counts.all[EAR_TOP_RECORDS], 30);
	ear_top_view_fini(&view);
	ear_top_free(top);
}

/* The deepest of an interval, and the depth at its end. */
static void depth_is_that_of_the_calls(void **state)
{
	const struct ear_top_options options = {.rows_max = 0};
	const struct ear_top_wish wish = {.hart = -1};
	const struct call_machine_options how = {.xlen = 32};
	struct call_machine *machine = call_machine_new(3, &how);
	struct ear_call_frame frames[CALL_MACHINE_DEPTH];
	struct ear_top_view view = {0};
	struct ear_top *top;
	uint32_t before = 0, compared = 0;

	(void)state;
	assert_int_equal(ear_top_new(&top, &options), 0);
	for (uint64_t i = 0; i < RECORDS; i++) {
		const struct ear_batch batch = {.size = sizeof(batch),
			.count = 1,
			.position = i,
			.record = call_machine_next(machine)};
		assert_int_equal(ear_top_batch(top, &batch), 0);
		assert_int_equal(ear_top_take(top, &wish, &view), 0);
		/* A record belongs to the stack before it. Handlers are roots: not compared. */
		const uint32_t depth = (uint32_t)call_machine_frames(machine, frames);
		if (view.harts[0].depth == before)
			compared++;
		before = depth;
		assert_true(view.harts[0].depth_most >= view.harts[0].depth);
	}
	assert_true(compared > RECORDS / 2);
	ear_top_view_fini(&view);
	ear_top_free(top);
	call_machine_free(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_intervals_together_are_profile_and_stat),
		cmocka_unit_test(waiting_is_wfi_and_what_follows_it_and_a_jump_to_itself),
		cmocka_unit_test(rows_of_one_hart_are_its_own),
		cmocka_unit_test(depth_is_that_of_the_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
