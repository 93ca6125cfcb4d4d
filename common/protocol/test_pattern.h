#ifndef EAR_TEST_PATTERN_H
#define EAR_TEST_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "common/protocol/ear_protocol.h"

/* The words of TEST messages. They are pseudo-random and follow from the number of the message
 * alone, so a receiver knows them again from the first good message after any damage.
 * docs/protocol.md, section 4.9; hdl/rtl/wire/ear_test_source.v makes the same words.
 */

/* The generator's state before the first word of message number. */
static inline uint32_t ear_test_pattern_begin(uint32_t number)
{
	return number ^ EAR_TEST_SEED_VALUE;
}

/* The next word, which is the generator's new state: Marsaglia's xorshift with 13, 17, 5. */
static inline uint32_t ear_test_pattern_next(uint32_t state)
{
	state ^= state << 13;
	state ^= state >> 17;
	return state ^ state << 5;
}

/* Write the first word_count words of message number to bytes, little-endian. */
void ear_test_pattern_fill(uint8_t *bytes, uint32_t number, size_t word_count);

/* The number of bits in which bytes differ from the first word_count words of message number. */
unsigned ear_test_pattern_compare(const uint8_t *bytes, uint32_t number, size_t word_count);

#endif
