/* Runs of lines that two texts share: counted by hart, put together, and never half changed. */
#include "check.h"

#include <string.h>

#include "decoder/formats/base/line_compare.h"

static void records_are_counted_by_hart_in_the_order_of_their_first(void **state)
{
	(void)state;
	struct ear_line_run run = {.hart_count = 0};
	static const unsigned harts[] = {7, 0, 7, 65535, 0, 7};

	for (size_t i = 0; i < COUNT_OF(harts); i++)
		assert_int_equal(ear_line_run_count(&run, harts[i], 1, 0), true);
	assert_int_equal(run.hart_count, 3);
	assert_int_equal(run.harts[0].hart, 7);
	assert_int_equal(run.harts[0].count, 3);
	assert_int_equal(run.harts[1].hart, 0);
	assert_int_equal(run.harts[1].count, 2);
	assert_int_equal(run.harts[2].hart, 65535);
	assert_int_equal(run.harts[2].count, 1);
}

static void one_hart_too_many_changes_nothing(void **state)
{
	(void)state;
	struct ear_line_run run = {.hart_count = 0}, before;

	for (unsigned hart = 0; hart < EAR_EQUAL_HARTS_MAX; hart++)
		assert_int_equal(ear_line_run_count(&run, hart, 5, 0), true);
	before = run;
	assert_int_equal(ear_line_run_count(&run, EAR_EQUAL_HARTS_MAX, 1, 0), false);
	assert_memory_equal(&run, &before, sizeof(run));
	/* Those that are there can still be counted. */
	assert_int_equal(ear_line_run_count(&run, 0, 1, 0), true);
	assert_int_equal(run.harts[0].count, 6);
}

static void a_run_is_appended_as_a_whole_or_not_at_all(void **state)
{
	(void)state;
	struct ear_line_run sum = {.line_count = 10, .size = 500},
			    next = {.line_count = 3, .size = 90};
	struct ear_line_run before;

	ear_line_run_count(&sum, 1, 10, 0);
	ear_line_run_count(&next, 2, 1, 0);
	ear_line_run_count(&next, 1, 2, 0);
	assert_int_equal(ear_line_run_append(&sum, &next), true);
	assert_int_equal(sum.line_count, 13);
	assert_int_equal(sum.size, 590);
	assert_int_equal(sum.hart_count, 2);
	assert_int_equal(sum.harts[0].count, 12);
	assert_int_equal(sum.harts[1].count, 1);

	for (unsigned hart = 100; sum.hart_count < EAR_EQUAL_HARTS_MAX; hart++)
		ear_line_run_count(&sum, hart, 1, 0);
	before = sum;
	/* The first hart of this one is known, the second is one too many. */
	next = (struct ear_line_run){.line_count = 2, .size = 20};
	ear_line_run_count(&next, 1, 1, 0);
	ear_line_run_count(&next, 99, 1, 0);
	assert_int_equal(ear_line_run_append(&sum, &next), false);
	assert_memory_equal(&sum, &before, sizeof(sum));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_counted_by_hart_in_the_order_of_their_first),
		cmocka_unit_test(one_hart_too_many_changes_nothing),
		cmocka_unit_test(a_run_is_appended_as_a_whole_or_not_at_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
