/* kind: arguments in the wrong order
 * first: wild jump
 * memset of no bytes: the slot still has what was there.
 */
#include <string.h>

#include "support.h"

struct slot {
	unsigned used;
	void (*done)(void);
};
static struct slot slots[4];
static volatile unsigned runs;

static void count(void)
{
	runs++;
}

__attribute__((noinline)) static void dirty(void)
{
	for (unsigned i = 0; i < 4; i++)
		slots[i].done = (void (*)(void))(uintptr_t)(0x40000000u + 2 * i); /* BAD */
}

__attribute__((noinline)) static void clear(void)
{
	volatile unsigned size = sizeof(slots);

	memset(slots, (int)size, 0); /* BUG: value and size are swapped */
}

int main(void)
{
	dirty();
	clear();
	slots[0].done = count;
	for (unsigned i = 0; i < 4; i++)
		if (slots[i].done)
			slots[i].done();
	return 0;
}
