/* kind: sleep without an enabled interrupt
 * first: endless wfi
 * The timer is armed, and the wrong bit is enabled.
 */
#include "support.h"

static volatile unsigned fired;

void trap_handler(xword *frame)
{
	(void)frame;
	fired++;
	timer_disarm();
}

__attribute__((noinline)) static void enable(unsigned source)
{
	csr_set(mie, 1u << source); /* BUG: by a number of the board, not of the core */
	csr_set(mstatus, MSTATUS_MIE);
}

int main(void)
{
	timer_arm(80);
	enable(5);
	while (!fired)
		__asm__ volatile("wfi"); /* BAD: waits for the timer */
	return 0;
}
