/* kind: function that returns nothing
 * first: exit code|access fault
 * One way through a function has no return.
 */
#include "support.h"

static volatile unsigned limit = 40;
static unsigned levels[3];

__attribute__((noinline, optimize("O0"))) static unsigned level_of(unsigned value)
{
	if (value < limit)
		return 1;
	if (value > 100)
		return 2;
} /* BUG: nothing from 40 to 100 */

int main(void)
{
	static const volatile unsigned values[3] = {10, 120, 70};

	for (int i = 0; i < 3; i++)
		levels[i] = level_of(values[i]);
	CHECK(levels[1] == 2);
	CHECK(levels[2] <= 2);
	return 0;
}
