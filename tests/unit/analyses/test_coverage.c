/* Counts by address: what a trace does not show. What is made of them is held against other counts
 * by tests/e2e/test_coverage.py, parts by test_analysis.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyses/coverage/coverage.h"

#define BRANCH 0x00000463u /* beqz x0, +8 */
#define NOP    0x00000013u

static struct ear_coverage *begin(void)
{
	const struct ear_analysis_setup setup = {.options = NULL};
	void *coverage;

	assert_int_equal(ear_coverage_analysis.create(&coverage, &setup), 0);
	return coverage;
}

static void count_record(struct ear_coverage *coverage, const struct ear_record *record)
{
	const struct ear_batch batch = {.size = sizeof(batch), .count = 1, .record = record};

	assert_int_equal(ear_coverage_analysis.batch(coverage, &batch), 0);
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
	ear_coverage_analysis.free(coverage);
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
	ear_coverage_analysis.free(coverage);
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
	ear_coverage_analysis.free(coverage);
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
	ear_coverage_analysis.free(coverage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_branch_is_counted_both_ways_and_as_hidden),
		cmocka_unit_test(what_did_not_run_is_not_there),
		cmocka_unit_test(code_that_changes_is_seen),
		cmocka_unit_test(a_trace_that_runs_everywhere_needs_no_more_than_its_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
