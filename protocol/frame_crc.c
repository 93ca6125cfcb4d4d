/* CRC-32 of frames: by the multiplication without carries that x86-64 processors have, else by
 * zlib.
 *
 * A CRC is the rest of a polynomial division, so 16 bytes can be moved D bits ahead by multiplying
 * their halves with x^(D+64) and x^D mod P: what lies there takes them in, and the rest stays the
 * same. Four lanes jump over 64 bytes each, then they are joined, and zlib divides what is left.
 * With the lowest bit first a factor is reversed and one place further left, which leaves D+32 and
 * D-32.
 */
#include "protocol/frame_crc.h"

#include <string.h>
#include <zlib.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_FOLDING
#include <emmintrin.h>
#include <wmmintrin.h>
#endif

#ifdef HAS_FOLDING

#define LANES     4u
#define LANE_SIZE sizeof(__m128i)
#define STRIDE    (LANES * LANE_SIZE)

/* Factors of a move: of the upper half, then of the lower half. */
#define OVER_64_BYTES 0x1C6E41596, 0x154442BD4
#define OVER_16_BYTES 0x0CCAA009E, 0x1751997D0

static inline __m128i load(const uint8_t *bytes)
{
	return _mm_loadu_si128((const __m128i *)(const void *)bytes);
}

__attribute__((target("pclmul"))) static inline __m128i move_onto(
	__m128i lane, __m128i factors, __m128i target)
{
	__m128i low = _mm_clmulepi64_si128(lane, factors, 0x00);
	__m128i high = _mm_clmulepi64_si128(lane, factors, 0x11);

	return _mm_xor_si128(_mm_xor_si128(low, high), target);
}

/* At least one stride. */
__attribute__((target("pclmul"))) static uint32_t fold(const uint8_t *bytes, size_t size)
{
	const __m128i over_64 = _mm_set_epi64x(OVER_64_BYTES),
		      over_16 = _mm_set_epi64x(OVER_16_BYTES);
	__m128i lanes[LANES];
	uint8_t rest[2 * LANE_SIZE];

	for (unsigned i = 0; i < LANES; i++)
		lanes[i] = load(bytes + i * LANE_SIZE);
	lanes[0] = _mm_xor_si128(lanes[0], _mm_cvtsi32_si128(-1)); /* the CRC begins with ones */
	for (bytes += STRIDE, size -= STRIDE; size >= STRIDE; bytes += STRIDE, size -= STRIDE)
		for (unsigned i = 0; i < LANES; i++)
			lanes[i] = move_onto(lanes[i], over_64, load(bytes + i * LANE_SIZE));
	__m128i lane = lanes[0];
	for (unsigned i = 1; i < LANES; i++)
		lane = move_onto(lane, over_16, lanes[i]);
	for (; size >= LANE_SIZE; bytes += LANE_SIZE, size -= LANE_SIZE)
		lane = move_onto(lane, over_16, load(bytes));
	_mm_storeu_si128((__m128i *)(void *)rest, lane);
	memcpy(rest + LANE_SIZE, bytes, size);
	/* zlib begins with the inverse of what it is given: here with zeros. */
	return (uint32_t)crc32(UINT32_MAX, rest, (uInt)(LANE_SIZE + size));
}

#endif

uint32_t ear_frame_crc(const uint8_t *bytes, size_t size)
{
#ifdef HAS_FOLDING
	if (size >= STRIDE && __builtin_cpu_supports("pclmul"))
		return fold(bytes, size);
#endif
	return (uint32_t)crc32(0, bytes, (uInt)size);
}
