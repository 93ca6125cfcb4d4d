/* Compression in the manner of LZ77: matches found through a hash table, and back again. */
#include "support.h"

#define SIZE      8192
#define HASH_SIZE 1024
#define MATCH_MIN 4

static uint8_t text[SIZE], packed[SIZE + SIZE / 8 + 16], restored[SIZE];
static uint16_t last[HASH_SIZE];

/* Words that come again, as text does. */
static void make_text(uint32_t *state)
{
	static const char *const words[] = {"trace", "record", "the", "of", "core", "register",
		"writes", "and", "address", "loads", "stores", "interrupt", "a", "branch"};
	unsigned at = 0;

	while (at < SIZE) {
		const char *word = words[random_next(state) % 14];

		while (*word && at < SIZE)
			text[at++] = (uint8_t)*word++;
		if (at < SIZE)
			text[at++] = random_next(state) % 9 ? ' ' : (uint8_t)random_next(state);
	}
}

static unsigned hash(const uint8_t *at)
{
	uint32_t value =
		at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;

	return value * 2654435761u >> 22;
}

/* Groups of eight items after a byte of flags: a literal, or two bytes of distance and one of
 * length. */
static unsigned pack(void)
{
	unsigned at = 0, out = 0, flags = 0, bit = 8, i;

	for (i = 0; i < HASH_SIZE; i++)
		last[i] = 0xffff;
	while (at < SIZE) {
		unsigned length = 0, from = 0xffff;

		if (bit == 8) {
			flags = out;
			packed[out++] = 0;
			bit = 0;
		}
		if (at + MATCH_MIN <= SIZE) {
			unsigned slot = hash(text + at);

			from = last[slot];
			last[slot] = (uint16_t)at;
		}
		if (from != 0xffff)
			while (length < 255 && at + length < SIZE &&
				text[from + length] == text[at + length])
				length++;
		if (length >= MATCH_MIN) {
			packed[flags] |= (uint8_t)(1u << bit);
			packed[out++] = (uint8_t)(at - from);
			packed[out++] = (uint8_t)((at - from) >> 8);
			packed[out++] = (uint8_t)length;
			at += length;
		} else {
			packed[out++] = text[at++];
		}
		bit++;
	}
	return out;
}

static unsigned unpack(unsigned size)
{
	unsigned at = 0, out = 0, flags = 0, bit = 8;

	while (at < size) {
		if (bit == 8) {
			flags = packed[at++];
			bit = 0;
			continue;
		}
		if (flags >> bit++ & 1) {
			unsigned distance = packed[at] | (unsigned)packed[at + 1] << 8;
			unsigned length = packed[at + 2];

			at += 3;
			while (length-- > 0) {
				restored[out] = restored[out - distance];
				out++;
			}
		} else {
			restored[out++] = packed[at++];
		}
	}
	return out;
}

int main(void)
{
	uint32_t state = 99;
	unsigned round, i, size;

	for (round = 0; round < REPEAT; round++) {
		make_text(&state);
		size = pack();
		CHECK(size < SIZE * 3 / 4);
		CHECK(unpack(size) == SIZE);
		for (i = 0; i < SIZE; i++)
			CHECK(restored[i] == text[i]);
	}
	return 0;
}
