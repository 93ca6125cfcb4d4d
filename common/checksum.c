/* Four lanes of multiply and rotate, each of which takes every fourth word: so a processor works on
 * four multiplications at a time. Every step can be undone, so two texts that differ in one word of
 * a lane have different lanes; the end mixes the lanes and the size.
 */
#include "common/checksum.h"

#include <string.h>

#define ODD_A 0x9FB21C651E98DF25u
#define ODD_B 0xD6E8FEB86659FD93u

static uint64_t load(const uint8_t *at)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

static uint64_t step(uint64_t lane, uint64_t word)
{
	lane = (lane ^ word) * ODD_A;
	return lane << 29 | lane >> 35;
}

static void take_block(uint64_t *lanes, const uint8_t *block)
{
	for (unsigned i = 0; i < 4; i++)
		lanes[i] = step(lanes[i], load(block + (size_t)8 * i));
}

void ear_checksum_begin(struct ear_checksum *checksum)
{
	*checksum = (struct ear_checksum){.lanes = {1, 2, 3, 4}};
}

void ear_checksum_add(struct ear_checksum *checksum, const void *bytes, size_t size)
{
	size_t kept = checksum->size % EAR_CHECKSUM_BLOCK;
	const uint8_t *at = bytes;

	checksum->size += size;
	if (kept > 0) {
		size_t part = size < EAR_CHECKSUM_BLOCK - kept ? size : EAR_CHECKSUM_BLOCK - kept;
		memcpy(checksum->rest + kept, at, part);
		if (kept + part < EAR_CHECKSUM_BLOCK)
			return;
		take_block(checksum->lanes, checksum->rest);
		at += part;
		size -= part;
	}
	for (; size >= EAR_CHECKSUM_BLOCK; at += EAR_CHECKSUM_BLOCK, size -= EAR_CHECKSUM_BLOCK)
		take_block(checksum->lanes, at);
	if (size > 0)
		memcpy(checksum->rest, at, size);
}

uint64_t ear_checksum_value(const struct ear_checksum *checksum)
{
	uint64_t lanes[4], value = checksum->size;
	uint8_t rest[EAR_CHECKSUM_BLOCK] = {0};

	memcpy(lanes, checksum->lanes, sizeof(lanes));
	memcpy(rest, checksum->rest, checksum->size % EAR_CHECKSUM_BLOCK);
	take_block(lanes, rest);
	for (unsigned i = 0; i < 4; i++) {
		value = step(value, lanes[i]);
		value ^= value >> 32;
	}
	return value * ODD_B ^ (value * ODD_B) >> 29;
}
