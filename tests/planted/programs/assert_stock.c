/* kind: failed assertion
 * first: failed assertion
 * More is sold than there is; the check comes later.
 */
#include <assert.h>

static int stock[4] = {3, 2, 5, 1};

__attribute__((noinline)) static void sell(int item, int count)
{
	stock[item] -= count; /* BUG: what is there is not looked at */
}

int main(void)
{
	sell(0, 1);
	sell(3, 2);
	sell(2, 2);
	for (int i = 0; i < 4; i++)
		assert(stock[i] >= 0);
	return 0;
}
