/* Statements of all kinds, some of which never run: what coverage says of each of these lines is
 * held against what gcov says. */
#include "support.h"

static uint32_t sink;

static inline uint32_t twice(uint32_t x)
{
	return x * 2;
}

static uint32_t classify(uint32_t x)
{
	switch (x % 7) {
	case 0: return 1;
	case 1:
	case 2: sink++; break;
	case 3: sink += 2; /* fall through */
	case 4: sink += 3; break;
	case 9: return 77;
	default: return 5;
	}
	return 2;
}

static uint32_t logic(uint32_t a, uint32_t b, uint32_t c)
{
	if (a && b)
		return 1;
	if (a || c)
		return b ? 2 : 3;
	return a == 0 && b == 0 && c == 0 ? 4 : 5;
}

static uint32_t loops(uint32_t n)
{
	uint32_t sum = 0, i = n;

	for (uint32_t j = 0; j < n; j++)
		sum += j;
	while (i-- > 0)
		;
	do
		sum ^= n;
	while (++i < n);
	for (;;) {
		if (sum > 1000)
			break;
		sum += 100;
		if (sum % 3 == 0)
			continue;
		sum++;
	}
	for (uint32_t j = 0; j < 3; j++) {
		sum += twice(j);
	}
	return sum;
}

static uint32_t never(uint32_t x)
{
	if (x > 3)
		return never(x - 1);
	return x;
}

static uint32_t depth(uint32_t n)
{
	return n == 0 ? 0 : 1 + depth(n - 1);
}

static uint32_t leave(uint32_t n)
{
	uint32_t result = 0;

	if (n > 2)
		goto out;
	result = n;
out:
	return result;
}

static uint32_t (*const table[])(uint32_t) = {classify, loops, depth, leave};

int main(void)
{
	uint32_t state = 1;
	uint32_t sum = 0;

	for (unsigned i = 0; i < 40; i++)
		sum += table[i % 4](i % 11);
	for (unsigned i = 0; i < 16; i++)
		sum += logic(i & 1, i & 2, i & 4);
	if (sum == 0)
		sum = never(10);
	sink += sum + random_next(&state);
	CHECK(sink != 0);
	return 0;
}
