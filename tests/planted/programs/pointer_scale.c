/* kind: pointer arithmetic
 * first: access fault|misaligned
 * An offset in bytes is added to a pointer to words.
 */
#include "support.h"

static uint32_t registers[8];
static uint32_t *cursor = registers;
static uint32_t after[32];
static uint32_t *volatile target = after;

__attribute__((noinline)) static void write(unsigned offset, uint32_t value)
{
	cursor = registers;
	*(cursor + offset) = value; /* BUG: offset counts bytes */
}

int main(void)
{
	uint32_t **place = (uint32_t **)&target;

	for (unsigned i = 0; i < 8; i++)
		write(4 * i, 0x1000u + i);
	for (unsigned i = 0; i < 8; i++)
		after[i] = 0;
	*(uint32_t *)(uintptr_t)(**place + registers[4] * 0x10) = 1; /* BAD */
	return 0;
}
