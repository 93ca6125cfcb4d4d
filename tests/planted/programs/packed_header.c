/* kind: layout of a message
 * first: exit code
 * The compiler puts a gap before the length, so the length is something else.
 */
#include <string.h>

#include "support.h"

struct header {
	uint8_t type;
	uint16_t length; /* BUG: at 2 here, at 1 in the message */
};

static uint8_t payload[64];
static uint8_t *volatile to = payload;
static const uint8_t message[16] = {1, 5, 0, 4, 'h', 'e', 'l', 'l', 'o'};

__attribute__((noinline)) static unsigned receive(const uint8_t *bytes)
{
	struct header header;

	memcpy(&header, bytes, sizeof(header)); /* BAD */
	for (unsigned i = 0; i < header.length; i++)
		to[i & 63] = (uint8_t)(bytes[3 + (i & 7)] + 1);
	return header.length;
}

int main(void)
{
	unsigned length = receive(message);

	CHECK(length == 5);
	return 0;
}
