/* kind: precedence of operators
 * first: exit code
 * says: what it compares was made after .* start
 * != binds closer than &.
 */
#include "support.h"

#define BUSY 0x10u

static volatile unsigned status = BUSY;
static unsigned started;

__attribute__((noinline)) static void start(void)
{
	if (status & BUSY != 0) /* BUG: != binds closer than & */
		return;
	started++;
}

int main(void)
{
	start();
	CHECK(started == 0);
	return 0;
}
