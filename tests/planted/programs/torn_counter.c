/* kind: time that is read in two parts
 * first: exit code
 * says: an interrupt came in this round
 * The handler counts seconds and minutes, and comes between the two reads.
 */
#include "support.h"

static volatile unsigned seconds, minutes;
static unsigned last;

void trap_handler(xword *frame)
{
	(void)frame;
	if (++seconds == 10) {
		seconds = 0;
		minutes++;
	}
	timer_arm(400);
}

__attribute__((noinline)) static unsigned now(void)
{
	unsigned high = minutes;
	unsigned low = seconds; /* BUG: high may be another one now */

	return 10 * high + low;
}

int main(void)
{
	timer_arm(400);
	csr_set(mie, MIE_TIMER);
	csr_set(mstatus, MSTATUS_MIE);
	for (unsigned i = 0; i < 20000; i++) {
		unsigned time = now();
		CHECK(time >= last);
		last = time;
	}
	return 0;
}
