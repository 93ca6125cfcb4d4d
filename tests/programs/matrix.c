/* Integer matrices and everything the M extension can do: products checked by linearity, all eight
 * instructions checked against arithmetic that does not use them. */
#include "support.h"

#define N 16

static int32_t a[N][N], b[N][N], c[N][N], ab[N][N], ac[N][N], sum[N][N], left[N][N];

static void multiply(int32_t out[N][N], int32_t x[N][N], int32_t y[N][N])
{
	int i, j, k;

	for (i = 0; i < N; i++) {
		for (j = 0; j < N; j++) {
			int32_t total = 0;

			for (k = 0; k < N; k++)
				total += x[i][k] * y[k][j];
			out[i][j] = total;
		}
	}
}

#define M_INSTRUCTION(name) \
	static uint32_t do_##name(uint32_t x, uint32_t y) \
	{ \
		uint32_t r; \
		__asm__(#name " %0, %1, %2" : "=r"(r) : "r"(x), "r"(y)); \
		return r; \
	}

M_INSTRUCTION(mul)
M_INSTRUCTION(mulh)
M_INSTRUCTION(mulhsu)
M_INSTRUCTION(mulhu)
M_INSTRUCTION(div)
M_INSTRUCTION(divu)
M_INSTRUCTION(rem)
M_INSTRUCTION(remu)

/* The 64-bit product by shifting and adding. */
static uint64_t product(uint32_t x, uint32_t y)
{
	uint64_t total = 0, wide = x;

	for (; y; y >>= 1, wide <<= 1)
		if (y & 1)
			total += wide;
	return total;
}

static void check_pair(uint32_t x, uint32_t y)
{
	uint64_t p = product(x, y);
	uint32_t high = (uint32_t)(p >> 32);
	uint32_t x_sign = (int32_t)x < 0 ? y : 0;
	uint32_t y_sign = (int32_t)y < 0 ? x : 0;

	CHECK(do_mul(x, y) == (uint32_t)p);
	CHECK(do_mulhu(x, y) == high);
	CHECK(do_mulhsu(x, y) == high - x_sign);
	CHECK(do_mulh(x, y) == high - x_sign - y_sign);

	if (y == 0) {
		CHECK(do_div(x, y) == 0xffffffff && do_divu(x, y) == 0xffffffff);
		CHECK(do_rem(x, y) == x && do_remu(x, y) == x);
		return;
	}
	if (x == 0x80000000 && y == 0xffffffff) {
		CHECK(do_div(x, y) == x && do_rem(x, y) == 0);
	} else {
		int32_t q = (int32_t)do_div(x, y), r = (int32_t)do_rem(x, y);
		int32_t magnitude = r < 0 ? -r : r;

		CHECK((uint32_t)product((uint32_t)q, y) + (uint32_t)r == x);
		CHECK(r == 0 || (r < 0) == ((int32_t)x < 0));
		CHECK((uint32_t)magnitude < ((int32_t)y < 0 ? 0 - y : y));
	}
	CHECK(product(do_divu(x, y), y) + do_remu(x, y) == x);
	CHECK(do_remu(x, y) < y);
}

int main(void)
{
	static const uint32_t edges[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
	uint32_t state = 99;
	int round, i, j;

	for (i = 0; i < 7; i++)
		for (j = 0; j < 7; j++)
			check_pair(edges[i], edges[j]);

	for (round = 0; round < REPEAT; round++) {
		for (i = 0; i < 40; i++)
			check_pair(random_next(&state), random_next(&state) >> (i & 31));
		for (i = 0; i < N; i++) {
			for (j = 0; j < N; j++) {
				a[i][j] = (int32_t)random_next(&state) >> 12;
				b[i][j] = (int32_t)random_next(&state) >> 12;
				c[i][j] = (int32_t)random_next(&state) >> 12;
				sum[i][j] = b[i][j] + c[i][j];
			}
		}
		multiply(ab, a, b);
		multiply(ac, a, c);
		multiply(left, a, sum);
		for (i = 0; i < N; i++)
			for (j = 0; j < N; j++)
				CHECK(left[i][j] == ab[i][j] + ac[i][j]);
	}
	return 0;
}
