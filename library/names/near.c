/* Distance of names: the usual table of three rows, where a swap of neighbours counts once. */
#include "library/names/near.h"

#include <string.h>

#define LENGTH_MAX 128

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned ear_near_distance(const char *a, const char *b, unsigned max)
{
	size_t rows = strnlen(a, LENGTH_MAX + 1), columns = strnlen(b, LENGTH_MAX + 1);
	unsigned table[3][LENGTH_MAX + 1];

	if (rows > LENGTH_MAX || columns > LENGTH_MAX || rows > columns + max ||
		columns > rows + max)
		return max + 1;
	for (unsigned j = 0; j <= columns; j++)
		table[0][j] = j;
	for (unsigned i = 1; i <= rows; i++) {
		unsigned *row = table[i % 3], *above = table[(i + 2) % 3], best = i;

		row[0] = i;
		for (unsigned j = 1; j <= columns; j++) {
			row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]),
				least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], table[(i + 1) % 3][j - 2] + 1);
			best = least(best, row[j]);
		}
		if (best > max)
			return max + 1;
	}
	return least(table[rows % 3][columns], max + 1);
}

unsigned ear_near_limit(const char *word)
{
	size_t limit = strlen(word) / 3;

	return limit > 3 ? 3 : limit < 1 ? 1 : (unsigned)limit;
}
