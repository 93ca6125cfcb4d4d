/* kind: byte order
 * first: exit code
 * The length of a message has its high byte first.
 */
#include "support.h"

static const volatile uint8_t message[4] = {0x00, 0x02, 'o', 'k'};

__attribute__((noinline)) static unsigned length(const volatile uint8_t *bytes)
{
	return bytes[0] | (unsigned)bytes[1] << 8; /* BUG: the other way round */
}

int main(void)
{
	unsigned count = length(message);

	CHECK(count <= sizeof(message) - 2);
	return 0;
}
