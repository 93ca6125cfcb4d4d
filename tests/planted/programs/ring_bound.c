/* kind: off by one
 * first: exit code
 * A ring writes one byte after its room, which is its own read pointer.
 */
#include "support.h"

#define ROOM 12

struct ring {
	uint8_t data[ROOM];
	uint8_t *out, *in;
	unsigned fill;
};
static struct ring ring = {.out = ring.data, .in = ring.data};

__attribute__((noinline)) static void put(uint8_t byte)
{
	*ring.in++ = byte;              /* BAD: the byte after the room */
	if (ring.in > ring.data + ROOM) /* BUG: >= */
		ring.in = ring.data;
	ring.fill++;
}

__attribute__((noinline)) static int get(void)
{
	uint8_t byte = *ring.out++;

	if (ring.out == ring.data + ROOM)
		ring.out = ring.data;
	ring.fill--;
	return byte;
}

int main(void)
{
	for (unsigned i = 0; i < 200; i++) {
		put((uint8_t)(i + 0x40));
		CHECK(get() == (uint8_t)(i + 0x40));
	}
	return 0;
}
