/* Data of every kind, and copies at every alignment: initialized data that is changed and that
 * never is, .bss, constants, tables of pointers; bytes, halves and words stored over each other. */
#include "support.h"

#include <string.h>

#define ROUNDS (4 * REPEAT)

struct mixed {
	uint8_t byte;
	uint16_t half;
	uint32_t word;
	uint8_t tail[5];
};

static const char *const words[] = {"alpha", "beta", "gamma", "delta", "epsilon"};
static const uint16_t table[16] = {
	1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
static uint32_t changed[16] = {10, 20, 30, 40, 50, 60, 70, 80};
static volatile uint32_t never_changed[64] = {0xdeadbeef, 0xcafef00d, 3, 4, 5};
static struct mixed records[8] = {{1, 2, 3, "four"}, {5, 6, 7, "eigh"}};
static uint8_t zeroed[512], area[256], copy[256];
static uint64_t wide[8];

static void copies(uint32_t seed)
{
	for (unsigned i = 0; i < sizeof(area); i++)
		area[i] = (uint8_t)random_next(&seed);
	for (unsigned from = 0; from < 9; from++)
		for (unsigned to = 0; to < 9; to += 2) {
			unsigned size = 31 + from * 3 + to;

			memcpy(copy + to, area + from, size);
			CHECK(memcmp(copy + to, area + from, size) == 0);
			memmove(area + from + 1, area + from, size);
			CHECK(memcmp(copy + to, area + from + 1, size) == 0);
			memset(copy + to, (int)size, from);
		}
}

static void over_each_other(uint32_t seed)
{
	for (unsigned i = 0; i < 100; i++) {
		uint32_t value = random_next(&seed);
		unsigned at = value % 500;

		if (value & 0x10000)
			zeroed[at] = (uint8_t)value;
		else if (value & 0x20000)
			*(volatile uint16_t *)(zeroed + (at & ~1u)) = (uint16_t)value;
		else
			*(volatile uint32_t *)(zeroed + (at & ~3u)) = value;
		wide[i % 8] += (uint64_t)value * table[i % 16] + zeroed[at ^ 1];
	}
}

int main(void)
{
	uint32_t total = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		copies(round + 77);
		over_each_other(round + 3);
		records[round % 8] = records[(round + 1) % 8];
		records[round % 8].tail[round % 5] ^= 0x55;
		changed[round % 16] += never_changed[round % 4];
		total += (uint32_t)strlen(words[round % 5]);
		for (unsigned i = 0; i < 16; i++)
			total += changed[i] ^ records[i % 8].word;
	}
	CHECK(never_changed[0] == 0xdeadbeef && never_changed[40] == 0);
	return total == 0;
}
