/* kind: allocation that failed
 * first: (store|load) access fault at address 0x0000
 * A picture does not fit into the heap, and nobody looks.
 */
#include <stdlib.h>

#include "support.h"

static uint8_t *picture;
static volatile unsigned sum;

__attribute__((noinline)) static void load(unsigned width, unsigned height)
{
	picture = malloc(width * height); /* BUG: it may be NULL */
	picture[width * height / 2] = 1;
}

int main(void)
{
	load(20, 15);
	sum += picture[0];
	load(320, 200);
	sum += picture[0];
	return 0;
}
