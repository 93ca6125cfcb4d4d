/* kind: write to a register that is read only
 * first: illegal instruction
 * mhartid cannot be written.
 */
#include "support.h"

static volatile unsigned id;

__attribute__((noinline)) static void renumber(unsigned number)
{
	csr_write(mhartid, number); /* BUG */
	id = number;
}

int main(void)
{
	id = (unsigned)csr_read(mhartid);
	renumber(3);
	return 0;
}
