/* kind: a handler that returns to a wrong place
 * first: exit code
 * It skips four bytes; the instruction that trapped has two.
 */
#include "support.h"

static volatile unsigned traps;

void trap_handler(xword *frame)
{
	(void)frame;
	traps++;
	csr_write(mepc, csr_read(mepc) + 4); /* BUG: c.ebreak has 2 bytes */
}

int main(void)
{
	unsigned x = 5;

	__asm__ volatile("c.ebreak\n\tc.addi %0, 2\n\taddi %0, %0, 3" : "+r"(x));
	CHECK(x == 10);
	return 0;
}
