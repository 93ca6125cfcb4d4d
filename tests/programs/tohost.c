/* A program that ends in the way of the RISC-V test suites: it writes its exit code, shifted left
 * by one with bit 0 set, to the variable `tohost`. For simulations that look for that symbol. */
#include "support.h"

volatile uint32_t tohost;

int main(void)
{
	uint32_t state = 3, sum = 0;
	int i;

	for (i = 0; i < 1000 * REPEAT; i++)
		sum += random_next(&state);
	tohost = (sum != 0 ? 5u : 0u) << 1 | 1;
	for (;;)
		;
}
