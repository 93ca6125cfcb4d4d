/* kind: sleep that nothing ends
 * first: endless wfi
 * The event was switched off before the core sleeps.
 */
#include "support.h"

static volatile unsigned events;

void trap_handler(xword *frame)
{
	(void)frame;
	timer_disarm();
	events++;
}

__attribute__((noinline)) static void cancel(int late)
{
	if (late)
		timer_disarm(); /* BUG: the sleep needs it */
}

int main(void)
{
	timer_arm(2000);
	csr_set(mie, MIE_TIMER);
	csr_set(mstatus, MSTATUS_MIE);
	cancel(1);
	__asm__ volatile("wfi"); /* BAD: nothing is left that ends it */
	return events == 0;
}
