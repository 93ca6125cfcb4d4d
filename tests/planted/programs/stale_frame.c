/* kind: use of a dead stack frame
 * first: use after return: the program ended with exit code
 * A pointer to a local array is returned.
 */
#include "support.h"

__attribute__((noinline)) static const char *label(unsigned number)
{
	char text[8] = "s";
	char *volatile begin = text;

	text[1] = (char)('0' + number % 10);
	text[2] = 0;
	return begin; /* BUG: text ends here */
}

__attribute__((noinline)) static unsigned busy(unsigned seed)
{
	volatile unsigned work[12];

	for (unsigned i = 0; i < 12; i++)
		work[i] = seed * 0x01010101u + i; /* BAD: writes over it */
	return work[5];
}

int main(void)
{
	const char *text = label(4);

	busy(6);
	CHECK(text[0] == 's');
	CHECK(text[1] == '4');
	return 0;
}
