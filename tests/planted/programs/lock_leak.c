/* kind: lock that an error does not give back
 * first: ^hang
 * says: the loop would end if \w+ [=!<>]+ \w+
 * says: after the last store to what it waits for, the run went another way
 * A transfer that fails returns with the lock.
 */
#include "support.h"

static volatile unsigned lock, transfers;

__attribute__((noinline)) static void acquire(void)
{
	while (lock)
		;
	lock = 1;
}

__attribute__((noinline)) static void release(void)
{
	lock = 0;
}

__attribute__((noinline)) static int transfer(unsigned length)
{
	acquire();
	if (length > 64)   /* BAD: this way has the lock */
		return -1; /* BUG: with the lock */
	transfers += length;
	release();
	return 0;
}

int main(void)
{
	static const volatile unsigned lengths[] = {12, 64, 80, 4};

	for (unsigned i = 0; i < 4; i++)
		transfer(lengths[i]);
	return 0;
}
