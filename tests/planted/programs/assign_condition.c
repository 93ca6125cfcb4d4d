/* kind: assignment in a condition
 * first: exit code
 * The state is set where it should be compared.
 */
#include "support.h"

enum state { IDLE, BUSY, FAILED };
static volatile enum state state;
static unsigned resets;

__attribute__((noinline)) static void poll(void)
{
	if (state = FAILED) /* BUG: == */
		resets++;
}

int main(void)
{
	state = BUSY;
	poll();
	CHECK(state == BUSY);
	CHECK(resets == 0);
	return 0;
}
