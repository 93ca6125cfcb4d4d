/* Regular expressions by backtracking: characters, dots, classes, repetition and anchors; and a
 * search through text that must find what was put there. */
#include "support.h"

#define TEXT_SIZE 600

static char text[TEXT_SIZE + 1];

/* Length of the item at the front of the pattern: a class, an escaped or a plain character. */
static int item_size(const char *pattern)
{
	int size = 1;

	if (*pattern == '\\')
		return 2;
	if (*pattern != '[')
		return 1;
	while (pattern[size] != ']')
		size++;
	return size + 1;
}

static int in_class(const char *class, char c)
{
	int inverted = *++class == '^', found = 0;

	for (class += inverted; *class != ']'; class ++) {
		if (class[1] == '-' && class[2] != ']') {
			found |= c >= class[0] && c <= class[2];
			class += 2;
		} else {
			found |= c == *class;
		}
	}
	return found != inverted;
}

static int item_matches(const char *pattern, char c)
{
	if (!c)
		return 0;
	switch (*pattern) {
	case '.': return 1;
	case '[': return in_class(pattern, c);
	case '\\':
		if (pattern[1] == 'd')
			return c >= '0' && c <= '9';
		if (pattern[1] == 's')
			return c == ' ' || c == '\n';
		return c == pattern[1];
	default: return c == *pattern;
	}
}

/* The end of a match of pattern at the front of s, or 0. */
static const char *match(const char *pattern, const char *s)
{
	const char *end, *rest;
	int size, least;

	if (!*pattern)
		return s;
	if (*pattern == '$' && !pattern[1])
		return *s ? 0 : s;
	size = item_size(pattern);
	switch (pattern[size]) {
	case '?':
		if (item_matches(pattern, *s) && (end = match(pattern + size + 1, s + 1)))
			return end;
		return match(pattern + size + 1, s);
	case '*':
	case '+':
		least = pattern[size] == '+';
		for (rest = s; item_matches(pattern, *rest); rest++)
			;
		for (; rest >= s + least; rest--)
			if ((end = match(pattern + size + 1, rest)))
				return end;
		return 0;
	default: return item_matches(pattern, *s) ? match(pattern + size, s + 1) : 0;
	}
}

static const char *search(const char *pattern, const char *s, const char **end)
{
	if (*pattern == '^') {
		*end = match(pattern + 1, s);
		return *end ? s : 0;
	}
	do {
		*end = match(pattern, s);
		if (*end)
			return s;
	} while (*s++);
	return 0;
}

static void known(void)
{
	static const struct {
		const char *pattern, *text;
		int begin, end; /* -1: no match */
	} rows[] = {
		{"abc", "xxabcxx", 2, 5},
		{"^abc", "xabc", -1, 0},
		{"a.*c$", "zabccd c", 1, 8},
		{"[0-9]+\\.[0-9]*", "pi is 3.14 or so", 6, 10},
		{"[^a-z ]", "lower and Upper", 10, 11},
		{"colou?r", "the color", 4, 9},
		{"colou?r", "the colour", 4, 10},
		{"\\d\\d:\\d\\d", "at 12:45 h", 3, 8},
		{"x*", "aaa", 0, 0},
		{"(z+)", "no", -1, 0},
		{"b+c", "abbbd bc", 6, 8},
	};
	unsigned k;

	for (k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		const char *end, *begin = search(rows[k].pattern, rows[k].text, &end);

		CHECK((begin != 0) == (rows[k].begin >= 0));
		CHECK(!begin || (begin == rows[k].text + rows[k].begin &&
					end == rows[k].text + rows[k].end));
	}
}

int main(void)
{
	static const char *const words[] = {
		"load", "store", "0x80000000", "branch", "12:30", "trap"};
	uint32_t state = 33;
	int round, i;

	for (round = 0; round < REPEAT; round++) {
		int size = 0, times = 0, numbers = 0;
		const char *at, *end;

		known();
		while (size < TEXT_SIZE - 20) {
			uint32_t n = random_next(&state) % 6;

			for (i = 0; words[n][i]; i++)
				text[size++] = words[n][i];
			text[size++] = ' ';
			times += n == 4;
			numbers += n == 2;
		}
		text[size] = '\0';
		for (at = text; (at = search("\\d\\d:\\d+\\s", at, &end)); at = end)
			times--;
		for (at = text; (at = search("0x[0-9a-f]+", at, &end)); at = end)
			numbers--;
		CHECK(times == 0 && numbers == 0);
		CHECK(!search("trap.*zebra", text, &end));
	}
	return 0;
}
