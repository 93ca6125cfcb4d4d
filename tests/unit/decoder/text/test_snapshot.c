/* Snapshots of readers and writers: copied, compared, grown, and used again. */
#include "check.h"

#include <string.h>

#include "decoder/text/snapshot.h"

static void empty_snapshots_are_equal(void **state)
{
	(void)state;
	struct ear_snapshot a = {0}, b = {0};

	assert_true(ear_snapshot_equal(&a, &b, true));
	assert_int_equal(ear_snapshot_copy(&a, &b), 0);
	assert_true(ear_snapshot_equal(&a, &b, true));
	ear_snapshot_fini(&a);
	ear_snapshot_fini(&b);
}

static void bytes_decide_and_their_order_counts(void **state)
{
	(void)state;
	struct ear_snapshot a = {0}, b = {0};

	assert_int_equal(ear_snapshot_put(&a, "ab", 2), 0);
	assert_int_equal(ear_snapshot_put(&b, "a", 1), 0);
	assert_false(ear_snapshot_equal(&a, &b, false));
	assert_int_equal(ear_snapshot_put(&b, "b", 1), 0);
	assert_true(ear_snapshot_equal(&a, &b, false));
	ear_snapshot_clear(&b);
	assert_int_equal(ear_snapshot_put(&b, "ba", 2), 0);
	assert_false(ear_snapshot_equal(&a, &b, false));
	ear_snapshot_fini(&a);
	ear_snapshot_fini(&b);
}

static void indexes_count_only_where_they_are_asked_for(void **state)
{
	(void)state;
	struct ear_snapshot a = {0}, b = {0};

	assert_int_equal(ear_snapshot_set_harts(&a, 2), 0);
	assert_int_equal(ear_snapshot_set_harts(&b, 2), 0);
	b.indexes[1] = 5;
	assert_true(ear_snapshot_equal(&a, &b, false));
	assert_false(ear_snapshot_equal(&a, &b, true));
	a.indexes[1] = 5;
	assert_true(ear_snapshot_equal(&a, &b, true));
	ear_snapshot_fini(&a);
	ear_snapshot_fini(&b);
}

static void a_hart_that_is_not_there_has_index_0(void **state)
{
	(void)state;
	struct ear_snapshot few = {0}, many = {0};

	assert_int_equal(ear_snapshot_set_harts(&few, 1), 0);
	assert_int_equal(ear_snapshot_set_harts(&many, 4), 0);
	few.indexes[0] = many.indexes[0] = 9;
	assert_int_equal(ear_snapshot_index(&few, 3), 0);
	assert_true(ear_snapshot_equal(&few, &many, true));
	many.indexes[3] = 1;
	assert_false(ear_snapshot_equal(&few, &many, true));
	assert_false(ear_snapshot_equal(&many, &few, true));
	ear_snapshot_fini(&few);
	ear_snapshot_fini(&many);
}

static void a_copy_has_nothing_of_what_was_there_before(void **state)
{
	(void)state;
	struct ear_snapshot from = {0}, to = {0};
	char large[1000];

	memset(large, 'x', sizeof(large));
	assert_int_equal(ear_snapshot_put(&to, large, sizeof(large)), 0);
	assert_int_equal(ear_snapshot_set_harts(&to, 100), 0);
	to.indexes[99] = 1;
	assert_int_equal(ear_snapshot_put(&from, "y", 1), 0);
	assert_int_equal(ear_snapshot_set_harts(&from, 1), 0);
	from.indexes[0] = 7;
	assert_int_equal(ear_snapshot_copy(&to, &from), 0);
	assert_true(ear_snapshot_equal(&to, &from, true));
	assert_int_equal(to.size, 1);
	assert_int_equal(to.hart_count, 1);
	/* The two are apart. */
	from.bytes[0] = 'z';
	from.indexes[0] = 8;
	assert_int_equal(to.bytes[0], 'y');
	assert_int_equal(to.indexes[0], 7);
	ear_snapshot_fini(&from);
	ear_snapshot_fini(&to);
}

static void harts_begin_at_0_when_they_are_set_again(void **state)
{
	(void)state;
	struct ear_snapshot snapshot = {0};

	assert_int_equal(ear_snapshot_set_harts(&snapshot, 3), 0);
	snapshot.indexes[2] = 4;
	ear_snapshot_clear(&snapshot);
	assert_int_equal(ear_snapshot_index(&snapshot, 2), 0);
	assert_int_equal(ear_snapshot_set_harts(&snapshot, 3), 0);
	assert_int_equal(ear_snapshot_index(&snapshot, 2), 0);
	ear_snapshot_fini(&snapshot);
}

static void many_small_parts_make_one_large_one(void **state)
{
	(void)state;
	struct ear_snapshot snapshot = {0};

	for (unsigned i = 0; i < 10000; i++) {
		uint8_t byte = (uint8_t)(i * 7);
		assert_int_equal(ear_snapshot_put(&snapshot, &byte, 1), 0);
	}
	assert_int_equal(snapshot.size, 10000);
	for (unsigned i = 0; i < 10000; i++)
		assert_int_equal(snapshot.bytes[i], (uint8_t)(i * 7));
	ear_snapshot_fini(&snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_snapshots_are_equal),
		cmocka_unit_test(bytes_decide_and_their_order_counts),
		cmocka_unit_test(indexes_count_only_where_they_are_asked_for),
		cmocka_unit_test(a_hart_that_is_not_there_has_index_0),
		cmocka_unit_test(a_copy_has_nothing_of_what_was_there_before),
		cmocka_unit_test(harts_begin_at_0_when_they_are_set_again),
		cmocka_unit_test(many_small_parts_make_one_large_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
