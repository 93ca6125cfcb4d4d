/* kind: full and empty look the same
 * first: ^hang
 * The queue is full, head is tail again, and the reader waits.
 */
#include "support.h"

#define ROOM 8

static volatile unsigned head, tail;
static volatile uint8_t queue[ROOM];

__attribute__((noinline)) static void put(uint8_t byte)
{
	queue[head] = byte;
	head = (head + 1) % ROOM; /* BUG: nothing keeps one place free */
}

__attribute__((noinline)) static uint8_t get(void)
{
	while (head == tail)
		;
	uint8_t byte = queue[tail];
	tail = (tail + 1) % ROOM;
	return byte;
}

int main(void)
{
	for (unsigned i = 0; i < 5; i++)
		put((uint8_t)i);
	for (unsigned i = 0; i < 5; i++)
		get();
	for (unsigned i = 0; i < ROOM; i++)
		put((uint8_t)i);
	return get() == 0 ? 0 : 1;
}
