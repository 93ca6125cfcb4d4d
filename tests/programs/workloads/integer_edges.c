/* Every integer instruction of this width, the word forms of RV64 and the M extension among them,
 * on edge values. What C can say otherwise is compared; the rest goes into a sum that must come
 * out the same every time. */
#include "support.h"

#define BITS __riscv_xlen

static xword sum;

static void add_up(xword x)
{
	sum = (sum << 1 | sum >> (BITS - 1)) + x;
}

#define TWO(name) \
	__asm__ volatile(name " %0, %1, %2" : "=r"(r) : "r"(x), "r"(y)); \
	add_up(r)
#define IMMEDIATE(text) \
	__asm__ volatile(text : "=r"(r) : "r"(x)); \
	add_up(r)
#define BRANCH(name) \
	r = 1; \
	__asm__ volatile(name " %1, %2, 1f\n li %0, 0\n1:" : "+r"(r) : "r"(x), "r"(y)); \
	add_up(r)

static void integers(xword x, xword y)
{
	xword r;

	TWO("add");
	TWO("sub");
	TWO("sll");
	TWO("slt");
	TWO("sltu");
	TWO("xor");
	TWO("srl");
	TWO("sra");
	TWO("or");
	TWO("and");
	BRANCH("beq");
	BRANCH("bne");
	BRANCH("blt");
	BRANCH("bge");
	BRANCH("bltu");
	BRANCH("bgeu");
	IMMEDIATE("addi %0, %1, -2048");
	IMMEDIATE("slti %0, %1, 2047");
	IMMEDIATE("slti %0, %1, -1");
	IMMEDIATE("sltiu %0, %1, -1");
	IMMEDIATE("sltiu %0, %1, 1");
	IMMEDIATE("xori %0, %1, -1");
	IMMEDIATE("ori %0, %1, 1365");
	IMMEDIATE("andi %0, %1, -1366");
	IMMEDIATE("slli %0, %1, 31");
	IMMEDIATE("srli %0, %1, 1");
	IMMEDIATE("srai %0, %1, 31");
	__asm__ volatile("lui %0, 0x80000" : "=r"(r));
	add_up(r);
	CHECK(r == (xword)(long)(int32_t)0x80000000);
}

static void products(xword x, xword y)
{
	xword r, low, high, quotient, rest;

	TWO("mulhsu");
	__asm__ volatile("mul %0, %1, %2" : "=r"(low) : "r"(x), "r"(y));
	__asm__ volatile("mulhu %0, %1, %2" : "=r"(high) : "r"(x), "r"(y));
	TWO("mulh");
	CHECK(r == high - ((long)x < 0 ? y : 0) - ((long)y < 0 ? x : 0));
	add_up(low);
	add_up(high);
	__asm__ volatile("divu %0, %1, %2" : "=r"(quotient) : "r"(x), "r"(y));
	__asm__ volatile("remu %0, %1, %2" : "=r"(rest) : "r"(x), "r"(y));
	CHECK(quotient * y + rest == x && (y == 0 || rest < y));
	__asm__ volatile("div %0, %1, %2" : "=r"(quotient) : "r"(x), "r"(y));
	__asm__ volatile("rem %0, %1, %2" : "=r"(rest) : "r"(x), "r"(y));
	CHECK(quotient * y + rest == x);
	add_up(quotient);
	add_up(rest);
}

#if __riscv_xlen == 64
static void words(xword x, xword y)
{
	xword r;

	TWO("addw");
	CHECK(r == (xword)(long)(int32_t)(uint32_t)(x + y));
	TWO("subw");
	CHECK(r == (xword)(long)(int32_t)(uint32_t)(x - y));
	TWO("sllw");
	TWO("srlw");
	TWO("sraw");
	TWO("mulw");
	CHECK(r == (xword)(long)(int32_t)(uint32_t)(x * y));
	TWO("divw");
	TWO("divuw");
	TWO("remw");
	TWO("remuw");
	IMMEDIATE("addiw %0, %1, -2048");
	IMMEDIATE("slliw %0, %1, 31");
	IMMEDIATE("srliw %0, %1, 0");
	IMMEDIATE("sraiw %0, %1, 15");
	IMMEDIATE("slli %0, %1, 63");
	IMMEDIATE("srli %0, %1, 32");
	IMMEDIATE("srai %0, %1, 63");
}
#else
static void words(xword x, xword y)
{
	(void)x, (void)y;
}
#endif

#define LOAD(name, offset) \
	__asm__ volatile(name " %0, " #offset "(%1)" : "=r"(r) : "r"(at) : "memory"); \
	add_up(r)
#define STORE(name, offset) \
	__asm__ volatile(name " %0, " #offset "(%1)" : : "r"(x), "r"(at) : "memory")

static void accesses(xword x)
{
	static volatile xword place[4];
	volatile xword *at = place;
	xword r;

	STORE("sb", 1);
	STORE("sh", 6);
	STORE("sw", 8);
	LOAD("lb", 1);
	LOAD("lbu", 1);
	LOAD("lh", 6);
	LOAD("lhu", 6);
	LOAD("lw", 8);
#if __riscv_xlen == 64
	STORE("sd", 16);
	LOAD("ld", 16);
	LOAD("lwu", 20);
#endif
	CHECK((uint32_t)place[8 / sizeof(xword)] == (uint32_t)x);
}

int main(void)
{
	static const xword edges[] = {0, 1, 2, 31, 32, 63, 0x7fffffff, 0x80000000, 0xffffffff,
		(xword)-1, (xword)-2, (xword)1 << (BITS - 1), ~((xword)1 << (BITS - 1)),
		(xword)0x5555555555555555ull, (xword)0xfedcba9876543210ull};
	const unsigned count = sizeof(edges) / sizeof(edges[0]);
	xword first = 0;
	unsigned round, i, j;

	for (round = 0; round < REPEAT; round++) {
		sum = 0;
		for (i = 0; i < count; i++) {
			for (j = 0; j < count; j++) {
				integers(edges[i], edges[j]);
				products(edges[i], edges[j]);
				words(edges[i], edges[j]);
			}
			accesses(edges[i]);
		}
		CHECK(round == 0 || sum == first);
		first = sum;
	}
	CHECK(sum != 0);
	return 0;
}
