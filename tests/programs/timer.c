/* Timer interrupts over code that rewrites itself. The handler changes no register of the
 * interrupted code, fence.i makes each new instruction visible, wfi waits for the next tick. */
#include "support.h"

#define TICKS 150 /* 15 microseconds between interrupts */

static volatile uint32_t interrupts;
static uint32_t code[2] __attribute__((aligned(4)));

void trap_handler(uint32_t *frame)
{
	(void)frame;
	CHECK(csr_read(mcause) == CAUSE_TIMER_IRQ);
	CHECK(csr_read(mip) & MIE_TIMER);
	interrupts++;
	timer_arm(TICKS);
}

/* Make `code` the function "add n to the argument", n in 0 .. 2047, and call it. */
static uint32_t add_by_new_code(uint32_t n, uint32_t x)
{
	code[0] = n << 20 | 0x00050513; /* addi a0, a0, n */
	code[1] = 0x00008067;           /* ret */
	__asm__ volatile("fence.i" ::: "memory");
	return ((uint32_t(*)(uint32_t))code)(x);
}

int main(void)
{
	uint32_t target, n = 0, before;

	csr_write(mie, MIE_TIMER);
	timer_arm(TICKS);
	csr_set(mstatus, MSTATUS_MIE);

	for (target = 200 * REPEAT; interrupts < target; n = (n + 1) & 2047)
		CHECK(add_by_new_code(n, 1000) == n + 1000);

	/* With interrupts off wfi still returns once one is pending; it is taken when they are on.
	 */
	csr_clear(mstatus, MSTATUS_MIE);
	before = interrupts;
	__asm__ volatile("wfi" ::: "memory");
	CHECK(csr_read(mip) & MIE_TIMER);
	CHECK(interrupts == before);
	csr_set(mstatus, MSTATUS_MIE);
	CHECK(interrupts > before);

	/* No interrupt comes once it is disarmed. */
	csr_clear(mstatus, MSTATUS_MIE);
	timer_disarm();
	before = interrupts;
	csr_set(mstatus, MSTATUS_MIE);
	for (n = 0; n < 500; n++)
		CHECK(interrupts == before);
	return 0;
}
