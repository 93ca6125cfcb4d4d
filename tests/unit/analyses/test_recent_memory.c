/* What is known of memory is right, whatever was forgotten. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "analyses/calls/recent_memory.h"
#include "random.h"

#define SIZE (1u << 16)

static void what_is_known_is_what_was_stored(void **state)
{
	struct ear_recent_memory *memory = calloc(1, sizeof(*memory));
	uint8_t *truth = calloc(1, SIZE + 128), *known = calloc(1, SIZE + 128);
	const uint64_t base = UINT64_C(0xfffffffffffe0000);
	struct random random = {11};
	uint64_t hits = 0;

	(void)state;
	assert_true(memory && truth && known);
	for (unsigned round = 0; round < 200000; round++) {
		const uint64_t at = random_below(&random, SIZE);
		const unsigned size = (unsigned)random_below(&random, 9);
		const uint64_t value = random_next(&random);
		const bool is_known = !random_once_in(&random, 8);
		uint8_t bytes[EAR_RECENT_LINE];

		/* The second is far away, in the same places of the table. */
		if (random_once_in(&random, 4))
			ear_recent_memory_put(memory, at, size, value, is_known);
		ear_recent_memory_put(memory, base + at, size, value, is_known);
		for (unsigned i = 0; i < (size ? size : EAR_RECENT_LINE); i++) {
			truth[at + i] = (uint8_t)(value >> 8 * (i & 7));
			known[at + i] = is_known && size > 0;
		}
		const uint64_t from = random_below(&random, SIZE);
		const uint64_t bits = ear_recent_memory_get(memory, base + from, bytes);
		for (unsigned i = 0; i < EAR_RECENT_LINE; i++) {
			if (!(bits >> i & 1))
				continue;
			assert_true(known[from + i]);
			assert_int_equal(bytes[i], truth[from + i]);
			hits++;
		}
	}
	assert_true(hits > 100000);
	ear_recent_memory_forget(memory);
	assert_int_equal(ear_recent_memory_get(memory, base, truth), 0);
	free(memory);
	free(truth);
	free(known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_known_is_what_was_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
