/* Names that are near a wrong one: of symbols, and of functions that were only inlined. */
#include <earshot/names.h>
#include <string.h>

#include "library/names/names_internal.h"
#include "library/names/near.h"

/* The nearest names so far. */
struct suggestions {
	const char *wrong, **found;
	unsigned limit, distances[16];
	size_t count, max;
};

static void suggest(struct suggestions *near, const char *name)
{
	const char *text;
	size_t size = names_without_arguments(name, &text);
	char plain[256];

	if (size >= sizeof(plain))
		return;
	memcpy(plain, text, size);
	plain[size] = '\0';
	unsigned distance = ear_near_distance(near->wrong, plain, near->limit);
	if (distance > near->limit ||
		(near->count == near->max && distance >= near->distances[near->count - 1]))
		return;
	for (size_t i = 0; i < near->count; i++)
		if (strcmp(near->found[i], name) == 0)
			return;
	size_t at = near->count < near->max ? near->count++ : near->count - 1;
	for (; at > 0 && near->distances[at - 1] > distance; at--) {
		near->distances[at] = near->distances[at - 1];
		near->found[at] = near->found[at - 1];
	}
	near->distances[at] = distance;
	near->found[at] = name;
}

size_t ear_names_suggest(
	const struct ear_names *names, const char *wrong, const char **found, size_t max)
{
	const struct ear_symbol *symbols;
	const size_t count = ear_names_symbols(names, &symbols);
	struct suggestions near = {.wrong = wrong,
		.found = found,
		.limit = ear_near_limit(wrong),
		.max = max < 16 ? max : 16};

	for (size_t i = 0; i < count && max > 0; i++)
		suggest(&near, symbols[i].name);
	const size_t scopes = max > 0 ? names_inlined_count(names) : 0;
	for (size_t i = 0; i < scopes; i++)
		if (names_inlined_name(names, i))
			suggest(&near, names_inlined_name(names, i));
	return near.count;
}
