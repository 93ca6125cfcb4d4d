/* kind: handler that returns to what trapped
 * first: breakpoint
 * The handler of a breakpoint counts, and forgets to go past it.
 */
#include "support.h"

static volatile unsigned breakpoints;

void trap_handler(xword *frame)
{
	(void)frame;
	breakpoints++; /* BUG: mepc is still the breakpoint */
}

__attribute__((noinline)) static void probe(void)
{
	__asm__ volatile("ebreak"); /* BAD */
}

int main(void)
{
	probe();
	return 0;
}
