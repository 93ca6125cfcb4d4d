/* kind: call of a null pointer
 * first: wild jump
 * A table of commands has a hole.
 */
#include "support.h"

static volatile unsigned runs;

static void ping(void)
{
	runs += 1;
}
static void reset(void)
{
	runs += 10;
}

static void (*const commands[8])(void) = {
	[0] = ping,
	[3] = reset,
};

__attribute__((noinline)) static void run(const uint8_t *message)
{
	commands[message[0] & 7](); /* BUG: not every command is there */
}

int main(void)
{
	static const uint8_t messages[] = {0, 3, 0, 2};

	for (unsigned i = 0; i < sizeof(messages); i++)
		run(messages + i);
	return 0;
}
