/* Every instruction of Zba, Zbb and Zbs of this width, each against plain shifts and logic. */
#include "support.h"

#define TWO(name) \
	static xword do_##name(xword x, xword y) \
	{ \
		xword r; \
		__asm__(#name " %0, %1, %2" : "=r"(r) : "r"(x), "r"(y)); \
		return r; \
	}
#define ONE(name, function) \
	static xword do_##function(xword x) \
	{ \
		xword r; \
		__asm__(#name " %0, %1" : "=r"(r) : "r"(x)); \
		return r; \
	}
#define IMMEDIATE(name, amount) \
	static xword do_##name##_##amount(xword x) \
	{ \
		xword r; \
		__asm__(#name " %0, %1, " #amount : "=r"(r) : "r"(x)); \
		return r; \
	}

#define BITS __riscv_xlen

TWO(sh1add)
TWO(sh2add)
TWO(sh3add)
TWO(andn)
TWO(orn)
TWO(xnor)
TWO(max)
TWO(maxu)
TWO(min)
TWO(minu)
TWO(rol)
TWO(ror)
TWO(bclr)
TWO(bext)
TWO(binv)
TWO(bset)
ONE(clz, clz)
ONE(ctz, ctz)
ONE(cpop, cpop)
ONE(sext.b, sext_b)
ONE(sext.h, sext_h)
ONE(zext.h, zext_h)
ONE(orc.b, orc_b)
ONE(rev8, rev8)
IMMEDIATE(rori, 5)
IMMEDIATE(bclri, 31)
IMMEDIATE(bexti, 17)
IMMEDIATE(binvi, 0)
IMMEDIATE(bseti, 30)

static xword rotate_right(xword x, unsigned n)
{
	n %= BITS;
	return n ? x >> n | x << (BITS - n) : x;
}

static void check_shift_and_add(xword x, xword y)
{
	CHECK(do_sh1add(x, y) == 2 * x + y);
	CHECK(do_sh2add(x, y) == 4 * x + y);
	CHECK(do_sh3add(x, y) == 8 * x + y);
}

static void check_logic(xword x, xword y)
{
	CHECK(do_andn(x, y) == (x & ~y));
	CHECK(do_orn(x, y) == (x | ~y));
	CHECK(do_xnor(x, y) == ~(x ^ y));
	CHECK(do_maxu(x, y) + do_minu(x, y) == x + y && do_maxu(x, y) >= do_minu(x, y));
	CHECK(do_max(x, y) + do_min(x, y) == x + y && (long)do_max(x, y) >= (long)do_min(x, y));
	CHECK(do_sext_b(x) == (xword)(long)(int8_t)x);
	CHECK(do_sext_h(x) == (xword)(long)(int16_t)x);
	CHECK(do_zext_h(x) == (uint16_t)x);
}

static void check_counts(xword x)
{
	unsigned ones = 0, leading = 0, trailing = 0, k;

	for (k = 0; k < BITS; k++)
		ones += x >> k & 1;
	while (leading < BITS && !(x >> (BITS - 1 - leading) & 1))
		leading++;
	while (trailing < BITS && !(x >> trailing & 1))
		trailing++;
	CHECK(do_cpop(x) == ones && do_clz(x) == leading && do_ctz(x) == trailing);
}

static void check_bytes(xword x)
{
	xword reversed = 0, spread = 0;
	unsigned k;

	for (k = 0; k < BITS; k += 8) {
		reversed = reversed << 8 | (x >> k & 0xff);
		if (x >> k & 0xff)
			spread |= (xword)0xff << k;
	}
	CHECK(do_rev8(x) == reversed && do_orc_b(x) == spread);
}

static void check_rotations(xword x, xword y)
{
	CHECK(do_ror(x, y) == rotate_right(x, (unsigned)y % BITS));
	CHECK(do_rol(x, y) == rotate_right(x, BITS - (unsigned)y % BITS));
	CHECK(do_rori_5(x) == rotate_right(x, 5));
}

static void check_single_bits(xword x, xword y)
{
	xword bit = (xword)1 << y % BITS;

	CHECK(do_bclr(x, y) == (x & ~bit) && do_bset(x, y) == (x | bit));
	CHECK(do_binv(x, y) == (x ^ bit) && do_bext(x, y) == ((x & bit) != 0));
	CHECK(do_bclri_31(x) == (x & ~((xword)1 << 31)) && do_bexti_17(x) == (x >> 17 & 1));
	CHECK(do_binvi_0(x) == (x ^ 1) && do_bseti_30(x) == (x | 1u << 30));
}

#if __riscv_xlen == 64
static xword word_rotate(xword x, unsigned n)
{
	uint32_t w = (uint32_t)x;

	n %= 32;
	return (xword)(long)(int32_t)(n ? w >> n | w << (32 - n) : w);
}

TWO(rolw)
TWO(rorw)
ONE(clzw, clzw)
ONE(ctzw, ctzw)
ONE(cpopw, cpopw)
IMMEDIATE(roriw, 7)

static void check_words(xword x, xword y)
{
	uint32_t low = (uint32_t)x;
	xword r;

	CHECK(do_rorw(x, y) == word_rotate(x, (unsigned)y % 32));
	CHECK(do_rolw(x, y) == word_rotate(x, 32 - (unsigned)y % 32));
	CHECK(do_roriw_7(x) == word_rotate(x, 7));
	CHECK(do_clzw(x) == do_clz(low) - 32);
	CHECK(do_ctzw(x) == (low ? do_ctz(low) : 32));
	CHECK(do_cpopw(x) == do_cpop(low));
#define SHIFT_ADD(name, shift) \
	__asm__(name " %0, %1, %2" : "=r"(r) : "r"(x), "r"(y)); \
	CHECK(r == ((xword)low << shift) + y)
	SHIFT_ADD("add.uw", 0);
	SHIFT_ADD("sh1add.uw", 1);
	SHIFT_ADD("sh2add.uw", 2);
	SHIFT_ADD("sh3add.uw", 3);
	__asm__("slli.uw %0, %1, 9" : "=r"(r) : "r"(x));
	CHECK(r == (xword)low << 9);
}
#else
static void check_words(xword x, xword y)
{
	(void)x, (void)y;
}
#endif

static void check_all(xword x, xword y)
{
	check_shift_and_add(x, y);
	check_logic(x, y);
	check_counts(x);
	check_bytes(x);
	check_rotations(x, y);
	check_single_bits(x, y);
	check_words(x, y);
}

/* Queens on a board of 8 by 8, with sets of columns and diagonals as bits. */
static unsigned queens(unsigned row, unsigned columns, unsigned left, unsigned right)
{
	unsigned count = 0, open = ~(columns | left | right) & 0xff;

	if (row == 8)
		return 1;
	for (; open; open &= open - 1) {
		unsigned bit = open & -open;

		count += queens(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
	}
	return count;
}

int main(void)
{
	static const xword edges[] = {
		0, 1, 31, 63, 0x7fffffff, 0x80000000, (xword)-1, (xword)1 << (BITS - 1)};
	uint32_t state = 15;
	unsigned i, j, round;

	for (i = 0; i < 8; i++)
		for (j = 0; j < 8; j++)
			check_all(edges[i], edges[j]);
	for (round = 0; round < 200 * REPEAT; round++) {
		xword x = random_next(&state), y = random_next(&state);

#if __riscv_xlen == 64
		x |= (xword)random_next(&state) << 32;
		y |= (xword)random_next(&state) << 32;
#endif
		check_all(x, y);
		if (round % 200 == 0)
			CHECK(queens(0, 0, 0, 0) == 92);
	}
	return 0;
}
