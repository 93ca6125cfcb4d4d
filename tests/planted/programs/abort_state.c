/* kind: abort
 * first: abort
 * A state machine takes an event that its state does not know.
 */
#include <stdlib.h>

enum state { IDLE, OPEN, CLOSED };
static enum state state;
static unsigned sent;

__attribute__((noinline)) static void step(char event)
{
	switch (event) {
	case 'o': state = OPEN; return;
	case 'c': state = CLOSED; return; /* BUG: a close in IDLE is not refused */
	case 's':
		if (state != OPEN)
			abort();
		sent++;
		return;
	default: return;
	}
}

int main(void)
{
	for (const char *event = "osscos"
				 "csc";
		*event; event++)
		step(*event);
	return 0;
}
