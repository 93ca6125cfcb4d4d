/* kind: shift by too many bits
 * first: exit code
 * A mask of n bits is made by a shift of n, and n is 32.
 */
#include "support.h"

static uint32_t masks[3];

__attribute__((noinline)) static uint32_t mask_of(unsigned bits)
{
	return (1u << bits) - 1; /* BUG: for 32 bits it shifts by 32 */
}

int main(void)
{
	static const volatile unsigned widths[3] = {4, 16, 32};

	for (int i = 0; i < 3; i++)
		masks[i] = mask_of(widths[i]);
	CHECK(masks[1] == 0xffff);
	CHECK(masks[2] == 0xffffffff);
	return 0;
}
