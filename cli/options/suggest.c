/* The name next to a misspelt one: the one with the smallest edit distance, in which two letters
 * that changed places count once, as fingers do that. A third of the letters may be wrong.
 */
#include "cli/options/suggest.h"

#include <string.h>

#define LENGTH_MAX 32

static unsigned min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Letters to insert, remove, replace or swap to make b of a; both are shorter than LENGTH_MAX. */
static unsigned distance(const char *a, const char *b)
{
	unsigned rows[LENGTH_MAX + 1][LENGTH_MAX + 1];
	size_t a_size = strlen(a), b_size = strlen(b);

	for (size_t i = 0; i <= a_size; i++)
		for (size_t j = 0; j <= b_size; j++) {
			if (i == 0 || j == 0) {
				rows[i][j] = (unsigned)(i + j);
				continue;
			}
			unsigned replaced = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			rows[i][j] = min(replaced, min(rows[i - 1][j], rows[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1);
		}
	return rows[a_size][b_size];
}

const char *suggest(const char *word, const char *const *names, size_t count)
{
	const char *nearest = NULL;
	size_t size = strlen(word);
	unsigned limit = (unsigned)(size + 2) / 3;

	for (size_t i = 0; i < count && size < LENGTH_MAX; i++) {
		if (strlen(names[i]) >= LENGTH_MAX)
			continue;
		unsigned wrong = distance(word, names[i]);
		if (wrong > limit || wrong >= size)
			continue;
		nearest = names[i];
		limit = wrong - 1;
		if (wrong == 0)
			break;
	}
	return nearest;
}
