/* kind: pointer into a block that realloc moved
 * first: exit code
 * The last entry is kept as a pointer, and the table grows.
 */
#include <stdlib.h>
#include <string.h>

#include "support.h"

static unsigned *table;
static unsigned count, room;
static char *volatile other;

__attribute__((noinline)) static unsigned *append(unsigned value)
{
	if (count == room) {
		room = room ? 2 * room : 4;
		table = realloc(table, room * sizeof(*table));
	}
	table[count] = value;
	return &table[count++];
}

int main(void)
{
	for (unsigned i = 0; i < 3; i++)
		append(i);
	unsigned *last = append(30);
	other = malloc(40);
	append(4);
	*last = 31; /* BUG: append may move the table */
	CHECK(table[3] == 31);
	return 0;
}
