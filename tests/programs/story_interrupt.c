/* A story for docs/why.md: an early return leaves interrupts off, and the program waits for a tick
 * that never comes. */
#include "support.h"

#define TICKS 200

static volatile uint32_t ticks;
static uint32_t queue[4], queued, dropped;

void trap_handler(xword *frame)
{
	(void)frame;
	CHECK(csr_read(mcause) == CAUSE_TIMER_IRQ);
	ticks++;
	timer_arm(TICKS);
}

/* Interrupts stay off if the queue is full. */
static int __attribute__((noipa)) put(uint32_t value)
{
	csr_clear(mstatus, MSTATUS_MIE);
	if (queued == 4) {
		dropped++;
		return 0;
	}
	queue[queued++] = value;
	csr_set(mstatus, MSTATUS_MIE);
	return 1;
}

static void __attribute__((noipa)) wait_tick(void)
{
	uint32_t now = ticks;

	while (ticks == now)
		;
}

int main(void)
{
	csr_write(mie, MIE_TIMER);
	timer_arm(TICKS);
	csr_set(mstatus, MSTATUS_MIE);
	for (uint32_t i = 0; i < 8; i++) {
		put(i);
		wait_tick();
	}
	return 0;
}
