#ifndef EAR_WHISPER_MASK_H
#define EAR_WHISPER_MASK_H

#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A bit for each of the 64 characters from text on that is c; all of them are read. */
static inline uint64_t whisper_mask(const char *text, char c)
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

#endif
