/* SHA-256 of messages whose digest is published, and of itself, over and over. */
#include "sha256.h"
#include "support.h"

static int equal(const uint32_t *a, const uint32_t *b)
{
	int i;

	for (i = 0; i < 8; i++)
		if (a[i] != b[i])
			return 0;
	return 1;
}

int main(void)
{
	static const uint32_t empty[8] = {0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924,
		0x27ae41e4, 0x649b934c, 0xa495991b, 0x7852b855};
	static const uint32_t abc[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3,
		0x96177a9c, 0xb410ff61, 0xf20015ad};
	static const uint32_t two_blocks[8] = {0x248d6a61, 0xd20638b8, 0xe5c02693, 0x0c3e6039,
		0xa33ce459, 0x64ff2167, 0xf6ecedd4, 0x19db06c1};
	static uint8_t message[300];
	uint32_t digest[8], first[8];
	int round, i;

	sha256(digest, message, 0);
	CHECK(equal(digest, empty));
	sha256(digest, (const uint8_t *)"abc", 3);
	CHECK(equal(digest, abc));
	sha256(digest, (const uint8_t *)"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		56);
	CHECK(equal(digest, two_blocks));

	for (round = 0; round < REPEAT; round++) {
		for (i = 0; i < 300; i++)
			message[i] = (uint8_t)(digest[i % 8] >> (i & 24)) ^ (uint8_t)i;
		sha256(first, message, 300);
		sha256(digest, message, 300);
		CHECK(equal(first, digest));
		message[round % 300] ^= 1;
		sha256(digest, message, 300);
		CHECK(!equal(first, digest));
	}
	return 0;
}
