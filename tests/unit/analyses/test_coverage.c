/* Counts by address: what parts sum up to, and what a trace does not show. What is made of them is
 * held against other counts by tests/e2e/test_coverage.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyses/coverage/coverage.h"
#include "library_truth.h"
#include "random.h"

#define CUTS   64
#define BRANCH 0x00000463u /* beqz x0, +8 */
#define NOP    0x00000013u

static struct ear_coverage *begin(void)
{
	struct ear_coverage *coverage;

	assert_int_equal(ear_coverage_new(&coverage), 0);
	return coverage;
}

static void count_record(struct ear_coverage *coverage, const struct ear_record *record)
{
	const struct ear_batch batch = {.size = sizeof(batch), .count = 1, .record = record};

	assert_int_equal(ear_coverage_batch(coverage, &batch), 0);
}

static void count_pc(struct ear_coverage *coverage, uint64_t pc, uint32_t opcode, uint32_t flags)
{
	const struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.pc = pc,
		.opcode = opcode,
		.opcode_size = 4,
		.xlen = 64,
		.cause = 2,
		.flags = flags};

	count_record(coverage, &record);
}

static void check_place(
	const struct ear_coverage *a, const struct ear_coverage *b, uint64_t address)
{
	const struct ear_coverage_pc *x = ear_coverage_at(a, address);
	const struct ear_coverage_pc *y = ear_coverage_at(b, address);

	assert_int_equal(x != NULL, y != NULL);
	if (!x || !y)
		return;
	assert_int_equal(x->executed, y->executed);
	assert_int_equal(x->taken, y->taken);
	assert_int_equal(x->hidden, y->hidden);
	assert_int_equal(x->opcode, y->opcode);
	assert_int_equal(x->is_branch, y->is_branch);
}

static void check_equal(
	const struct ear_coverage *a, const struct ear_coverage *b, const struct truth *truth)
{
	const struct ear_coverage_sums x = ear_coverage_sums(a), y = ear_coverage_sums(b);

	assert_int_equal(x.records, y.records);
	assert_int_equal(x.executed, y.executed);
	assert_int_equal(x.gaps, y.gaps);
	assert_int_equal(x.without, y.without);
	assert_int_equal(x.changed_pcs, y.changed_pcs);
	for (size_t i = 0; i < truth->count; i++)
		if (truth->records[i]->kind == EAR_RECORD_INSTRUCTION)
			check_place(a, b, truth->records[i]->pc);
}

