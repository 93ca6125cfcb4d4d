/* Modular powers of 256-bit numbers, as in RSA: long multiplication and long division by
 * subtraction. Fermat: a^(p-1) = 1 modulo a prime p. */
#include "support.h"

#define LIMBS 8

/* 2^255 - 19 */
static const uint32_t prime[LIMBS] = {0xffffffed, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
	0xffffffff, 0xffffffff, 0x7fffffff};

static int below(const uint32_t *x, const uint32_t *y)
{
	int i;

	for (i = LIMBS - 1; i >= 0; i--)
		if (x[i] != y[i])
			return x[i] < y[i];
	return 0;
}

static void subtract(uint32_t *x, const uint32_t *y)
{
	uint32_t borrow = 0;
	int i;

	for (i = 0; i < LIMBS; i++) {
		uint64_t d = (uint64_t)x[i] - y[i] - borrow;

		x[i] = (uint32_t)d;
		borrow = (uint32_t)(d >> 63);
	}
}

/* out = x * y modulo 2^255 - 19: what is above 2^256 counts 38 times. */
static void multiply(uint32_t *out, const uint32_t *x, const uint32_t *y)
{
	uint32_t product[2 * LIMBS] = {0};
	uint64_t carry;
	int i, j;

	for (i = 0; i < LIMBS; i++) {
		carry = 0;
		for (j = 0; j < LIMBS; j++) {
			carry += (uint64_t)x[i] * y[j] + product[i + j];
			product[i + j] = (uint32_t)carry;
			carry >>= 32;
		}
		product[i + LIMBS] = (uint32_t)carry;
	}
	for (i = 0, carry = 0; i < LIMBS; i++) {
		carry += (uint64_t)product[i + LIMBS] * 38 + product[i];
		out[i] = (uint32_t)carry;
		carry >>= 32;
	}
	while (carry) {
		carry *= 38;
		for (i = 0; i < LIMBS; i++) {
			carry += out[i];
			out[i] = (uint32_t)carry;
			carry >>= 32;
		}
	}
	while (!below(out, prime))
		subtract(out, prime);
}

static void power(uint32_t *out, const uint32_t *base, const uint32_t *exponent)
{
	uint32_t square[LIMBS];
	int i;

	for (i = 0; i < LIMBS; i++) {
		out[i] = i == 0;
		square[i] = base[i];
	}
	for (i = 0; i < 32 * LIMBS; i++) {
		if (exponent[i / 32] >> i % 32 & 1)
			multiply(out, out, square);
		multiply(square, square, square);
	}
}

int main(void)
{
	uint32_t state = 31, x[LIMBS], y[LIMBS], inverse[LIMBS], exponent[LIMBS];
	int round, i;

	for (round = 0; round < REPEAT; round++) {
		for (i = 0; i < LIMBS; i++) {
			x[i] = random_next(&state);
			exponent[i] = prime[i];
		}
		x[LIMBS - 1] >>= 2;
		exponent[0] -= 2;
		power(inverse, x, exponent);
		multiply(y, x, inverse);
		for (i = 0; i < LIMBS; i++)
			CHECK(y[i] == (i == 0));
	}
	return 0;
}
