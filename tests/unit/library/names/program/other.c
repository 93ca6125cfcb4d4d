/* The second source of the programs of these tests: a static variable of the same name as one in
 * fw.c, and one in a function.
 */
#include "fw.h"

static int count = 9; /* the same name as in fw.c */

int other(int value)
{
	static int calls;
	calls++;
	return value + count; /* LINE other */
}
