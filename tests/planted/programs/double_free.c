/* kind: double free
 * first: failed assertion
 * A header is freed by the function that failed and by its caller; free finds out.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

#define LIVE 0x1a11u
#define DEAD 0xdeadu

struct guard {
	unsigned mark, size;
};

__attribute__((noinline)) static void *guarded(unsigned size)
{
	struct guard *guard = malloc(sizeof(*guard) + size);

	*guard = (struct guard){LIVE, size};
	return guard + 1;
}

__attribute__((noinline)) static void release(void *block)
{
	struct guard *guard = (struct guard *)block - 1;

	assert(guard->mark == LIVE);
	guard->mark = DEAD;
}

__attribute__((noinline)) static int parse_header(char *header)
{
	if (header[0] != 'H') {
		release(header); /* BAD: the first time */
		return -1;
	}
	return 0;
}

__attribute__((noinline)) static void receive(char kind)
{
	char *header = guarded(24);

	memset(header, kind, 24);
	parse_header(header);
	release(header); /* BUG: parse_header freed it, if it failed */
}

int main(void)
{
	receive('H');
	receive('X');
	return 0;
}
