/* kind: string without an end
 * first: exit code
 * strncpy writes no NUL if there is no room for it.
 */
#include <string.h>

#include "support.h"

struct entry {
	char name[8];
	char unit[8];
};
static struct entry entries[2];

__attribute__((noinline)) static void fill(int i, const char *name, const char *unit)
{
	strncpy(entries[i].unit, unit, sizeof(entries[i].unit));
	strncpy(entries[i].name, name, sizeof(entries[i].name)); /* BUG: 8 letters fill it */
}

int main(void)
{
	fill(0, "speed", "m/s");
	fill(1, "pressure", "kPa");
	CHECK(strlen(entries[0].name) == 5);
	CHECK(strlen(entries[1].name) == 8);
	return 0;
}
