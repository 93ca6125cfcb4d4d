/* Rows of a profile with options.inlined: a function as people know it. What was inlined somewhere
 * and has the name and source of a function that also stands by itself is in one row with it; else
 * all that have one name and source are a row without an entry. They are sorted by that, so that
 * equal ones are neighbours and rows do not depend on the order in which they were met.
 */
#include "analyses/profile/profile_rows.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#define NONE UINT32_MAX

/* By name and source; then what stands by itself, by address. Other functions are none of a group.
 */
static int compare(const struct ear_profile_function *x, const struct ear_profile_function *y)
{
	int order = strcmp(x->name, y->name);

	if (order == 0)
		order = strcmp(x->source, y->source);
	return order;
}

static int compare_members(const void *a, const void *b)
{
	const struct ear_profile_function *x = *(const struct ear_profile_function *const *)a;
	const struct ear_profile_function *y = *(const struct ear_profile_function *const *)b;
	const int order = compare(x, y);

	if (order != 0)
		return order;
	if ((x->outer == NONE) != (y->outer == NONE))
		return x->outer == NONE ? -1 : 1;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* The functions from first on that are one name in one source: what of it was inlined is one row,
 * the first that stands by itself if there is one. Returns how many. */
static size_t make_row(struct ear_profile *profile, struct ear_profile_function *rows,
	uint32_t *row_count, struct ear_profile_function *const *first, size_t count)
{
	const struct ear_profile_function *parts = profile->parts;
	uint32_t row = NONE;
	size_t size = 0;

	if (first[0]->outer == NONE)
		row = (uint32_t)(first[0] - parts);
	for (; size < count && compare(first[size], first[0]) == 0; size++) {
		if (first[size]->outer == NONE)
			continue;
		if (row == NONE) {
			row = (*row_count)++;
			rows[row] = (struct ear_profile_function){.name = first[size]->name,
				.source = first[size]->source,
				.outer = NONE,
				.is_only_inlined = true};
		}
		rows[row].is_inlined = true;
		profile->rows[first[size] - parts] = row;
	}
	return size;
}

int ear_profile_make_rows(struct ear_profile *profile)
{
	const uint32_t count = profile->function_count;
	struct ear_profile_function *rows = calloc((size_t)count + 1, sizeof(*rows));
	struct ear_profile_function **members = calloc((size_t)count + 1, sizeof(*members));
	uint32_t row_count = 0;
	size_t member_count = 0;

	profile->rows = calloc((size_t)count + 1, sizeof(*profile->rows));
	if (!rows || !members || !profile->rows) {
		free(rows);
		free(members);
		return EAR_E_NO_MEMORY;
	}
	profile->parts = profile->functions;
	/* Those that stand by themselves come first, and keep their numbers. */
	for (uint32_t i = 0; i < count; i++) {
		struct ear_profile_function *function = &profile->parts[i];
		if (function->outer == NONE) {
			profile->rows[i] = row_count;
			rows[row_count++] = *function;
		}
		if (function->source)
			members[member_count++] = function;
	}
	qsort(members, member_count, sizeof(*members), compare_members);
	for (size_t i = 0; i < member_count;)
		i += make_row(profile, rows, &row_count, members + i, member_count - i);
	free(members);
	profile->functions = rows;
	profile->function_count = row_count;
	return 0;
}
