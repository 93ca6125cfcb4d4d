/* kind: trap vector that leads nowhere
 * first: access fault
 * The vector is set to the table of the handlers, and not to the entry.
 */
#include "support.h"

static uint32_t vectors[4];

__attribute__((noinline)) static void set_vector(xword entry)
{
	csr_write(mtvec, entry);
}

__attribute__((noinline)) static void start_timer(void)
{
	timer_arm(30);
	csr_set(mie, MIE_TIMER);
	csr_set(mstatus, MSTATUS_MIE);
}

int main(void)
{
	vectors[0] = 0;
	set_vector(vectors[0]); /* BUG: what is in the table */
	start_timer();
	for (volatile int i = 0; i < 100; i++)
		;
	return 0;
}
