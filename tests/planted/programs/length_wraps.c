/* kind: subtraction below zero
 * first: cause unknown|access fault
 * The length of a message is less than its header.
 */
#include "support.h"

struct entry {
	uint32_t words[256];
};
static struct entry message[4] = {{{2}}}, body[4];
static volatile unsigned sum;

__attribute__((noinline)) static void take(const struct entry *from, unsigned length)
{
	unsigned count = length - 4; /* BUG: length may be less */

	for (unsigned i = 0; i < count; i++)
		body[i].words[i % 4] = from[i].words[0]; /* BAD */
}

int main(void)
{
	take(message, 6);
	sum = body[0].words[0];
	take(message, message[0].words[0]);
	return 0;
}
