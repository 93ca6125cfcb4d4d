/* Arrays that grow, and hashes of keys and bytes. */
#include "check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"

struct item {
	uint64_t value[3];
};

static void items_stay_as_they_were_when_an_array_grows(void **state)
{
	struct item *items = NULL;
	size_t capacity = 0, moves = 0;

	(void)state;
	for (size_t count = 0; count < 10000; count++) {
		size_t before = capacity;
		assert_true(EAR_ARRAY_RESERVE(items, &capacity, count + 1));
		assert_true(capacity > count);
		items[count] = (struct item){{count, ~count, 1}};
		moves += capacity != before;
	}
	for (size_t i = 0; i < 10000; i++)
		assert_int_equal(items[i].value[1], ~i);
	assert_in_range(moves, 5, 15);
	free(items);
}

static void room_for_many_at_once_is_made_in_one_step(void **state)
{
	char *bytes = NULL;
	size_t capacity = 0;

	(void)state;
	assert_true(EAR_ARRAY_RESERVE(bytes, &capacity, 100000));
	assert_true(capacity >= 100000);
	memset(bytes, 1, 100000);
	const char *before = bytes;
	assert_true(EAR_ARRAY_RESERVE(bytes, &capacity, 100000));
	assert_ptr_equal(bytes, before);
	free(bytes);
}

/* Too large for a size_t, or for any memory. */
static void what_has_no_room_changes_nothing(void **state)
{
	static const size_t counts[] = {
		SIZE_MAX, SIZE_MAX / sizeof(struct item) + 1, SIZE_MAX / 2 / sizeof(struct item)};
	struct item *items = NULL, *before;
	size_t capacity = 0, kept;

	(void)state;
	assert_true(EAR_ARRAY_RESERVE(items, &capacity, 3));
	before = items;
	kept = capacity;
	for (size_t i = 0; i < COUNT_OF(counts); i++) {
		assert_false(EAR_ARRAY_RESERVE(items, &capacity, counts[i]));
		assert_ptr_equal(items, before);
		assert_int_equal(capacity, kept);
	}
	free(items);
}

static void keys_in_a_row_are_in_slots_of_their_own(void **state)
{
	unsigned used[2][256] = {{0}};

	(void)state;
	for (unsigned key = 0; key < 256; key++) {
		used[0][ear_hash_slot(key * 4096, 8)]++;
		used[1][ear_hash_index(key * 4096, 256)]++;
		assert_in_range(ear_hash_slot32(key << 7, 5), 0, 31);
	}
	for (unsigned table = 0; table < 2; table++)
		for (unsigned slot = 0; slot < 256; slot++)
			assert_in_range(used[table][slot], 0, 4);
}

/* The published values of FNV-1a: files have such hashes. */
static void bytes_have_the_hash_that_is_published(void **state)
{
	(void)state;
	assert_true(ear_hash_bytes(EAR_HASH_FNV, "", 0) == UINT64_C(0xcbf29ce484222325));
	assert_true(ear_hash_bytes(EAR_HASH_FNV, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(ear_hash_bytes(EAR_HASH_FNV, "foobar", 6) == UINT64_C(0x85944171f73967e8));
	assert_true(ear_hash_bytes(ear_hash_bytes(EAR_HASH_FNV, "foo", 3), "bar", 3) ==
		    UINT64_C(0x85944171f73967e8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_stay_as_they_were_when_an_array_grows),
		cmocka_unit_test(room_for_many_at_once_is_made_in_one_step),
		cmocka_unit_test(what_has_no_room_changes_nothing),
		cmocka_unit_test(keys_in_a_row_are_in_slots_of_their_own),
		cmocka_unit_test(bytes_have_the_hash_that_is_published),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
