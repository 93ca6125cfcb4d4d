/* The A extension: every operation against plain code, loops of LR and SC that may fail, locks,
 * and a stack without locks. */
#include "support.h"

#define AMO(function, name, type) \
	static type do_##function(volatile type *at, type x) \
	{ \
		type old; \
		__asm__ volatile(name " %0, %2, (%1)" : "=r"(old) : "r"(at), "r"(x) : "memory"); \
		return old; \
	}

AMO(swap, "amoswap.w.aq", int32_t)
AMO(add, "amoadd.w.rl", int32_t)
AMO(xor, "amoxor.w", int32_t)
AMO(and, "amoand.w", int32_t)
AMO(or, "amoor.w", int32_t)
AMO(min, "amomin.w", int32_t)
AMO(max, "amomax.w", int32_t)
AMO(minu, "amominu.w", int32_t)
AMO(maxu, "amomaxu.w.aqrl", int32_t)
#if __riscv_xlen == 64
AMO(add_64, "amoadd.d", int64_t)
AMO(min_64, "amomin.d", int64_t)
AMO(maxu_64, "amomaxu.d", int64_t)
AMO(swap_64, "amoswap.d", int64_t)
#endif

struct item {
	struct item *next;
	uint32_t value;
};

static volatile int32_t place;
static volatile uint32_t lock, tries;
static struct item *volatile head;
static struct item items[64];

/* at = f(at) by LR and SC; returns how often that had to be tried. */
static uint32_t increment(volatile uint32_t *at)
{
	uint32_t count = 0, value, failed;

	do {
		__asm__ volatile("lr.w %0, (%2)\n"
				 "addi %0, %0, 1\n"
				 "sc.w %1, %0, (%2)"
				 : "=&r"(value), "=&r"(failed)
				 : "r"(at)
				 : "memory");
		count++;
	} while (failed);
	return count;
}

/* LR and SC of the width of a pointer. */
#if __riscv_xlen == 64
#define WIDTH "d"
#else
#define WIDTH "w"
#endif

static int replace(struct item *volatile *at, struct item *old, struct item *new)
{
	struct item *seen;
	xword failed;

	__asm__ volatile("lr." WIDTH " %0, (%2)\n"
			 "li %1, 1\n"
			 "bne %0, %3, 1f\n"
			 "sc." WIDTH " %1, %4, (%2)\n"
			 "1:"
			 : "=&r"(seen), "=&r"(failed)
			 : "r"(at), "r"(old), "r"(new)
			 : "memory");
	return !failed;
}

static void push(struct item *item)
{
	do {
		item->next = head;
	} while (!replace(&head, item->next, item));
}

static struct item *pop(void)
{
	struct item *item;

	do {
		item = head;
	} while (item && !replace(&head, item, item->next));
	return item;
}

#define EXPECT(function, expression) \
	do { \
		place = x; \
		CHECK(do_##function(&place, y) == x); \
		CHECK(place == (int32_t)(expression)); \
	} while (0)

static void operations(int32_t x, int32_t y)
{
	EXPECT(swap, y);
	EXPECT(add, (uint32_t)x + (uint32_t)y);
	EXPECT(xor, x ^ y);
	EXPECT(and, x & y);
	EXPECT(or, x | y);
	EXPECT(min, x < y ? x : y);
	EXPECT(max, x > y ? x : y);
	EXPECT(minu, (uint32_t)x < (uint32_t)y ? x : y);
	EXPECT(maxu, (uint32_t)x > (uint32_t)y ? x : y);
}

#if __riscv_xlen == 64
static void operations_64(int64_t x, int64_t y)
{
	volatile int64_t at = x;

	CHECK(do_add_64(&at, y) == x && at == (int64_t)((uint64_t)x + (uint64_t)y));
	at = x;
	CHECK(do_min_64(&at, y) == x && at == (x < y ? x : y));
	at = x;
	CHECK(do_maxu_64(&at, y) == x && at == ((uint64_t)x > (uint64_t)y ? x : y));
	CHECK(do_swap_64(&at, 5) != 5 || x == 5 || y == 5);
	CHECK(at == 5);
}
#endif

/* SC without a reservation fails, and memory stays. */
static void lone_sc(void)
{
	uint32_t failed, value;

	place = 3;
	__asm__ volatile(
		"lr.w %1, (%2)\n"
		"sc.w %0, zero, (%3)\n" /* another address: fails, and ends the reservation */
		"sc.w %0, zero, (%2)"
		: "=&r"(failed), "=&r"(value)
		: "r"(&place), "r"(&lock)
		: "memory");
	CHECK(failed && value == 3 && place == 3);
}

int main(void)
{
	uint32_t state = 4, round, i;
	volatile uint32_t counter = 0;

	lone_sc();
	for (round = 0; round < 100 * REPEAT; round++) {
		operations((int32_t)random_next(&state), (int32_t)random_next(&state));
#if __riscv_xlen == 64
		operations_64((int64_t)((uint64_t)random_next(&state) << 32 | round),
			(int64_t)((uint64_t)random_next(&state) << 32));
#endif
		for (i = 0; i < 20; i++)
			tries += increment(&counter);
		CHECK(counter == 20 * (round + 1));

		while (do_swap((volatile int32_t *)&lock, 1))
			;
		for (i = 0; i < 64; i++) {
			items[i].value = i;
			push(&items[i]);
		}
		__asm__ volatile("amoswap.w.rl zero, zero, (%0)" ::"r"(&lock) : "memory");
		for (i = 64; i-- > 0;)
			CHECK(pop()->value == i);
		CHECK(!pop() && !lock);
	}
	CHECK(tries >= counter);
	return 0;
}
