/* kind: interrupt storm
 * first: interrupt storm
 * The handler does not clear what interrupts.
 */
#include "support.h"

static volatile unsigned ticks, sum;

void trap_handler(xword *frame) /* BUG: the timer is not armed again */
{
	(void)frame;
	ticks++; /* BAD: all that it does */
}

int main(void)
{
	timer_arm(140);
	csr_set(mie, MIE_TIMER);
	csr_set(mstatus, MSTATUS_MIE);
	for (unsigned i = 0; i < 3000; i++)
		sum += i;
	return 0;
}
