#ifndef EAR_TARMAC_TEXT_H
#define EAR_TARMAC_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/text/hex_scan.h"
#include "formats/text/text_cursor.h"
#include "protocol/bytes.h"

/* Small pieces of lines of QEMU4V and Tarmac, for tarmac_head.c and tarmac_line.c. */

static inline bool tarmac_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool tarmac_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Up to the next blank. */
static inline struct ear_text tarmac_take_token(struct ear_text_cursor *cursor)
{
	const char *begin = cursor->at;

	while (cursor->at < cursor->end && !tarmac_is_blank(*cursor->at))
		cursor->at++;
	return (struct ear_text){begin, (size_t)(cursor->at - begin)};
}

/* A number of up to 16 digits. Returns how many; 0 also for more than 16. */
static inline unsigned tarmac_take_hex(struct ear_text_cursor *cursor, uint64_t *value)
{
	unsigned digits = ear_hex_scan(cursor->at, value);

	if (digits == 16 && ear_text_digit(cursor->at[16]) >= 0)
		return 0;
	cursor->at += digits;
	return digits;
}

/* The decimal digits at the beginning of 8 characters, which are all read, as a number. Returns how
 * many they are.
 */
static inline unsigned tarmac_scan_decimal(const char *text, uint64_t *value)
{
	uint64_t digits = ear_load_le64((const uint8_t *)text) ^ 0x3030303030303030u;
	/* The lowest byte with its highest bit set is the first that is no digit; of those above it
	 * nothing is known. */
	uint64_t others = (digits | (digits + 0x7676767676767676u)) & 0x8080808080808080u;
	unsigned count = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;

	if (count == 0)
		return 0;
	/* Zeros in front, then pairs of digits, of pairs, of fours. */
	digits <<= 8 * (8 - count);
	digits = digits * 2561 >> 8 & 0x00FF00FF00FF00FFu;
	digits = digits * 6553601 >> 16 & 0x0000FFFF0000FFFFu;
	*value = digits * 42949672960001u >> 32;
	return count;
}

/* A decimal number: as ear_text_decimal, but up to 18 digits need no look at the overflow. */
static inline bool tarmac_take_decimal(struct ear_text_cursor *cursor, uint64_t *value)
{
	const char *at = cursor->at;
	const char *limit = cursor->end - at > 18 ? at + 18 : cursor->end;
	uint64_t sum = 0;

	for (; at < limit && tarmac_is_digit(*at); at++)
		sum = sum * 10 + (unsigned)(*at - '0');
	if (at == cursor->at || (at < cursor->end && tarmac_is_digit(*at)))
		return ear_text_decimal(cursor, value);
	cursor->at = at;
	*value = sum;
	return true;
}

#endif
