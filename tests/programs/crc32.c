/* CRC-32 in three ways (bit by bit, by nibble, by table) over known and generated data. */
#include "support.h"

#define POLYNOMIAL 0xedb88320u
#define SIZE       1024

static uint32_t table[256];
static uint8_t buffer[SIZE];

static uint32_t crc_bits(const uint8_t *bytes, unsigned size)
{
	uint32_t crc = 0xffffffff;
	unsigned i, bit;

	for (i = 0; i < size; i++) {
		crc ^= bytes[i];
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
	}
	return ~crc;
}

static uint32_t crc_table(const uint8_t *bytes, unsigned size)
{
	uint32_t crc = 0xffffffff;
	unsigned i;

	for (i = 0; i < size; i++)
		crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
	return ~crc;
}

static uint32_t crc_nibbles(const uint8_t *bytes, unsigned size)
{
	uint32_t crc = 0xffffffff;
	unsigned i;

	for (i = 0; i < size; i++) {
		crc ^= bytes[i];
		crc = crc >> 4 ^ table[(crc & 15) << 4];
		crc = crc >> 4 ^ table[(crc & 15) << 4];
	}
	return ~crc;
}

static void fill_table(void)
{
	uint32_t i, bit;

	for (i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
		table[i] = crc;
	}
}

int main(void)
{
	static const uint8_t digits[] = "123456789";
	uint32_t state = 1;
	int round, i;

	fill_table();
	CHECK(crc_bits(digits, 9) == 0xcbf43926);
	CHECK(crc_table(digits, 9) == 0xcbf43926);
	CHECK(crc_bits(digits, 0) == 0);

	for (round = 0; round < REPEAT; round++) {
		uint32_t crc;

		for (i = 0; i < SIZE; i++)
			buffer[i] = (uint8_t)random_next(&state);
		crc = crc_bits(buffer, SIZE);
		CHECK(crc == crc_table(buffer, SIZE));
		CHECK(crc == crc_nibbles(buffer, SIZE));
		/* A message followed by its CRC has a fixed residue. */
		for (i = 0; i < 4; i++)
			buffer[SIZE - 4 + i] = 0;
		crc = crc_table(buffer, SIZE - 4);
		for (i = 0; i < 4; i++)
			buffer[SIZE - 4 + i] = (uint8_t)(crc >> 8 * i);
		CHECK(crc_table(buffer, SIZE) == 0x2144df1c);
	}
	return 0;
}
