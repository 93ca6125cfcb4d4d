/* kind: sizeof of a pointer
 * first: exit code
 * Only the first 4 bytes of a key are cleared.
 */
#include <string.h>

#include "support.h"

static uint8_t keys[2][16];

__attribute__((noinline)) static void clear(uint8_t key[16])
{
	memset(key, 0, sizeof(key)); /* BUG: the size of a pointer */
}

__attribute__((noinline)) static void make(uint8_t *key, uint8_t seed)
{
	for (int i = 0; i < 16; i++)
		key[i] = (uint8_t)(seed * (i + 1)); /* BAD: it stays */
}

int main(void)
{
	make(keys[0], 3);
	make(keys[1], 5);
	clear(keys[0]);
	CHECK(keys[0][0] == 0);
	CHECK(keys[0][9] == 0);
	return 0;
}
