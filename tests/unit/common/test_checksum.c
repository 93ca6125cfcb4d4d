/* The running checksum: however bytes are divided it is the same, and any change shows. */
#include "check.h"

#include <string.h>

#include "common/checksum.h"
#include "random.h"

#define SIZE 300u

static uint64_t sum(const uint8_t *bytes, size_t size)
{
	struct ear_checksum checksum;

	ear_checksum_begin(&checksum);
	ear_checksum_add(&checksum, bytes, size);
	return ear_checksum_value(&checksum);
}

static void fill(uint8_t *bytes, struct random *random)
{
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (uint8_t)random_next(random);
}

static void parts_make_the_same_as_the_whole(void **state)
{
	struct random random = {3};
	uint8_t bytes[SIZE];

	(void)state;
	for (unsigned round = 0; round < 500; round++) {
		struct ear_checksum checksum;
		size_t size = random_below(&random, SIZE + 1), done = 0;
		fill(bytes, &random);
		ear_checksum_begin(&checksum);
		while (done < size) {
			size_t part = 1 + random_below(&random, size - done);
			ear_checksum_add(&checksum, bytes + done, part);
			done += part;
			if (ear_checksum_value(&checksum) != sum(bytes, done))
				fail_msg("round %u, %zu bytes of %zu", round, done, size);
		}
	}
}

static void every_bit_and_the_size_count(void **state)
{
	struct random random = {5};
	uint8_t bytes[SIZE] = {0};

	(void)state;
	for (unsigned round = 0; round < 2; round++) {
		for (size_t size = 1; size <= SIZE; size += 37) {
			uint64_t before = sum(bytes, size);
			assert_different(sum(bytes, size - 1), before);
			for (size_t bit = 0; bit < 8 * size; bit++) {
				bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
				if (sum(bytes, size) == before)
					fail_msg("bit %zu of %zu bytes", bit, size);
				bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
			}
		}
		fill(bytes, &random);
	}
}

/* It is kept in files: the same with every compiler and byte order. */
static void the_value_of_known_bytes_stays(void **state)
{
	(void)state;
	assert_same(sum((const uint8_t *)"", 0), 0x5c1ff511f26f7123u);
	assert_same(sum((const uint8_t *)"any moment of a run, at any byte of it", 38),
		0x1bf6ea528d6296c4u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_make_the_same_as_the_whole),
		cmocka_unit_test(every_bit_and_the_size_count),
		cmocka_unit_test(the_value_of_known_bytes_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
