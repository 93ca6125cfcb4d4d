/* kind: division by zero
 * first: (load|store) access fault
 * RISC-V divides by zero without a trap, and the result is -1.
 */
#include "support.h"

static volatile uint8_t samples[64];
static unsigned sums[8], counts[8];
static volatile unsigned sink;

__attribute__((noinline)) static void add(unsigned i, unsigned value)
{
	sums[i] += value;
	counts[i]++;
}

__attribute__((noinline)) static unsigned mean(unsigned i)
{
	return sums[i] / counts[i]; /* BUG: counts[i] may be 0 */
}

int main(void)
{
	for (unsigned i = 0; i < 14; i++)
		add(i % 7, i % 3);
	for (unsigned i = 0; i < 8; i++)
		sink = samples[mean(i) / 2];
	return 0;
}
