#include "cli/commands/profile_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
	const char *path; /* "": no line is known */
	uint32_t line;
	uint64_t records, clocks, pc;
};

static int compare_places(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	if (order != 0)
		return order;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int compare_counts(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->records != y->records)
		return x->records > y->records ? -1 : 1;
	return compare_places(a, b);
}

/* The rows, the largest first, and how many; NULL if memory is short. */
static struct row *collect(
	const struct ear_profile *profile, const struct ear_names *names, size_t *count)
{
	const size_t pcs = ear_profile_pc_count(profile);
	struct row *rows = calloc(pcs + 1, sizeof(*rows));
	size_t kept = 0;

	if (!rows)
		return NULL;
	for (size_t i = 0; i < pcs; i++) {
		const struct ear_profile_pc *pc = ear_profile_pc(profile, i);
		struct ear_line line = {.size = sizeof(line)};
		bool known = names && ear_names_line_at(names, pc->pc, &line) && line.line > 0;
		rows[i] = (struct row){known ? line.path : "", known ? line.line : 0, pc->records,
			pc->clocks, pc->pc};
	}
	qsort(rows, pcs, sizeof(*rows), compare_places);
	for (size_t i = 0; i < pcs; i++) {
		if (kept > 0 && compare_places(&rows[kept - 1], &rows[i]) == 0) {
			rows[kept - 1].records += rows[i].records;
			rows[kept - 1].clocks += rows[i].clocks;
		} else {
			rows[kept++] = rows[i];
		}
	}
	qsort(rows, kept, sizeof(*rows), compare_counts);
	*count = kept;
	return rows;
}

bool profile_lines(const struct ear_profile *profile, const struct ear_names *names, uint64_t top)
{
	const double total = (double)ear_profile_total(profile).records;
	const bool timed = ear_profile_has_time(profile);
	char place[256];
	size_t count;
	struct row *rows = collect(profile, names, &count);

	if (!rows)
		return false;
	printf("%14s %6s%s  %s\n", "self", "%", timed ? "         clocks" : "", "line");
	for (size_t i = 0; i < count && (top == 0 || i < top); i++) {
		printf("%14" PRIu64 " %6.2f", rows[i].records,
			100.0 * (double)rows[i].records / total);
		if (timed)
			printf(" %14" PRIu64, rows[i].clocks);
		if (!rows[i].path[0] ||
			ear_names_line_text(names, rows[i].pc, place, sizeof(place)) <= 0)
			strcpy(place, "[no line]");
		printf("  %s\n", place);
	}
	if (top && count > top)
		printf("... and %" PRIu64 " more (--top N)\n", count - top);
	free(rows);
	return true;
}
