/* kind: race with a handler
 * first: ^lost update of total: the program ended with exit code \d+, after 2520 != \d+ in main
 * says: an update of total:4 was lost
 * Main and a handler both count, and one update is lost.
 */
#include "support.h"

static volatile unsigned total, beats;

void trap_handler(xword *frame)
{
	(void)frame;
	total++;
	beats++;
	if (beats < 20)
		timer_arm(137);
	else
		timer_disarm();
}

int main(void)
{
	timer_arm(137);
	csr_set(mie, MIE_TIMER);
	csr_set(mstatus, MSTATUS_MIE);
	for (unsigned i = 0; i < 2500; i++)
		total++; /* BUG: a handler may come between load and store */
	csr_clear(mstatus, MSTATUS_MIE);
	CHECK(total == 2500 + beats);
	return 0;
}
