/* Works for ever, for a debugger that is attached to the run: sorts random numbers, counts the
 * rounds of it, and counts ticks. The time is in the numbers, which nobody can predict, so its
 * trace grows.
 */
#include "support.h"

#define COUNT 16
#define TICKS 3000

volatile uint32_t rounds, ticks, seed = 1;
uint32_t numbers[COUNT];

void trap_handler(xword *frame)
{
	(void)frame;
	CHECK(csr_read(mcause) == CAUSE_TIMER_IRQ);
	ticks++;
	timer_arm(TICKS);
}

static uint32_t random_number(void)
{
	uint32_t x = seed ^ *MTIME;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	seed = x;
	return x;
}

void __attribute__((noipa)) sort_numbers(void)
{
	for (unsigned i = 1; i < COUNT; i++) {
		uint32_t x = numbers[i];
		unsigned j = i;
		for (; j > 0 && numbers[j - 1] > x; j--)
			numbers[j] = numbers[j - 1];
		numbers[j] = x;
	}
}

void __attribute__((noipa)) count_round(void)
{
	rounds++;
}

int main(void)
{
	csr_write(mie, MIE_TIMER);
	timer_arm(TICKS);
	csr_set(mstatus, MSTATUS_MIE);
	for (;;) {
		for (unsigned i = 0; i < COUNT; i++)
			numbers[i] = random_number();
		sort_numbers();
		count_round();
	}
}
