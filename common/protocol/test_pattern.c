/* Makes and checks the words of TEST messages. The count of changed bits is a popcount of the
 * difference, taken only where there is one: a link test runs at the full speed of the link.
 */
#include "common/protocol/test_pattern.h"

#include "common/protocol/bytes.h"

void ear_test_pattern_fill(uint8_t *bytes, uint32_t number, size_t word_count)
{
	uint32_t state = ear_test_pattern_begin(number);

	for (size_t i = 0; i < word_count; i++) {
		state = ear_test_pattern_next(state);
		ear_store_le32(bytes + 4 * i, state);
	}
}

unsigned ear_test_pattern_compare(const uint8_t *bytes, uint32_t number, size_t word_count)
{
	uint32_t state = ear_test_pattern_begin(number);
	unsigned changed = 0;

	for (size_t i = 0; i < word_count; i++) {
		state = ear_test_pattern_next(state);
		uint32_t difference = state ^ ear_load_le32(bytes + 4 * i);
		if (difference)
			changed += (unsigned)__builtin_popcount(difference);
	}
	return changed;
}