static int compare_places(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void check_cuts(const struct truth *truth, const struct ear_coverage *whole, unsigned cuts)
{
	struct random random = {cuts + 1};
	struct ear_coverage *sum = begin();
	size_t places[CUTS + 1];

	for (unsigned i = 0; i < cuts; i++)
		places[i] = (size_t)random_below(&random, truth->count + 1);
	places[cuts] = truth->count;
	qsort(places, cuts, sizeof(places[0]), compare_places);
	for (unsigned i = 0; i <= cuts; i++) {
		struct ear_coverage *part = begin();
		for (size_t j = i > 0 ? places[i - 1] : 0; j < places[i]; j++)
			count_record(part, truth->records[j]);
		assert_int_equal(ear_coverage_join(sum, part), 0);
		ear_coverage_free(part);
	}
	check_equal(sum, whole, truth);
	ear_coverage_free(sum);
}

static void parts_sum_up_to_the_whole(void **state)
{
	struct truth *truth;
	size_t number = 0;

	(void)state;
	for (; (truth = truth_of(number)); number++) {
		struct ear_coverage *whole = begin();
		struct ear_trace *trace = truth_open(truth);
		struct ear_batch batch = {.size = sizeof(batch)};
		while (ear_trace_next_batch(trace, &batch) == 1)
			assert_int_equal(ear_coverage_batch(whole, &batch), 0);
		ear_trace_close(trace);
		assert_true(ear_coverage_sums(whole).records > 0);
		for (unsigned cuts = 0; cuts <= CUTS; cuts = 2 * cuts + 1)
			check_cuts(truth, whole, cuts);
		ear_coverage_free(whole);
		truth_free(truth);
	}
	assert_true(number > 5);
}

static void a_branch_is_counted_both_ways_and_as_hidden(void **state)
{
	struct ear_coverage *coverage = begin();

	(void)state;
	count_pc(coverage, 0x1000, BRANCH, EAR_RECORD_TAKEN);
	count_pc(coverage, 0x1000, BRANCH, 0);
	count_pc(coverage, 0x1000, BRANCH, 0);
	count_pc(coverage, 0x1000, BRANCH, EAR_RECORD_NO_NEXT_PC);
	count_pc(coverage, 0x1000, BRANCH, EAR_RECORD_TRAP);
	count_pc(coverage, 0x1000, 0, EAR_RECORD_NO_OPCODE);
	const struct ear_coverage_pc *pc = ear_coverage_at(coverage, 0x1000);
	assert_non_null(pc);
	assert_true(pc->is_branch);
	assert_int_equal(pc->executed, 6);
	assert_int_equal(pc->taken, 1);
	assert_int_equal(pc->hidden, 3);
	assert_int_equal(ear_coverage_sums(coverage).without, 1);
	ear_coverage_free(coverage);
}

static void what_did_not_run_is_not_there(void **state)
{
	struct ear_coverage *coverage = begin();
	struct ear_record fetch = {.kind = EAR_RECORD_INSTRUCTION,
		.pc = 0x2000,
		.flags = EAR_RECORD_TRAP,
		.cause = 12};
	const struct ear_record gap = {.kind = EAR_RECORD_GAP};

	(void)state;
	count_record(coverage, &fetch);
	count_record(coverage, &gap);
	count_pc(coverage, 0x2004, NOP, EAR_RECORD_INTERRUPT);
	count_pc(coverage, 0x2008, NOP, EAR_RECORD_TRAP);
	assert_null(ear_coverage_at(coverage, 0x2000));
	assert_null(ear_coverage_at(coverage, 0x2004));
	assert_non_null(ear_coverage_at(coverage, 0x2008));
	assert_null(ear_coverage_at(coverage, 0x200C));
	assert_null(ear_coverage_at(coverage, UINT64_MAX));
	assert_int_equal(ear_coverage_sums(coverage).gaps, 1);
	assert_int_equal(ear_coverage_sums(coverage).records, 3);
	assert_int_equal(ear_coverage_sums(coverage).executed, 1);
	ear_coverage_free(coverage);
}

static void code_that_changes_is_seen(void **state)
{
	struct ear_coverage *coverage = begin();

	(void)state;
	count_pc(coverage, UINT64_MAX - 3, NOP, 0);
	count_pc(coverage, UINT64_MAX - 3, BRANCH, EAR_RECORD_TAKEN);
	count_pc(coverage, UINT64_MAX - 3, NOP, 0);
	assert_true(ear_coverage_at(coverage, UINT64_MAX - 3)->changed);
	assert_int_equal(ear_coverage_sums(coverage).changed_pcs, 1);
	ear_coverage_free(coverage);
}

static void a_trace_that_runs_everywhere_needs_no_more_than_its_room(void **state)
{
	struct ear_coverage *coverage = begin();
	const uint64_t more = 1000;

	(void)state;
	for (uint64_t i = 0; i < EAR_COVERAGE_PAGES + more; i++)
		count_pc(coverage, i << 32, NOP, 0);
	assert_int_equal(ear_coverage_sums(coverage).left_out, more);
	assert_non_null(ear_coverage_at(coverage, (uint64_t)(EAR_COVERAGE_PAGES - 1) << 32));
	assert_null(ear_coverage_at(coverage, (uint64_t)EAR_COVERAGE_PAGES << 32));
	ear_coverage_free(coverage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_sum_up_to_the_whole),
		cmocka_unit_test(a_branch_is_counted_both_ways_and_as_hidden),
		cmocka_unit_test(what_did_not_run_is_not_there),
		cmocka_unit_test(code_that_changes_is_seen),
		cmocka_unit_test(a_trace_that_runs_everywhere_needs_no_more_than_its_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
