#include "fw.h"

static int count = 9; /* the same name as in fw.c */

int other(int value)
{
	static int calls;
	calls++;
	return value + count; /* LINE other */
}
