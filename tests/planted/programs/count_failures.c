/* kind: exit code that is a count
 * first: exit code 2
 * A self-test counts what is wrong: two of twelve are.
 */
#include "support.h"

static int8_t gain[12] = {3, 7, 1, 4, 9, 2, 8, 5, 6, 3, 7, 1};
static int results[12];
static int failures;

__attribute__((noinline)) static void amplify(int i, int input)
{
	int8_t product = (int8_t)(gain[i] * input); /* BUG: 8 bits hold up to 127 */

	results[i] = product;
}

__attribute__((noinline)) static void expect(int i, int value)
{
	if (results[i] != value)
		failures++;
}

int main(void)
{
	for (int i = 0; i < 12; i++)
		amplify(i, 16);
	for (int i = 0; i < 12; i++)
		expect(i, gain[i] * 16);
	return failures;
}
