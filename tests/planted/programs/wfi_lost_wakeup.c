/* kind: lost wakeup
 * first: endless wfi
 * The flag is tested, the interrupt comes, and then the core sleeps.
 */
#include "support.h"

static volatile unsigned ready;

void trap_handler(xword *frame)
{
	(void)frame;
	ready = 1;
	timer_disarm();
}

__attribute__((noinline)) static unsigned prepare(void)
{
	unsigned x = 7;

	for (unsigned i = 0; i < 60; i++)
		x = x * 13 + i;
	return x;
}

int main(void)
{
	volatile unsigned result = 0;

	timer_arm(60);
	csr_set(mie, MIE_TIMER);
	csr_set(mstatus, MSTATUS_MIE);
	if (!ready) {
		result = prepare();
		__asm__ volatile("wfi"); /* BUG: ready may be set by now */
	}
	return result == 0;
}
