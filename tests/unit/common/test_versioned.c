/* Structs that begin with their size: of this library, and of programs with older and newer
 * headers.
 */
#include "check.h"

#include <earshot/error.h>
#include <string.h>

#include "common/versioned.h"

struct ours {
	size_t size;
	int first, second;
};

struct older {
	size_t size;
	int first;
};

struct newer {
	size_t size;
	int first, second, third, fourth;
};

static void members_that_an_older_program_does_not_know_are_0(void **state)
{
	const struct older theirs = {sizeof(struct ours) - sizeof(int), 7};
	struct ours own;

	(void)state;
	memset(&own, 0xff, sizeof(own));
	assert_int_equal(ear_versioned_read(&own, sizeof(own), &theirs), 0);
	assert_int_equal(own.first, 7);
	assert_int_equal(own.second, 0);
}

static void what_is_read_has_our_size(void **state)
{
	const struct newer theirs = {sizeof(theirs), 1, 2, 0, 0};
	struct ours own;

	(void)state;
	assert_int_equal(ear_versioned_read(&own, sizeof(own), &theirs), 0);
	assert_int_equal(own.size, sizeof(own));
	assert_int_equal(own.second, 2);
}

static void a_member_that_we_do_not_know_is_refused(void **state)
{
	const struct newer theirs = {sizeof(theirs), 1, 2, 0, 4};
	struct ours own;

	(void)state;
	assert_int_equal(ear_versioned_read(&own, sizeof(own), &theirs), EAR_E_BAD_ARGUMENT);
	assert_int_equal(own.first, 0);
}

static void no_more_is_written_than_there_is_room(void **state)
{
	const struct ours own = {sizeof(own), 1, 2};
	struct ours theirs = {sizeof(struct ours) - sizeof(int), 8, 9};

	(void)state;
	assert_int_equal(ear_versioned_write(&theirs, &own, sizeof(own)), 0);
	assert_int_equal(theirs.size, sizeof(struct ours) - sizeof(int));
	assert_int_equal(theirs.first, 1);
	assert_int_equal(theirs.second, 9);
}

static void what_only_a_newer_program_knows_is_0(void **state)
{
	const struct ours own = {sizeof(own), 1, 2};
	struct newer theirs = {sizeof(theirs), 8, 8, 8, 8};

	(void)state;
	assert_int_equal(ear_versioned_write(&theirs, &own, sizeof(own)), 0);
	assert_int_equal(theirs.second, 2);
	assert_int_equal(theirs.third, 0);
	assert_int_equal(theirs.fourth, 0);
}

static void a_size_of_0_is_refused(void **state)
{
	const struct ours none = {0};
	struct ours own, theirs = {0, 8, 9};

	(void)state;
	assert_int_equal(ear_versioned_read(&own, sizeof(own), &none), EAR_E_BAD_ARGUMENT);
	assert_int_equal(ear_versioned_write(&theirs, &own, sizeof(own)), EAR_E_BAD_ARGUMENT);
	assert_int_equal(theirs.first, 8);
}

static void elements_have_the_distance_of_the_program(void **state)
{
	const struct ours own = {5, 6, 7};
	struct newer newer[2];
	struct older older[2];

	(void)state;
	memset(newer, 0xff, sizeof(newer));
	ear_versioned_element(newer, sizeof(newer[0]), 1, &own, sizeof(own));
	assert_int_equal(newer[0].first, -1);
	assert_int_equal(newer[1].second, 7);
	assert_int_equal(newer[1].third, 0);
	memset(older, 0xff, sizeof(older));
	ear_versioned_element(older, sizeof(size_t) + sizeof(int), 0, &own, sizeof(own));
	assert_int_equal(older[0].first, 6);
	assert_int_equal(older[1].first, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_that_an_older_program_does_not_know_are_0),
		cmocka_unit_test(what_is_read_has_our_size),
		cmocka_unit_test(a_member_that_we_do_not_know_is_refused),
		cmocka_unit_test(no_more_is_written_than_there_is_room),
		cmocka_unit_test(what_only_a_newer_program_knows_is_0),
		cmocka_unit_test(a_size_of_0_is_refused),
		cmocka_unit_test(elements_have_the_distance_of_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
