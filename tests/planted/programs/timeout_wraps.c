/* kind: loop counter that wraps
 * first: ^hang|cause unknown
 * A counter of 8 bits is compared with 255.
 */
#include "support.h"

static volatile uint32_t status;

__attribute__((noinline)) static int wait_ready(uint8_t most)
{
	for (uint8_t i = 0; i <= most; i++) /* BUG: always true for 255 */
		if (status & 1)
			return 0;
	return -1;
}

int main(void)
{
	return wait_ready(20) == -1 ? wait_ready(255) + 1 : 1;
}
