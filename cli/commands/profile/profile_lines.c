#include "cli/commands/profile/profile_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
	const char *path; /* "": no line is known */
	uint32_t line;
	uint64_t records, clocks;
	bool ignored;
};

static int compare_places(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	if (order != 0)
		return order;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->ignored - y->ignored;
}

static int compare_counts(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->records != y->records)
		return x->records > y->records ? -1 : 1;
	return compare_places(a, b);
}

/* Of an instruction. What its function is called, or the path of its line, may be ignored. */
static struct row make_row(const struct profile_view *view, const struct ear_profile_pc *pc,
	const bool *ignored_functions)
{
	struct ear_line line;
	struct row row = {.path = "",
		.records = pc->records,
		.clocks = pc->clocks,
		.ignored = ignored_functions[pc->function]};

	if (profile_line_at(view, pc->pc, &line)) {
		row.path = line.path;
		row.line = line.line;
		row.ignored = row.ignored || source_paths_ignores(view->paths, line.path);
	}
	if (row.ignored) {
		row.path = "";
		row.line = 0;
	}
	return row;
}

/* The rows, the largest first, and how many; NULL if memory is short. */
static struct row *collect(const struct profile_view *view, size_t *count)
{
	const size_t pcs = ear_profile_pc_count(view->profile);
	const size_t functions = ear_profile_function_count(view->profile);
	struct row *rows = calloc(pcs + 1, sizeof(*rows));
	bool *ignored = calloc(functions + 1, sizeof(*ignored));
	size_t kept = 0;

	for (size_t i = 0; i < functions && ignored; i++)
		ignored[i] = profile_ignores(view, ear_profile_function(view->profile, i));
	for (size_t i = 0; i < pcs && rows && ignored; i++)
		rows[i] = make_row(view, ear_profile_pc(view->profile, i), ignored);
	if (!ignored) {
		free(rows);
		rows = NULL;
	}
	free(ignored);
	if (!rows)
		return NULL;
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

static void print_row(const struct profile_view *view, const struct row *row)
{
	const double total = (double)ear_profile_total(view->profile).records;

	printf("%14" PRIu64 " %6.2f", row->records, 100.0 * (double)row->records / total);
	if (ear_profile_has_time(view->profile))
		printf(" %14" PRIu64, row->clocks);
	if (row->path[0])
		printf("  %s:%" PRIu32 "\n", ear_names_base(row->path), row->line);
	else
		printf("  %s\n", row->ignored ? "(ignored)" : "[no line]");
}

bool profile_lines(const struct profile_view *view)
{
	const struct row *ignored = NULL;
	uint64_t shown = 0;
	size_t count;
	struct row *rows = collect(view, &count);

	if (!rows)
		return false;
	printf("%14s %6s%s  %s\n", "self", "%",
		ear_profile_has_time(view->profile) ? "         clocks" : "", "line");
	for (size_t i = 0; i < count; i++) {
		if (rows[i].ignored)
			ignored = &rows[i];
		else if (view->top == 0 || shown++ < view->top)
			print_row(view, &rows[i]);
	}
	if (view->top && shown > view->top)
		printf("... and %" PRIu64 " more (--limit N)\n", shown - view->top);
	if (ignored)
		print_row(view, ignored);
	free(rows);
	return true;
}
