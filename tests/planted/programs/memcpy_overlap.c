/* kind: memcpy of areas that overlap
 * first: exit code
 * says: overlap: memcpy
 * The queue is moved up by memcpy.
 */
#include <string.h>

#include "support.h"

static uint8_t queue[40];
static volatile unsigned fill;

__attribute__((noinline)) static void push_front(uint8_t byte)
{
	memcpy(queue + 1, queue, fill); /* BUG: it must be memmove */
	queue[0] = byte;
	fill++;
}

int main(void)
{
	for (unsigned i = 0; i < 20; i++)
		push_front((uint8_t)(i + 1));
	CHECK(queue[19] == 1);
	return 0;
}
