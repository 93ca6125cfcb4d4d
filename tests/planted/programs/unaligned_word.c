/* kind: jump into the middle
 * first: illegal instruction|wild jump|exit code
 * An offset is added to a function pointer.
 */
#include "support.h"

static volatile unsigned runs;

__attribute__((noinline)) static void work(void)
{
	runs += 0x12345;
}

static uintptr_t hook;

__attribute__((noinline)) static void install(uintptr_t function, unsigned flags)
{
	hook = function + flags; /* BUG: flags are for the low bits of another machine */
}

int main(void)
{
	install((uintptr_t)work, 0);
	((void (*)(void))hook)();
	install((uintptr_t)work, 0x40000000);
	((void (*)(void))hook)();
	return 0;
}
