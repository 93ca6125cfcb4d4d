#ifndef EAR_QTRACE_VARINT_H
#define EAR_QTRACE_VARINT_H

#include <stddef.h>
#include <stdint.h>

/* The numbers of variable length of a qtrace: docs/android.md, section 2. */

#define EAR_QTRACE_VARINT_MAX 9 /* bytes of a number */

#define EAR_QTRACE_LONG 0xFC /* first byte of the form with 64 bits */

/* Write the low 7 * count bits of value after the prefix of count <= 6 bytes. The rest of 8 bytes
 * is written, too, so that the length needs no loop. Returns the end. */
static inline uint8_t *ear_qtrace_put_bits(uint8_t *at, uint64_t value, unsigned count)
{
	uint64_t prefix = 0xFF00u >> (count - 1) & 0xFFu;
	uint64_t bits = value & (((uint64_t)1 << 7 * count) - 1);
	uint64_t word = prefix << 56 | bits << (64 - 8 * count);

	for (unsigned i = 0; i < 8; i++)
		at[i] = (uint8_t)(word >> (56 - 8 * i));
	return at + count;
}

/* Bytes of 7 bits for a number of so many bits. */
static inline unsigned ear_qtrace_bytes(unsigned bits)
{
	return (bits + 6) / 7;
}

/* Write a number in its shortest form; all of at[0 .. EAR_QTRACE_VARINT_MAX-1] may be written.
 * Returns the end. */
static inline uint8_t *ear_qtrace_put(uint8_t *at, uint64_t value)
{
	if (value < 1u << 7) {
		*at = (uint8_t)value;
		return at + 1;
	}
	unsigned count = ear_qtrace_bytes(64 - (unsigned)__builtin_clzll(value));
	if (count <= 6)
		return ear_qtrace_put_bits(at, value, count);
	*at++ = EAR_QTRACE_LONG;
	for (unsigned i = 0; i < 8; i++)
		*at++ = (uint8_t)(value >> (56 - 8 * i));
	return at;
}

/* The same for a signed number. Of one that needs more than 28 bits, 32 are written. */
static inline uint8_t *ear_qtrace_put_signed(uint8_t *at, int64_t value)
{
	uint64_t magnitude = (uint64_t)(value < 0 ? ~value : value);
	unsigned sign_bit = magnitude ? 64 - (unsigned)__builtin_clzll(magnitude) : 0;
	unsigned count = ear_qtrace_bytes(sign_bit + 1);

	if (count <= 4)
		return ear_qtrace_put_bits(at, (uint64_t)value, count);
	return ear_qtrace_put_bits(at, (uint64_t)value & UINT32_MAX, 5);
}

/* Bytes of the number that begins with first; 0: none does. */
static inline unsigned ear_qtrace_size(uint8_t first)
{
	if (first < 0x80)
		return 1;
	if (first > EAR_QTRACE_LONG)
		return 0;
	return first == EAR_QTRACE_LONG ? 9 : (unsigned)__builtin_clz(~(uint32_t)first << 24) + 1;
}

/* The number at at, of which all size bytes are there (ear_qtrace_size). */
static inline uint64_t ear_qtrace_get(const uint8_t *at, unsigned size)
{
	uint64_t value = size == 9 ? 0 : at[0] & (0x7Fu >> (size - 1));

	for (unsigned i = 1; i < size; i++)
		value = value << 8 | at[i];
	return value;
}

/* The same of a signed number: the highest bit is its sign. */
static inline int64_t ear_qtrace_get_signed(const uint8_t *at, unsigned size)
{
	uint64_t value = ear_qtrace_get(at, size);
	unsigned bits = size == 9 ? 64 : 7 * size;
	uint64_t sign = (uint64_t)1 << (bits - 1);

	return (int64_t)((value ^ sign) - sign);
}

#endif
