/* kind: size that overflows
 * first: exit code
 * Width times height does not fit, so the picture is too small.
 */
#include <stdlib.h>
#include <string.h>

#include "support.h"

static unsigned char *picture, *mask;

__attribute__((noinline)) static unsigned char *make(uint8_t width, uint8_t height)
{
	uint8_t size = (uint8_t)(width * height); /* BUG: 8 bits */

	return malloc(size);
}

__attribute__((noinline)) static void paint(uint8_t width, uint8_t height, int colour)
{
	memset(picture, colour, (size_t)width * height); /* BAD */
}

int main(void)
{
	picture = make(20, 15);
	mask = malloc(16);
	memset(mask, 1, 16);
	paint(20, 15, 7);
	CHECK(mask[0] == 1);
	return 0;
}
