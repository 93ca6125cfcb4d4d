/* kind: boot loop
 * first: boot loop
 * Each fault starts the program again, and it runs into the same fault.
 */
#include "support.h"

extern void _start(void);
static const uint32_t *calibration;

void trap_handler(xword *frame)
{
	(void)frame;
	_start();
}

__attribute__((noinline)) static uint32_t scale(uint32_t raw)
{
	return raw * calibration[2]; /* BUG: calibration was never set */
}

int main(void)
{
	return scale(12) == 0;
}
