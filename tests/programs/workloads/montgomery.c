/* Arithmetic modulo 64-bit numbers in Montgomery's form, with which the primality test of Miller
 * and Rabin is made; checked on numbers whose nature is known. */
#include "support.h"

struct wide {
	uint64_t high, low;
};

static struct wide multiply(uint64_t x, uint64_t y)
{
	uint64_t x0 = (uint32_t)x, x1 = x >> 32, y0 = (uint32_t)y, y1 = y >> 32;
	uint64_t middle = x1 * y0 + (x0 * y0 >> 32), other = x0 * y1 + (uint32_t)middle;
	struct wide product = {
		x1 * y1 + (middle >> 32) + (other >> 32), other << 32 | (uint32_t)(x0 * y0)};

	return product;
}

/* -1 / n modulo 2^64, n odd. */
static uint64_t negative_inverse(uint64_t n)
{
	uint64_t x = n; /* right in 3 bits; each step doubles them */
	int k;

	for (k = 0; k < 5; k++)
		x *= 2 - n * x;
	return 0 - x;
}

/* x * y / 2^64 modulo n, n below 2^63. */
static uint64_t reduce(uint64_t x, uint64_t y, uint64_t n, uint64_t inverse)
{
	struct wide product = multiply(x, y), more;
	uint64_t sum;

	more = multiply(product.low * inverse, n);
	sum = product.high + more.high + (product.low != 0);
	return sum >= n ? sum - n : sum;
}

/* 2^64 modulo n and 2^128 modulo n, by doubling. */
static uint64_t power_of_two(uint64_t n, int exponent)
{
	uint64_t x = 1;

	while (exponent-- > 0) {
		x *= 2;
		if (x >= n)
			x -= n;
	}
	return x;
}

static int is_prime(uint64_t n)
{
	static const uint8_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
	uint64_t inverse = negative_inverse(n), one = power_of_two(n, 64);
	uint64_t square = power_of_two(n, 128), odd = n - 1;
	int twos = 0, k, i;

	while (!(odd & 1)) {
		odd >>= 1;
		twos++;
	}
	for (k = 0; k < 12; k++) {
		uint64_t base = reduce(bases[k], square, n, inverse), x = one, bit;

		if (bases[k] % n == 0)
			continue;
		for (bit = UINT64_C(1) << 62; bit; bit >>= 1) {
			x = reduce(x, x, n, inverse);
			if (odd & bit)
				x = reduce(x, base, n, inverse);
		}
		if (x == one || x == n - one)
			continue;
		for (i = 1; i < twos && x != n - one; i++)
			x = reduce(x, x, n, inverse);
		if (x != n - one)
			return 0;
	}
	return 1;
}

int main(void)
{
	static const uint64_t primes[] = {41, 65537, 2147483647, 4294967291, 1000000007,
		2305843009213693951, 9223372036854775783};
	/* Products, powers, Carmichael numbers and strong pseudoprimes to small bases. */
	static const uint64_t others[] = {43 * 41, 561, 1105, 3215031751, 3825123056546413051,
		2305843009213693951 - 2, 4294967291ull * 2147483647, 9223372036854775783 - 2};
	int round;
	unsigned k, count;

	for (round = 0; round < REPEAT; round++) {
		for (k = 0; k < sizeof(primes) / sizeof(primes[0]); k++)
			CHECK(is_prime(primes[k]));
		for (k = 0; k < sizeof(others) / sizeof(others[0]); k++)
			CHECK(!is_prime(others[k]));
		for (k = 10001, count = 0; k < 10200; k += 2)
			count += (unsigned)is_prime(k);
		CHECK(count == 23);
	}
	return 0;
}
