/* Multiplication and division: primes by trial, greatest common divisors, cube roots, powers
 * modulo a number, and the chains of Collatz. */
#include "support.h"

static int is_prime(uint32_t n)
{
	uint32_t d;

	if (n % 2 == 0)
		return n == 2;
	for (d = 3; d * d <= n; d += 2)
		if (n % d == 0)
			return 0;
	return n > 1;
}

static uint32_t gcd(uint32_t x, uint32_t y)
{
	while (y) {
		uint32_t r = x % y;

		x = y;
		y = r;
	}
	return x;
}

/* By Newton's method in integers. */
static uint32_t cube_root(uint64_t n)
{
	uint64_t x = 1, next;

	while (x * x * x < n)
		x *= 2;
	for (;;) {
		next = (2 * x + n / (x * x)) / 3;
		if (next >= x)
			return (uint32_t)x;
		x = next;
	}
}

static uint32_t power(uint32_t base, uint32_t exponent, uint32_t modulus)
{
	uint64_t result = 1, square = base;

	for (; exponent; exponent >>= 1) {
		if (exponent & 1)
			result = result * square % modulus;
		square = square * square % modulus;
	}
	return (uint32_t)result;
}

static uint32_t chain(uint32_t n)
{
	uint32_t steps = 0;

	for (; n != 1; steps++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return steps;
}

int main(void)
{
	uint32_t state = 23, n, count, round;

	CHECK(chain(27) == 111);
	for (round = 0; round < REPEAT; round++) {
		for (n = 0, count = 0; n < 5000; n++)
			count += (uint32_t)is_prime(n);
		CHECK(count == 669);
		for (n = 0; n < 300; n++) {
			uint32_t x = random_next(&state) >> 8, y = random_next(&state) >> 12;
			uint32_t g = gcd(x, y), root;
			uint64_t cube;

			CHECK(g == 0 || (x % g == 0 && y % g == 0));
			CHECK(g == 0 || gcd(x / g, y / g) == 1);
			root = cube_root((uint64_t)x << 16 | y);
			cube = (uint64_t)root * root * root;
			CHECK(cube <= ((uint64_t)x << 16 | y));
			/* Fermat's theorem for a prime of 31 bits. */
			CHECK(x == 0 || power(x, 2147483646, 2147483647) == 1);
			CHECK(chain(n + 1) < 150);
		}
		for (n = 0; n < 500; n++) {
			int32_t x = (int32_t)random_next(&state);
			int32_t y = (int32_t)random_next(&state) >> (n % 31);

			if (y != 0 && y != -1)
				CHECK(x / y * y + x % y == x);
		}
	}
	return 0;
}
