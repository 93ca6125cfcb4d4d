/* kind: array on the stack whose size comes from outside
 * first: stack overflow
 * A packet says how long it is, and the buffer for it is on the stack.
 */
#include "support.h"

static unsigned limits[4] = {1, 2, 3, 4};
static uint8_t wire[64] = {1, 2, 3, 4, 5};
static volatile unsigned total;

__attribute__((noinline)) static unsigned decode(unsigned length)
{
	volatile uint8_t buffer[length]; /* BUG: length is not compared with anything */
	unsigned sum = 0;

	for (unsigned i = 0; i < sizeof(wire); i++)
		buffer[i] = wire[i]; /* BAD */
	for (unsigned i = 0; i < sizeof(wire); i++)
		sum += buffer[i];
	return sum;
}

int main(void)
{
	unsigned stack = (unsigned)__builtin_frame_address(0);

	total = decode(64);
	/* As long as it takes to reach the variables. */
	total += decode((stack - (unsigned)limits) & ~15u);
	for (unsigned i = 0; i < 4; i++)
		CHECK(limits[i] == i + 1);
	return 0;
}
