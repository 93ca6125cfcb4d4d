#ifndef EAR_PROFILE_SHOW_H
#define EAR_PROFILE_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyses/profile/profile.h"
#include "cli/input/source_paths.h"
#include "cli/show/json.h"
#include "cli/show/verdict.h"

/* A finished profile, to standard output. Functions that return bool return false after printing
 * that memory is short. */
enum profile_sort { PROFILE_SORT_SELF, PROFILE_SORT_INCLUSIVE, PROFILE_SORT_CALLS };

struct profile_view {
	const struct ear_profile *profile;
	struct ear_names *names; /* NULL: there are none */
	enum profile_sort sort;
	uint64_t top; /* rows, 0: all */
	struct source_paths *paths;
	const struct verdict *verdict;
};

bool profile_show_functions(const struct profile_view *view);
/* Numbers of the functions that ran something themselves, in the view's order, as many as it shows:
 * *list is for free(), and *more how many are left out. */
bool profile_sorted(const struct profile_view *view, size_t **list, size_t *count, size_t *more);
bool profile_show_tree(const struct profile_view *view);
void profile_show_json(const struct profile_view *view);
bool profile_show_folded(const struct profile_view *view);

/* The line that an address is of, its path as --source has it. */
bool profile_line_at(const struct profile_view *view, uint64_t address, struct ear_line *line);

/* Where a function begins, likewise; of one that was only inlined the path alone, line is 0. */
bool profile_begin_of(const struct profile_view *view, const struct ear_profile_function *function,
	struct ear_line *line);

/* Is a function left out of lists (--ignore), by its name or the path of its source? */
bool profile_ignores(const struct profile_view *view, const struct ear_profile_function *function);

/* "key": {"records": 12, "clocks": null, ...} */
void profile_json_counts(const struct ear_profile_shows *shows, struct json *json, const char *key,
	const struct ear_profile_counts *counts);

/* What people read: "main", "[0x80000150]", "[unknown]". */
#define PROFILE_NAME_MAX 256
void profile_name(const struct profile_view *view, const struct ear_profile_function *function,
	char text[PROFILE_NAME_MAX]);

#endif
