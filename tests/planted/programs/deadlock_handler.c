/* kind: deadlock with a handler
 * first: ^hang
 * A handler waits for a lock that the interrupted code holds.
 */
#include "support.h"

static volatile unsigned lock, total, ticks;

__attribute__((noinline)) static void acquire(void)
{
	while (lock)
		;
	lock = 1; /* BAD: held with interrupts on */
}

void trap_handler(xword *frame)
{
	(void)frame;
	timer_arm(170);
	acquire(); /* BUG: main may hold it */
	ticks++;
	lock = 0;
}

int main(void)
{
	timer_arm(170);
	csr_set(mie, MIE_TIMER);
	csr_set(mstatus, MSTATUS_MIE);
	for (unsigned i = 0; i < 4000; i++) {
		acquire();
		total = total * 5 + ticks;
		lock = 0;
	}
	return 0;
}
