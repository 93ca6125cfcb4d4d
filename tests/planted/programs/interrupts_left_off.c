/* kind: interrupts stay off
 * first: hang|endless
 * One way out of a critical section forgets to end it.
 */
#include "support.h"

static volatile unsigned ticks, level;

void trap_handler(xword *frame)
{
	(void)frame;
	ticks++;
	timer_arm(200);
}

__attribute__((noinline)) static int take(void)
{
	csr_clear(mstatus, MSTATUS_MIE); /* BAD */
	if (level == 2)
		return -1; /* BUG: interrupts stay off */
	level++;
	csr_set(mstatus, MSTATUS_MIE);
	return 0;
}

__attribute__((noinline)) static void pause(void)
{
	unsigned begin = ticks;

	while (ticks == begin)
		;
}

int main(void)
{
	timer_arm(200);
	csr_set(mie, MIE_TIMER);
	csr_set(mstatus, MSTATUS_MIE);
	for (unsigned i = 0; i < 5; i++) {
		take();
		pause();
	}
	return 0;
}
