/* kind: missing break
 * first: exit code
 * A case runs on into the next one.
 */
#include "support.h"

static unsigned speed;

__attribute__((noinline)) static void gear(char lever)
{
	switch (lever) {
	case 'd': speed = 50; /* BUG: no break */
	case 'r':
		speed = 5; /* BAD */
		break;
	default: speed = 0;
	}
}

int main(void)
{
	gear('r');
	CHECK(speed == 5);
	gear('d');
	CHECK(speed == 50);
	return 0;
}
