#ifndef EAR_TEXT_PUT_H
#define EAR_TEXT_PUT_H

#include <earshot/record.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/protocol/bytes.h"

/* Numbers and words, for writers: each function writes at the given address and returns the address
 * after its last character. The caller provides the room; hexadecimal numbers need EAR_PUT_SLACK
 * bytes of room after them, since they are stored 8 characters at a time.
 */
#define EAR_PUT_SLACK 8

/* The nibbles of a value, one in each byte, the lowest nibble in the lowest byte. */
static inline uint64_t ear_put_spread(uint32_t value)
{
	uint64_t bytes = value;

	bytes = (bytes << 16 | bytes) & 0x0000FFFF0000FFFFu;
	bytes = (bytes << 8 | bytes) & 0x00FF00FF00FF00FFu;
	return (bytes << 4 | bytes) & 0x0F0F0F0F0F0F0F0Fu;
}

/* The lowest digits (1 .. 8) of a value. gap: from '9'+1 to the letter for ten. */
static inline char *ear_put_hex8(char *at, uint32_t value, unsigned digits, unsigned gap)
{
	uint64_t bytes = ear_put_spread(value);
	uint64_t letters = (bytes + 0x0606060606060606u) >> 4 & 0x0101010101010101u;

	bytes += 0x3030303030303030u + letters * gap;
	ear_store_le64((uint8_t *)at, __builtin_bswap64(bytes) >> (64 - 8 * digits));
	return at + digits;
}

static inline char *ear_put_hex_of(char *at, uint64_t value, unsigned digits, unsigned gap)
{
	for (; digits > 16; digits--)
		*at++ = '0';
	if (digits > 8) {
		at = ear_put_hex8(at, (uint32_t)(value >> 32), digits - 8, gap);
		digits = 8;
	}
	return ear_put_hex8(at, (uint32_t)value, digits, gap);
}

/* Digits that a value needs, at least 1. */
static inline unsigned ear_put_hex_digits(uint64_t value)
{
	return (67u - (unsigned)__builtin_clzll(value | 1)) / 4;
}

/* The lowest digits (1 or more) of a value, with leading zeros, in lower or upper case. */
static inline char *ear_put_hex(char *at, uint64_t value, unsigned digits)
{
	return ear_put_hex_of(at, value, digits, 'a' - '0' - 10);
}

static inline char *ear_put_hex_upper(char *at, uint64_t value, unsigned digits)
{
	return ear_put_hex_of(at, value, digits, 'A' - '0' - 10);
}

static inline char *ear_put_decimal(char *at, uint64_t value)
{
	char digits[20];
	unsigned count = 0;

	do
		digits[count++] = (char)('0' + value % 10);
	while (value /= 10);
	while (count > 0)
		*at++ = digits[--count];
	return at;
}

static inline char *ear_put_bytes(char *at, const char *text, size_t size)
{
	memcpy(at, text, size);
	return at + size;
}

static inline char *ear_put_word(char *at, const char *word)
{
	return ear_put_bytes(at, word, strlen(word));
}

static inline char *ear_put_text(char *at, struct ear_text text)
{
	return ear_put_bytes(at, text.text, text.size);
}

#endif
