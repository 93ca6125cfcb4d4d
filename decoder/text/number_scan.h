#ifndef EAR_NUMBER_SCAN_H
#define EAR_NUMBER_SCAN_H

#include <stdint.h>

#include "common/protocol/bytes.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Numbers in text, many digits at once, for readers that spend most of their time on them. Bytes
 * after the number are read, whatever they hold: a text needs EAR_TEXT_SLACK of them after its end.
 */

#define EAR_HEX_SCAN_SIZE 16 /* bytes that are read, whatever they hold */

/* A number of up to 16 digits, of either case, at text.
 *
 * Returns the count of digits, 0 .. 16, and the number in *value (undefined if there is no
 * digit). More than 16 digits: what follows text[16] is for the caller to look at.
 * text[0 .. EAR_HEX_SCAN_SIZE-1] must be readable.
 */
static inline unsigned ear_hex_scan(const char *text, uint64_t *value);

#ifdef __SSE2__
/* All 16 characters at once: the first other character ends the number, two nibbles become a byte,
 * and the surplus is shifted out.
 */
static inline unsigned ear_hex_scan(const char *text, uint64_t *value)
{
	const __m128i chars = _mm_loadu_si128((const __m128i *)(const void *)text);
	const __m128i digit = _mm_sub_epi8(chars, _mm_set1_epi8('0'));
	const __m128i lower = _mm_or_si128(chars, _mm_set1_epi8(0x20));
	const __m128i letter = _mm_sub_epi8(lower, _mm_set1_epi8('a'));
	const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
	const __m128i is_letter = _mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(5)), letter);
	const unsigned hex = (unsigned)_mm_movemask_epi8(_mm_or_si128(is_digit, is_letter));
	const unsigned count = (unsigned)__builtin_ctz(~hex);
	const __m128i nibbles = _mm_and_si128(_mm_set1_epi8(0xF),
		_mm_or_si128(_mm_and_si128(is_digit, digit),
			_mm_andnot_si128(is_digit, _mm_add_epi8(letter, _mm_set1_epi8(10)))));
	const __m128i pairs =
		_mm_and_si128(_mm_or_si128(_mm_slli_epi16(nibbles, 4), _mm_srli_epi16(nibbles, 8)),
			_mm_set1_epi16(0xFF));
	uint64_t bytes;

	_mm_storel_epi64((__m128i *)(void *)&bytes, _mm_packus_epi16(pairs, pairs));
	*value = __builtin_bswap64(bytes) >> ((64 - 4 * count) & 63);
	return count;
}
#else
static inline unsigned ear_hex_scan(const char *text, uint64_t *value)
{
	unsigned count = 0;

	for (*value = 0; count < EAR_HEX_SCAN_SIZE; count++) {
		unsigned digit = (unsigned)text[count] - '0';
		unsigned letter = ((unsigned)text[count] | 0x20) - 'a';
		if (digit > 9 && letter > 5)
			break;
		*value = *value << 4 | (digit <= 9 ? digit : letter + 10);
	}
	return count;
}
#endif

#define EAR_DECIMAL_SCAN_SIZE 8 /* bytes that are read, whatever they hold */

/* A number of up to 8 decimal digits at text. Returns the count of digits, 0 .. 8, and the number
 * in *value (untouched if there is no digit). text[0 .. EAR_DECIMAL_SCAN_SIZE-1] must be readable.
 */
static inline unsigned ear_decimal_scan(const char *text, uint64_t *value)
{
	uint64_t digits = ear_load_le64((const uint8_t *)text) ^ 0x3030303030303030u;
	/* The lowest byte with its highest bit set is the first that is not a digit; of those above
	 * it nothing is known. */
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

#endif
