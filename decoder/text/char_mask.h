#ifndef EAR_CHAR_MASK_H
#define EAR_CHAR_MASK_H

#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Many characters at once, as bits: bit i stands for text[i]. All characters that have a bit are
 * read, so a text needs EAR_TEXT_SLACK readable bytes after its end.
 */

/* A bit for each of the 32 characters from text on that is c. */
static inline uint32_t ear_char_mask_32(const char *text, char c)
{
#ifdef __SSE2__
	const __m128i wanted = _mm_set1_epi8(c);
	const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)text);
	const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(text + 16));
	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(low, wanted)) |
	       (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(high, wanted)) << 16;
#else
	uint32_t mask = 0;
	for (unsigned i = 0; i < 32; i++)
		mask |= (uint32_t)(text[i] == c) << i;
	return mask;
#endif
}

/* A bit for each of the 32 characters from text on that may not be in a string of JSON as it is: a
 * quote, a backslash, a control character. */
static inline uint32_t ear_string_mask_32(const char *text)
{
	uint32_t mask = 0;

#ifdef __SSE2__
	for (unsigned i = 0; i < 32; i += 16) {
		const __m128i chars = _mm_loadu_si128((const __m128i *)(const void *)(text + i));
		const __m128i quote = _mm_cmpeq_epi8(chars, _mm_set1_epi8('"'));
		const __m128i slash = _mm_cmpeq_epi8(chars, _mm_set1_epi8('\\'));
		const __m128i low =
			_mm_cmpeq_epi8(_mm_min_epu8(chars, _mm_set1_epi8(' ' - 1)), chars);
		mask |= (uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), low))
			<< i;
	}
#else
	for (unsigned i = 0; i < 32; i++)
		mask |= (uint32_t)(text[i] == '"' || text[i] == '\\' ||
				   (unsigned char)text[i] < ' ')
			<< i;
#endif
	return mask;
}

/* A bit for each of the 32 characters from a and from b on that differ. */
static inline uint32_t ear_unequal_mask(const char *a, const char *b)
{
#ifdef __SSE2__
	const __m128i low = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)a),
		_mm_loadu_si128((const __m128i *)(const void *)b));
	const __m128i high =
		_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)(a + 16)),
			_mm_loadu_si128((const __m128i *)(const void *)(b + 16)));
	return ~((uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16);
#else
	uint32_t unequal = 0;
	for (unsigned i = 0; i < 32; i++)
		unequal |= (uint32_t)(a[i] != b[i]) << i;
	return unequal;
#endif
}

/* A bit for each of the 64 characters from text on that is c; all of them are read. */
static inline uint64_t ear_char_mask(const char *text, char c)
{
	uint64_t mask = 0;

#ifdef __SSE2__
	for (unsigned i = 0; i < 64; i += 16) {
		__m128i chars = _mm_loadu_si128((const __m128i *)(const void *)(text + i));
		mask |= (uint64_t)(unsigned)_mm_movemask_epi8(
				_mm_cmpeq_epi8(chars, _mm_set1_epi8(c)))
			<< i;
	}
#else
	for (unsigned i = 0; i < 64; i++)
		mask |= (uint64_t)(text[i] == c) << i;
#endif
	return mask;
}

/* A bit for each of the 64 characters from text on that is a comma, or a line end. */
struct ear_char_marks {
	uint64_t commas, ends;
};

static inline struct ear_char_marks ear_find_marks(const char *text)
{
	return (struct ear_char_marks){ear_char_mask(text, ','), ear_char_mask(text, '\n')};
}

/* Position of the lowest mark, which is taken away; 64 if there is none. */
static inline unsigned ear_next_mark(uint64_t *marks)
{
	unsigned position = *marks ? (unsigned)__builtin_ctzll(*marks) : 64;

	*marks &= *marks - 1;
	return position;
}

/* The line end at or after text, which there is. */
static inline const char *ear_find_line_end(const char *text)
{
	for (;; text += 64) {
		uint64_t ends = ear_char_mask(text, '\n');
		if (ends)
			return text + __builtin_ctzll(ends);
	}
}

#endif
