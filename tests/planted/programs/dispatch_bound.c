/* kind: index into a table of functions
 * first: wild jump|illegal instruction
 * The number of a request is compared with the wrong bound.
 */
#include "support.h"

static volatile int done;

static void read_it(int value)
{
	done = value;
}

static void write_it(int value)
{
	done = value + 1;
}

static void (*const functions[4])(int) = {read_it, write_it, read_it, write_it};
static const volatile uint32_t version[2] = {0x12345, 0x678};

__attribute__((noinline)) static void dispatch(unsigned number, int value)
{
	if (number > 4) /* BUG: >= */
		return;
	functions[number](value); /* BAD */
}

int main(void)
{
	static const volatile uint8_t requests[] = {0, 2, 9, 3, 4};

	for (unsigned i = 0; i < sizeof(requests); i++)
		dispatch(requests[i], (int)version[i & 1]);
	return 0;
}
