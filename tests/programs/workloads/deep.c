/* Deep recursion: Ackermann's function, the towers of Hanoi, and a walk 1500 calls down. */
#include "support.h"

static uint32_t moves[3];

static uint32_t __attribute__((noinline)) ackermann(uint32_t m, uint32_t n)
{
	if (m == 0)
		return n + 1;
	if (n == 0)
		return ackermann(m - 1, 1);
	return ackermann(m - 1, ackermann(m, n - 1));
}

static void __attribute__((noinline)) hanoi(int disks, int from, int to)
{
	if (disks == 0)
		return;
	hanoi(disks - 1, from, 3 - from - to);
	moves[to]++;
	hanoi(disks - 1, 3 - from - to, to);
}

/* Each call keeps a local array alive and checks it on the way up. */
static uint32_t __attribute__((noinline)) descend(uint32_t depth, uint32_t seed)
{
	volatile uint32_t kept[4];
	uint32_t below, i;

	for (i = 0; i < 4; i++)
		kept[i] = random_next(&seed);
	below = depth ? descend(depth - 1, kept[3]) : 0;
	for (i = 0; i < 3; i++)
		below = below * 31 + kept[i];
	return below;
}

int main(void)
{
	uint32_t round, first = descend(1500, 1), total = 0;

	for (round = 0; round < REPEAT; round++) {
		CHECK(ackermann(2, 40) == 83);
		CHECK(ackermann(3, 4) == 125);
		hanoi(11, 0, 2);
		total += (1u << 11) - 1;
		CHECK(moves[0] + moves[1] + moves[2] == total);
		CHECK(descend(1500, 1) == first);
	}
	return 0;
}
