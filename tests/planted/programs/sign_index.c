/* kind: comparison of signed and unsigned
 * first: access fault
 * A temperature below zero is an index.
 */
#include "support.h"

static const uint8_t curve[16] = {1, 2, 4, 8, 16, 32, 64, 128, 255, 255, 255, 255, 1, 1, 1, 1};
static volatile unsigned sum;

__attribute__((noinline)) static unsigned look_up(int degrees)
{
	if (degrees > 15) /* BUG: no lower bound */
		degrees = 15;
	return curve[degrees];
}

__attribute__((noinline)) static int convert(uint16_t raw)
{
	return (raw - 0x8000) * 0x4000; /* BAD */
}

int main(void)
{
	static const uint16_t raw[] = {0x8000, 0x8001, 0x8004, 0x1000};

	for (unsigned i = 0; i < 4; i++)
		sum += look_up(convert(raw[i]));
	return 0;
}
