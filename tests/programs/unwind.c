/* Ways out of many frames at once: longjmp from deep recursion, from a callback, and out of a trap;
 * tail calls; functions without a frame. */
#include "support.h"

#include <setjmp.h>

#define CAUSE_BREAKPOINT 3
#define ROUNDS           (20 * REPEAT)

static jmp_buf out, inner;
static jmp_buf *trap_to;
static uint32_t reached, trapped;
static volatile int leaves_at_once;

void trap_handler(xword *frame)
{
	CHECK(csr_read(mcause) == CAUSE_BREAKPOINT);
	trapped++;
	frame[10] = (xword)trap_to; /* longjmp(*trap_to, 7), as the trap returns */
	frame[11] = 7;
	csr_write(mepc, (xword)longjmp);
}

static __attribute__((noinline)) uint32_t leaf(uint32_t x)
{
	return x * 2654435761u;
}

static __attribute__((noinline)) uint32_t tail(uint32_t x)
{
	return leaf(x + 1);
}

static __attribute__((noinline)) uint32_t dive(uint32_t depth, uint32_t limit)
{
	volatile uint32_t local[4] = {depth, limit, depth ^ limit, 0};

	reached = depth;
	if (depth == limit) {
		if (leaves_at_once)
			longjmp(out, (int)depth + 1);
		return 1;
	}
	local[3] = dive(depth + 1, limit);
	return local[0] + local[3] + tail(local[2]);
}

static __attribute__((noinline)) void each(
	const uint32_t *items, unsigned count, void (*visit)(uint32_t))
{
	for (unsigned i = 0; i < count; i++)
		visit(items[i]);
}

static void stop_at_seven(uint32_t item)
{
	if (tail(item) == leaf(8))
		longjmp(inner, 3);
}

static __attribute__((noinline)) uint32_t break_deep(uint32_t depth)
{
	if (depth == 0)
		__asm__ volatile(".option push; .option norvc; ebreak; .option pop" ::: "memory");
	return depth ? break_deep(depth - 1) + 1 : 0;
}

int main(void)
{
	static const uint32_t items[] = {1, 5, 9, 7, 2, 4};
	volatile uint32_t sum = 0;

	for (volatile uint32_t round = 0; round < ROUNDS; round++) {
		int result;

		leaves_at_once = 0;
		sum += dive(0, round % 5);
		leaves_at_once = 1;
		result = setjmp(out);
		if (result == 0)
			sum += dive(0, 3 + round % 17);
		else
			LOG(landed, main);
		if (result)
			CHECK((uint32_t)result == 4 + round % 17 && reached == 3 + round % 17);

		result = setjmp(inner);
		if (result == 0)
			each(items, 6, stop_at_seven);
		LOG(landed, main);
		CHECK(result == 3);

		result = setjmp(out);
		trap_to = &out;
		if (result == 0)
			sum += break_deep(round % 9);
		LOG(landed, main);
		CHECK(result == 7 && trapped == round + 1);
		sum += tail(round);
	}
	return 0;
}
