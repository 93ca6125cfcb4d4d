/* All instructions of RV32I on edge values and generated ones, each against a formula that does not
 * use it: shifts against multiplication, comparisons against subtraction, loads against bytes. */
#include "support.h"

#define OPERATION(name) \
	static uint32_t do_##name(uint32_t x, uint32_t y) \
	{ \
		uint32_t r; \
		__asm__ volatile(#name " %0, %1, %2" : "=r"(r) : "r"(x), "r"(y)); \
		return r; \
	}

#define BRANCH(name) \
	static int do_##name(uint32_t x, uint32_t y) \
	{ \
		int taken = 1; \
		__asm__ volatile(#name " %1, %2, 1f\n li %0, 0\n1:" \
				 : "+r"(taken) \
				 : "r"(x), "r"(y)); \
		return taken; \
	}

OPERATION(add)
OPERATION(sub)
OPERATION(sll)
OPERATION(slt)
OPERATION(sltu)
OPERATION(xor)
OPERATION(srl)
OPERATION(sra)
OPERATION(or)
OPERATION(and)
BRANCH(beq)
BRANCH(bne)
BRANCH(blt)
BRANCH(bge)
BRANCH(bltu)
BRANCH(bgeu)

static const uint32_t edges[] = {0, 1, 31, 32, 0x7fffffff, 0x80000000, 0xfffff800, 0xffffffff};

static void check_arithmetic(uint32_t x, uint32_t y)
{
	uint32_t sum = do_add(x, y), both = do_and(x, y), either = do_or(x, y);

	CHECK(do_sub(sum, y) == x && do_sub(x, x) == 0);
	CHECK(both + either == sum);
	CHECK(do_xor(x, y) == either - both);
	CHECK(do_xor(do_xor(x, y), y) == x);
}

static void check_shifts(uint32_t x, uint32_t y)
{
	uint32_t power = 1, n;
	uint32_t sign = (int32_t)x < 0 ? 0xffffffff : 0;

	for (n = 0; n < (y & 31); n++)
		power += power;
	CHECK(do_sll(x, y) == x * power);
	CHECK(do_srl(x, y) == x / power);
	CHECK(do_sra(x, y) == ((x ^ sign) / power ^ sign));
}

static void check_comparisons(uint32_t x, uint32_t y)
{
	uint64_t difference = (uint64_t)x - y;
	int below = (uint32_t)(difference >> 32) != 0;
	int less = ((int64_t)(int32_t)x - (int32_t)y) < 0;

	CHECK(do_sltu(x, y) == (uint32_t)below && do_slt(x, y) == (uint32_t)less);
	CHECK(do_bltu(x, y) == below && do_bgeu(x, y) == !below);
	CHECK(do_blt(x, y) == less && do_bge(x, y) == !less);
	CHECK(do_beq(x, y) == ((uint32_t)difference == 0));
	CHECK(do_bne(x, y) == ((uint32_t)difference != 0));
}

static void check_immediates(uint32_t x)
{
	uint32_t r;

#define IMMEDIATE(text, expected) \
	__asm__ volatile(text : "=r"(r) : "r"(x)); \
	CHECK(r == (expected))
	IMMEDIATE("addi %0, %1, -2048", x - 2048);
	IMMEDIATE("slti %0, %1, -5", (uint32_t)((int32_t)x < -5));
	IMMEDIATE("sltiu %0, %1, -5", (uint32_t)(x < 0xfffffffb));
	IMMEDIATE("xori %0, %1, -1", 0 - x - 1);
	IMMEDIATE("ori %0, %1, 0x700", (x & ~0x700u) + 0x700);
	IMMEDIATE("andi %0, %1, -256", x - x % 256);
	IMMEDIATE("slli %0, %1, 7", x * 128);
	IMMEDIATE("srli %0, %1, 31", (uint32_t)((int32_t)x < 0));
	IMMEDIATE("srai %0, %1, 31", (int32_t)x < 0 ? 0xffffffff : 0);
	IMMEDIATE("lui %0, 0xfffff", 0xfffff000);
#undef IMMEDIATE
}

static void check_memory(uint32_t x)
{
	static union {
		uint32_t word[2];
		int16_t half[4];
		uint16_t uhalf[4];
		int8_t byte[8];
		uint8_t ubyte[8];
	} volatile m;
	int k;

	m.word[0] = ~x;
	m.word[1] = x;
	for (k = 0; k < 4; k++) {
		uint32_t b = x >> 8 * k & 255;

		CHECK(m.ubyte[4 + k] == b);
		CHECK((uint32_t)m.byte[4 + k] == (b < 128 ? b : b - 256));
		m.ubyte[k] = (uint8_t)b;
	}
	CHECK(m.word[0] == x);
	for (k = 0; k < 2; k++) {
		uint32_t h = x >> 16 * k & 65535;

		CHECK(m.uhalf[2 + k] == h);
		CHECK((uint32_t)m.half[2 + k] == (h < 32768 ? h : h - 65536));
		m.uhalf[1 - k] = (uint16_t)h;
	}
	CHECK(m.word[0] == (x << 16 | x >> 16));
}

static void check_all(uint32_t x, uint32_t y)
{
	check_arithmetic(x, y);
	check_shifts(x, y);
	check_comparisons(x, y);
}

int main(void)
{
	uint32_t state = 77;
	int round, i, j;

	for (i = 0; i < 8; i++) {
		for (j = 0; j < 8; j++)
			check_all(edges[i], edges[j]);
		check_immediates(edges[i]);
		check_memory(edges[i]);
	}
	for (round = 0; round < 200 * REPEAT; round++) {
		uint32_t x = random_next(&state), y = random_next(&state);

		check_all(x, y);
		check_immediates(x);
		check_memory(y);
	}
	return 0;
}
