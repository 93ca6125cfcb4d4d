/* Deep and wide recursion: Ackermann, the towers of Hanoi, queens on a board, Fibonacci. */
#include "support.h"

static unsigned pegs[3], moves;

static unsigned ackermann(unsigned m, unsigned n)
{
	if (m == 0)
		return n + 1;
	if (n == 0)
		return ackermann(m - 1, 1);
	return ackermann(m - 1, ackermann(m, n - 1));
}

/* A peg is a set of discs, disc k is bit k. */
static void hanoi(int discs, int from, int to)
{
	if (discs == 0)
		return;
	hanoi(discs - 1, from, 3 - from - to);
	CHECK((pegs[to] & ((1u << discs) - 1)) == 0); /* never on a smaller one */
	pegs[from] &= ~(1u << (discs - 1));
	pegs[to] |= 1u << (discs - 1);
	moves++;
	hanoi(discs - 1, 3 - from - to, to);
}

static unsigned queens(unsigned size, unsigned columns, unsigned left, unsigned right)
{
	unsigned all = (1u << size) - 1, free_places = all & ~(columns | left | right);
	unsigned solutions = 0;

	if (columns == all)
		return 1;
	while (free_places) {
		unsigned place = free_places & (0 - free_places);

		free_places ^= place;
		solutions +=
			queens(size, columns | place, (left | place) << 1, (right | place) >> 1);
	}
	return solutions;
}

static unsigned fibonacci(unsigned n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void)
{
	int round;

	for (round = 0; round < REPEAT; round++) {
		CHECK(ackermann(2, 9) == 21);
		pegs[0] = 255;
		pegs[1] = pegs[2] = moves = 0;
		hanoi(8, 0, 2);
		CHECK(moves == 255 && pegs[2] == 255);
		CHECK(queens(6, 0, 0, 0) == 4);
		CHECK(queens(7, 0, 0, 0) == 40);
		CHECK(fibonacci(15) == 610);
	}
	return 0;
}
