/* AES-128 with byte tables (FIPS 197): blocks forth and back, and in counter mode. */
#include "support.h"

#define ROUNDS 10
#define BLOCKS 32

static uint8_t box[256], inverse[256];
static uint8_t schedule[16 * (ROUNDS + 1)];
static uint8_t text[16 * BLOCKS], cipher[16 * BLOCKS];

static uint8_t twice(uint8_t x)
{
	return (uint8_t)(x << 1 ^ (x & 0x80 ? 0x1b : 0));
}

static uint8_t times(uint8_t x, uint8_t y)
{
	uint8_t sum = 0;

	for (; y; y >>= 1, x = twice(x))
		if (y & 1)
			sum ^= x;
	return sum;
}

/* The S-box from its definition: inverse in the field, then an affine map. 3 generates the field.
 */
static void make_boxes(void)
{
	uint8_t p = 1, q = 1;

	do {
		uint8_t x;

		p = (uint8_t)(p ^ twice(p));
		q = (uint8_t)(q ^ q << 1);
		q = (uint8_t)(q ^ q << 2);
		q = (uint8_t)(q ^ q << 4);
		if (q & 0x80)
			q ^= 0x09;
		x = (uint8_t)(q ^ (q << 1 | q >> 7) ^ (q << 2 | q >> 6) ^ (q << 3 | q >> 5) ^
			      (q << 4 | q >> 4) ^ 0x63);
		box[p] = x;
		inverse[x] = p;
	} while (p != 1);
	box[0] = 0x63;
	inverse[0x63] = 0;
}

static void expand(const uint8_t *key)
{
	uint8_t constant = 1;
	int i;

	for (i = 0; i < 16; i++)
		schedule[i] = key[i];
	for (i = 16; i < 16 * (ROUNDS + 1); i += 4) {
		uint8_t w[4] = {schedule[i - 4], schedule[i - 3], schedule[i - 2], schedule[i - 1]};
		int k;

		if (i % 16 == 0) {
			uint8_t first = w[0];

			w[0] = (uint8_t)(box[w[1]] ^ constant);
			w[1] = box[w[2]];
			w[2] = box[w[3]];
			w[3] = box[first];
			constant = twice(constant);
		}
		for (k = 0; k < 4; k++)
			schedule[i + k] = schedule[i + k - 16] ^ w[k];
	}
}

static void add_key(uint8_t *s, int round)
{
	int i;

	for (i = 0; i < 16; i++)
		s[i] ^= schedule[16 * round + i];
}

static void mix(uint8_t *s)
{
	int c;

	for (c = 0; c < 16; c += 4) {
		uint8_t all = s[c] ^ s[c + 1] ^ s[c + 2] ^ s[c + 3], first = s[c];

		s[c] ^= all ^ twice(s[c] ^ s[c + 1]);
		s[c + 1] ^= all ^ twice(s[c + 1] ^ s[c + 2]);
		s[c + 2] ^= all ^ twice(s[c + 2] ^ s[c + 3]);
		s[c + 3] ^= all ^ twice(s[c + 3] ^ first);
	}
}

static void unmix(uint8_t *s)
{
	int c;

	for (c = 0; c < 16; c += 4) {
		uint8_t a = s[c], b = s[c + 1], d = s[c + 2], e = s[c + 3];

		s[c] = times(a, 14) ^ times(b, 11) ^ times(d, 13) ^ times(e, 9);
		s[c + 1] = times(a, 9) ^ times(b, 14) ^ times(d, 11) ^ times(e, 13);
		s[c + 2] = times(a, 13) ^ times(b, 9) ^ times(d, 14) ^ times(e, 11);
		s[c + 3] = times(a, 11) ^ times(b, 13) ^ times(d, 9) ^ times(e, 14);
	}
}

/* Substitute and move row r by r columns; by: 1 forth, 3 back. */
static void substitute(uint8_t *s, const uint8_t *table, int by)
{
	uint8_t t[16];
	int r, c;

	for (c = 0; c < 4; c++)
		for (r = 0; r < 4; r++)
			t[4 * c + r] = table[s[4 * ((c + by * r) & 3) + r]];
	for (c = 0; c < 16; c++)
		s[c] = t[c];
}

static void encrypt(uint8_t *s)
{
	int round;

	add_key(s, 0);
	for (round = 1; round <= ROUNDS; round++) {
		substitute(s, box, 1);
		if (round < ROUNDS)
			mix(s);
		add_key(s, round);
	}
}

static void decrypt(uint8_t *s)
{
	int round;

	for (round = ROUNDS; round > 0; round--) {
		add_key(s, round);
		if (round < ROUNDS)
			unmix(s);
		substitute(s, inverse, 3);
	}
	add_key(s, 0);
}

/* Counter mode: the same forth and back. */
static void count(uint8_t *s, int number)
{
	uint8_t stream[16] = {(uint8_t)number};
	int i;

	encrypt(stream);
	for (i = 0; i < 16; i++)
		s[i] ^= stream[i];
}

/* FIPS 197, appendix C.1. */
static void known_answer(void)
{
	static const uint8_t expected[16] = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8,
		0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
	uint8_t key[16], block[16];
	int i;

	for (i = 0; i < 16; i++) {
		key[i] = (uint8_t)i;
		block[i] = (uint8_t)(i << 4 | i);
	}
	expand(key);
	encrypt(block);
	for (i = 0; i < 16; i++)
		CHECK(block[i] == expected[i]);
}

int main(void)
{
	uint32_t state = 3;
	uint8_t key[16];
	int round, i, b;

	make_boxes();
	known_answer();
	for (round = 0; round < REPEAT; round++) {
		for (i = 0; i < 16; i++)
			key[i] = (uint8_t)random_next(&state);
		expand(key);
		for (i = 0; i < 16 * BLOCKS; i++)
			text[i] = cipher[i] = (uint8_t)random_next(&state);
		for (b = 0; b < BLOCKS; b++) {
			if (b % 2) {
				encrypt(cipher + 16 * b);
				CHECK(cipher[16 * b] != text[16 * b] ||
					cipher[16 * b + 1] != text[16 * b + 1]);
				decrypt(cipher + 16 * b);
			} else {
				count(cipher + 16 * b, b);
				count(cipher + 16 * b, b);
			}
		}
		for (i = 0; i < 16 * BLOCKS; i++)
			CHECK(cipher[i] == text[i]);
	}
	return 0;
}
