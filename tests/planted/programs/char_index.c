/* kind: sign of a char
 * first: exit code|load access fault
 * A byte above 127 is a negative index.
 */
#include "support.h"

static uint32_t before[128], counts[256];

__attribute__((noinline)) static void count(const signed char *text)
{
	for (; *text; text++)
		counts[(int)*text]++; /* BUG: 0xe9 is -23 */
}

int main(void)
{
	count((const signed char *)"cafe");
	count((const signed char *)"caf\xe9");
	CHECK(counts['c'] == 2);
	CHECK(counts[0xe9] == 1);
	CHECK(before[105] == 0);
	return 0;
}
