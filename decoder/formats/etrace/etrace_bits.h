#ifndef EAR_ETRACE_BITS_H
#define EAR_ETRACE_BITS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/protocol/bytes.h"

/* A packet as a string of bits, the least significant bit of the first byte first. */

#define EAR_ETRACE_PAYLOAD_MAX 64u  /* bytes; the largest real packet has 46 */
#define EAR_ETRACE_BITS_SIZE   144u /* room to read every field of a packet of no bytes */

struct ear_etrace_bits {
	unsigned at;   /* the next bit */
	unsigned size; /* bits that were received */
	uint8_t bytes[EAR_ETRACE_BITS_SIZE];
};

/* Read bytes[0 .. size-1], size <= EAR_ETRACE_PAYLOAD_MAX, from bit first on. After the end the
 * last bit repeats for ever: sign compression has removed such bits. */
static inline void ear_etrace_bits_begin(
	struct ear_etrace_bits *bits, const uint8_t *bytes, unsigned size, unsigned first)
{
	assert(size <= EAR_ETRACE_PAYLOAD_MAX);
	bits->at = first;
	bits->size = 8 * size;
	memset(bits->bytes, size > 0 && bytes[size - 1] & 0x80 ? 0xFF : 0, sizeof(bits->bytes));
	memcpy(bits->bytes, bytes, size);
}

/* The next count bits, 0 .. 64. */
static inline uint64_t ear_etrace_bits_take(struct ear_etrace_bits *bits, unsigned count)
{
	const uint8_t *bytes = bits->bytes + bits->at / 8;
	unsigned shift = bits->at % 8;

	assert(count <= 64 && bits->at / 8 + 9 <= EAR_ETRACE_BITS_SIZE);
	bits->at += count;
	if (count == 0)
		return 0;
	uint64_t value = ear_load_le64(bytes) >> shift;
	if (shift > 0)
		value |= (uint64_t)bytes[8] << (64 - shift);
	return value & UINT64_MAX >> (64 - count);
}

static inline bool ear_etrace_bits_flag(struct ear_etrace_bits *bits)
{
	return ear_etrace_bits_take(bits, 1) != 0;
}

/* The last bit that was taken; at least one was. */
static inline bool ear_etrace_bits_last(const struct ear_etrace_bits *bits)
{
	unsigned last = bits->at - 1;

	return bits->bytes[last / 8] >> last % 8 & 1;
}

/* The lowest bits (0 .. 64) of a value. */
static inline uint64_t ear_etrace_low_bits(uint64_t value, unsigned width)
{
	return width == 0 ? 0 : value & UINT64_MAX >> (64 - width);
}

/* The lowest bits (0 .. 64) of a value, extended by the highest one of them. */
static inline uint64_t ear_etrace_sign_extend(uint64_t value, unsigned width)
{
	if (width == 0 || width >= 64)
		return width == 0 ? 0 : value;
	uint64_t sign = UINT64_C(1) << (width - 1);
	return (ear_etrace_low_bits(value, width) ^ sign) - sign;
}

/* Write count bits, 0 .. 64. bits->bytes is zero after bits->at. */
static inline void ear_etrace_bits_put(struct ear_etrace_bits *bits, uint64_t value, unsigned count)
{
	for (unsigned i = 0; i < count; i++, bits->at++)
		bits->bytes[bits->at / 8] |= (uint8_t)((value >> i & 1) << bits->at % 8);
}

#endif
