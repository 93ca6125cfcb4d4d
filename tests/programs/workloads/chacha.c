/* ChaCha20 and Poly1305 (RFC 8439): additions, rotations and long multiplication. */
#include "support.h"

#define SIZE 512

static uint8_t text[SIZE], cipher[SIZE];

static uint32_t rotate(uint32_t x, int n)
{
	return x << n | x >> (32 - n);
}

#define QUARTER(a, b, c, d) \
	(a += b, d = rotate(d ^ a, 16), c += d, b = rotate(b ^ c, 12), a += b, \
		d = rotate(d ^ a, 8), c += d, b = rotate(b ^ c, 7))

static uint32_t load(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void block(uint8_t *out, const uint8_t *key, uint32_t counter, const uint8_t *nonce)
{
	uint32_t s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];
	int i;

	for (i = 0; i < 8; i++)
		s[4 + i] = load(key + 4 * i);
	s[12] = counter;
	for (i = 0; i < 3; i++)
		s[13 + i] = load(nonce + 4 * i);
	for (i = 0; i < 16; i++)
		x[i] = s[i];
	for (i = 0; i < 10; i++) {
		QUARTER(x[0], x[4], x[8], x[12]);
		QUARTER(x[1], x[5], x[9], x[13]);
		QUARTER(x[2], x[6], x[10], x[14]);
		QUARTER(x[3], x[7], x[11], x[15]);
		QUARTER(x[0], x[5], x[10], x[15]);
		QUARTER(x[1], x[6], x[11], x[12]);
		QUARTER(x[2], x[7], x[8], x[13]);
		QUARTER(x[3], x[4], x[9], x[14]);
	}
	for (i = 0; i < 64; i++)
		out[i] = (uint8_t)((x[i / 4] + s[i / 4]) >> 8 * (i % 4));
}

static void crypt(uint8_t *data, int size, const uint8_t *key, const uint8_t *nonce)
{
	uint8_t stream[64];
	int i;

	for (i = 0; i < size; i++) {
		if (i % 64 == 0)
			block(stream, key, 1 + (uint32_t)i / 64, nonce);
		data[i] ^= stream[i % 64];
	}
}

/* Five limbs of 26 bits. */
static void authenticate(uint8_t *tag, const uint8_t *data, int size, const uint8_t *key)
{
	static const uint8_t clamp[16] = {0xff, 0xff, 0xff, 0x0f, 0xfc, 0xff, 0xff, 0x0f, 0xfc,
		0xff, 0xff, 0x0f, 0xfc, 0xff, 0xff, 0x0f};
	uint32_t r[5] = {0}, h[5] = {0}, g[5], carry;
	uint64_t d[5], sum;
	int at, i, j;

	for (i = 0; i < 128; i++)
		r[i / 26] |= ((uint32_t)(key[i / 8] & clamp[i / 8]) >> i % 8 & 1) << i % 26;
	for (at = 0; at < size; at += 16) {
		int length = size - at < 16 ? size - at : 16;
		uint32_t m[5] = {0};

		for (i = 0; i < 8 * length; i++)
			m[i / 26] |= (uint32_t)(data[at + i / 8] >> i % 8 & 1) << i % 26;
		m[i / 26] |= 1u << i % 26;
		for (i = 0; i < 5; i++)
			h[i] += m[i];
		for (i = 0; i < 5; i++) {
			d[i] = 0;
			for (j = 0; j < 5; j++)
				d[i] += (uint64_t)h[j] * (j <= i ? r[i - j] : 5 * r[i - j + 5]);
		}
		for (i = 0, sum = 0; i < 5; i++) {
			sum += d[i];
			h[i] = (uint32_t)sum & 0x3ffffff;
			sum >>= 26;
		}
		h[0] += (uint32_t)sum * 5;
		h[1] += h[0] >> 26;
		h[0] &= 0x3ffffff;
	}
	for (j = 0; j < 2; j++) {
		for (i = 0, carry = 0; i < 5; i++) {
			h[i] += carry;
			carry = h[i] >> 26;
			h[i] &= 0x3ffffff;
		}
		h[0] += 5 * carry;
	}
	for (i = 0, carry = 5; i < 5; i++) { /* h - p, if that is not negative */
		g[i] = h[i] + carry;
		carry = g[i] >> 26;
		g[i] &= 0x3ffffff;
	}
	for (i = 0, sum = 0; i < 16; i++) {
		uint32_t byte = 0;

		for (j = 8 * i; j < 8 * i + 8; j++)
			byte |= ((carry ? g : h)[j / 26] >> j % 26 & 1) << j % 8;
		sum += byte + key[16 + i];
		tag[i] = (uint8_t)sum;
		sum >>= 8;
	}
}

/* RFC 8439, sections 2.3.2 and 2.5.2. */
static void known_answers(void)
{
	static const uint8_t nonce[12] = {0, 0, 0, 9, 0, 0, 0, 0x4a},
			     first[4] = {0x10, 0xf1, 0xe7, 0xe4};
	static const uint8_t key[32] = {0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44,
		0x52, 0xfe, 0x42, 0xd5, 0x06, 0xa8, 0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d, 0xb2, 0xfd,
		0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b};
	static const uint8_t expected[16] = {0xa8, 0x06, 0x1d, 0xc1, 0x30, 0x51, 0x36, 0xc6, 0xc2,
		0x2b, 0x8b, 0xaf, 0x0c, 0x01, 0x27, 0xa9};
	static const uint8_t message[] = "Cryptographic Forum Research Group";
	uint8_t counted[32], out[64], tag[16];
	int i;

	for (i = 0; i < 32; i++)
		counted[i] = (uint8_t)i;
	block(out, counted, 1, nonce);
	for (i = 0; i < 4; i++)
		CHECK(out[i] == first[i]);
	authenticate(tag, message, sizeof(message) - 1, key);
	for (i = 0; i < 16; i++)
		CHECK(tag[i] == expected[i]);
}

int main(void)
{
	uint8_t key[32], nonce[12], tag[16], again[16];
	uint32_t state = 12;
	int round, i;

	known_answers();
	for (round = 0; round < REPEAT; round++) {
		for (i = 0; i < 32; i++)
			key[i] = (uint8_t)random_next(&state);
		for (i = 0; i < 12; i++)
			nonce[i] = (uint8_t)random_next(&state);
		for (i = 0; i < SIZE; i++)
			text[i] = cipher[i] = (uint8_t)random_next(&state);
		crypt(cipher, SIZE, key, nonce);
		authenticate(tag, cipher, SIZE, key);
		crypt(cipher, SIZE, key, nonce);
		for (i = 0; i < SIZE; i++)
			CHECK(cipher[i] == text[i]);
		cipher[round % SIZE] ^= 1;
		authenticate(again, cipher, SIZE, key);
		for (i = 0; i < 16 && again[i] == tag[i]; i++)
			;
		CHECK(i < 16);
	}
	return 0;
}
