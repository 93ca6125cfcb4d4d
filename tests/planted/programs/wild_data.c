/* kind: wild jump that runs through data
 * first: wild jump
 * A callback is called that is the address of a table; its first words are instructions.
 */
#include "support.h"

/* The first words are c.nop and addi a0, a0, 1. */
static const uint32_t table[4] = {0x00010001, 0x00150513, 0x00150513, 0xffffffff};

struct device {
	const void *data;
	void (*start)(void);
};
static struct device devices[2];

__attribute__((noinline)) static void attach(int i, const void *data, const void *start)
{
	devices[i].data = data;
	devices[i].start = (void (*)(void))(uintptr_t)start; /* BAD */
}

static void nothing(void)
{
}

int main(void)
{
	attach(0, table, (const void *)(uintptr_t)nothing);
	attach(1, (const void *)(uintptr_t)nothing, table); /* BUG: the wrong way round */
	for (int i = 0; i < 2; i++)
		devices[i].start();
	return 0;
}
