/* Breakpoints and watchpoints. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "cli/gdb/points.h"
#include "random.h"

static void breakpoints_are_found_by_their_address(void **state)
{
	struct ear_gdb_points points = {0};
	struct random random = {.state = 6};
	bool set[512] = {false};
	char text[32];

	(void)state;
	for (unsigned round = 0; round < 5000; round++) {
		uint64_t at = random_below(&random, COUNT_OF(set));
		bool insert = random_below(&random, 2);
		snprintf(text, sizeof(text), "%u,%llx,2", (unsigned)random_below(&random, 2),
			(unsigned long long)(0x80000000 + 2 * at));
		assert_int_equal(insert ? ear_gdb_points_insert(&points, text)
					: ear_gdb_points_remove(&points, text),
			0);
		set[at] = insert;
		at = random_below(&random, COUNT_OF(set));
		const struct ear_gdb_point *point =
			ear_gdb_points_break(&points, 0x80000000 + 2 * at);
		assert_int_equal(point != NULL, set[at]);
		if (point)
			assert_same(point->address, 0x80000000 + 2 * at);
	}
	ear_gdb_points_fini(&points);
}

static void watchpoints_are_found_by_what_they_touch(void **state)
{
	struct ear_gdb_points points = {0};

	(void)state;
	assert_int_equal(ear_gdb_points_insert(&points, "2,1000,4"), 0);
	assert_int_equal(points.watched, EAR_QUERY_WRITE);
	assert_int_equal(ear_gdb_points_insert(&points, "3,2000,1"), 0);
	assert_int_equal(ear_gdb_points_insert(&points, "4,ffffffffffffffff,1"), 0);
	assert_int_equal(points.watched, EAR_QUERY_WRITE | EAR_QUERY_READ);
	assert_non_null(ear_gdb_points_watch(&points, 0x1000, 1, true));
	assert_non_null(ear_gdb_points_watch(&points, 0x1003, 8, true));
	assert_non_null(ear_gdb_points_watch(&points, 0xffd, 4, true));
	assert_null(ear_gdb_points_watch(&points, 0xffc, 4, true));
	assert_null(ear_gdb_points_watch(&points, 0x1004, 4, true));
	assert_null(ear_gdb_points_watch(&points, 0x1000, 4, false));
	assert_non_null(ear_gdb_points_watch(&points, 0x2000, 4, false));
	assert_null(ear_gdb_points_watch(&points, 0x2000, 4, true));
	assert_non_null(ear_gdb_points_watch(&points, UINT64_MAX, 1, true));
	assert_non_null(ear_gdb_points_watch(&points, UINT64_MAX - 3, 8, false));
	assert_int_equal(ear_gdb_points_remove(&points, "2,1000,4"), 0);
	assert_null(ear_gdb_points_watch(&points, 0x1000, 4, true));
	/* One that is not there: no error. */
	assert_int_equal(ear_gdb_points_remove(&points, "2,1000,4"), 0);
	ear_gdb_points_fini(&points);
}

static void conditions_come_with_the_breakpoint(void **state)
{
	struct ear_gdb_points points = {0};

	(void)state;
	assert_int_equal(ear_gdb_points_insert(&points, "0,100,2;X3,26000a;X1,27"), 0);
	const struct ear_gdb_point *point = ear_gdb_points_break(&points, 0x100);
	assert_non_null(point);
	assert_int_equal(point->condition_count, 2);
	assert_int_equal(point->conditions[0].size, 3);
	assert_memory_equal(point->conditions[0].code, "\x26\x00\x0a", 3);
	/* Again: what is new counts. */
	assert_int_equal(ear_gdb_points_insert(&points, "0,100,2"), 0);
	point = ear_gdb_points_break(&points, 0x100);
	assert_non_null(point);
	assert_int_equal(point->condition_count, 0);
	assert_int_equal(points.break_count, 1);
	ear_gdb_points_fini(&points);
}

static void what_is_no_point_is_refused(void **state)
{
	static const char *const texts[] = {"", "0", "0,", "0,100", "0,100,", "5,100,4", "2,100,0",
		"2,ffffffffffffffff,2", "0,100,2X", "0,100,2;X", "0,100,2;X3,2600", "0,100,2;X0,",
		"0,100,2;Xffffffffffffffff,26", "0,100,2;X1,zz", "g,100,2",
		"0,10000000000000000,2"};
	struct ear_gdb_points points = {0};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		if (ear_gdb_points_insert(&points, texts[i]) != -1)
			fail_msg("'%s' is taken", texts[i]);
		assert_int_equal(ear_gdb_points_remove(&points, texts[i]), -1);
	}
	ear_gdb_points_fini(&points);
}

static void there_are_not_too_many(void **state)
{
	struct ear_gdb_points points = {0};
	char text[32];

	(void)state;
	for (unsigned i = 0; i <= EAR_GDB_POINTS_MAX; i++) {
		snprintf(text, sizeof(text), "0,%x,2", 2 * i);
		assert_int_equal(
			ear_gdb_points_insert(&points, text), i < EAR_GDB_POINTS_MAX ? 0 : -2);
	}
	ear_gdb_points_fini(&points);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(breakpoints_are_found_by_their_address),
		cmocka_unit_test(watchpoints_are_found_by_what_they_touch),
		cmocka_unit_test(conditions_come_with_the_breakpoint),
		cmocka_unit_test(what_is_no_point_is_refused),
		cmocka_unit_test(there_are_not_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
