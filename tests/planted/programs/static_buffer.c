/* kind: function with a static buffer
 * first: exit code
 * The second call writes over the result of the first.
 */
#include "support.h"

__attribute__((noinline)) static const char *hex(unsigned value)
{
	static char text[3]; /* BUG: one for all calls */

	text[0] = "0123456789abcdef"[value >> 4 & 15]; /* BAD */
	text[1] = "0123456789abcdef"[value & 15];
	return text;
}

int main(void)
{
	const char *first = hex(0x1f), *second = hex(0xa0);

	CHECK(second[0] == 'a');
	CHECK(first[0] == '1');
	return 0;
}
