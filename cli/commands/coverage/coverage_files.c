/* Lists of rows, branches and functions, put together by file.
 *
 * How often a line ran: functions that have it, and places that one was inlined into, each have a
 * copy of it, and copies are summed. In a copy, each row of the table that begins a statement is an
 * expression at its line and column. Those of the same column are summed, too, as the compiler may
 * have unrolled a loop, unless they follow each other without a jump between them. Of the columns,
 * the one that ran most often counts. A row ran as often as the instruction in it that did so most
 * often. Rows that continue a statement, or only jump to it, count only where the copy has no
 * others, or none of these ran.
 */
#include "cli/commands/coverage/coverage_files.h"

#include <stdlib.h>
#include <string.h>

#include "cli/input/source_lines.h"

void *coverage_append(struct coverage_list *list, size_t size)
{
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 256;
		void *items = reallocarray(list->items, room, size);
		if (!items)
			return NULL;
		list->items = items;
		list->room = room;
	}
	return (char *)list->items + size * list->count++;
}

/* ---- Orders. ---- */

#define ORDER(a, b) \
	if ((a) != (b)) \
	return (a) < (b) ? -1 : 1

static int compare_rows(const void *a, const void *b)
{
	const struct coverage_row_item *x = a, *y = b;

	ORDER(x->source, y->source);
	ORDER(x->line, y->line);
	ORDER(x->copy, y->copy);
	ORDER(x->column, y->column);
	ORDER(x->address, y->address);
	return 0;
}

static int compare_branches(const void *a, const void *b)
{
	const struct coverage_branch_item *x = a, *y = b;

	ORDER(x->source, y->source);
	ORDER(x->branch.line, y->branch.line);
	ORDER(x->branch.address, y->branch.address);
	return 0;
}

static int compare_names(const struct coverage_function *x, const struct coverage_function *y)
{
	const size_t size = x->name_size < y->name_size ? x->name_size : y->name_size;
	const int order = memcmp(x->name, y->name, size);

	if (order != 0)
		return order;
	ORDER(x->name_size, y->name_size);
	return 0;
}

/* By name; the one that has code of its own first, and lower lines. */
static int compare_functions(const void *a, const void *b)
{
	const struct coverage_function_item *x = a, *y = b;

	ORDER(x->source, y->source);
	const int order = compare_names(&x->function, &y->function);
	if (order != 0)
		return order;
	ORDER(x->is_inlined, y->is_inlined);
	ORDER(x->function.line, y->function.line);
	return 0;
}

static int compare_function_lines(const void *a, const void *b)
{
	const struct coverage_function *x = a, *y = b;

	ORDER(x->line, y->line);
	return compare_names(x, y);
}

/* The rows of one line in one copy of it, sorted by column and address. */
static uint64_t copy_count(const struct coverage_row_item *rows, size_t count)
{
	uint64_t most = 0, most_of_rest = 0;

	for (size_t i = 0; i < count;) {
		uint64_t sum = 0, of_stretch = 0;
		const uint32_t column = rows[i].column;
		for (; i < count && rows[i].column == column; i++) {
			if (i > 0 && rows[i].address == rows[i - 1].address)
				continue; /* of files that overlap */
			if (i == 0 || rows[i].stretch != rows[i - 1].stretch) {
				sum += of_stretch;
				of_stretch = 0;
			}
			if (rows[i].is_statement && rows[i].count > of_stretch)
				of_stretch = rows[i].count;
			else if (!rows[i].is_statement && rows[i].count > most_of_rest)
				most_of_rest = rows[i].count;
		}
		sum += of_stretch;
		if (sum > most)
			most = sum;
	}
	return most > 0 ? most : most_of_rest;
}

static uint64_t line_count(const struct coverage_row_item *rows, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count;) {
		const size_t begin = i;
		while (i < count && rows[i].copy == rows[begin].copy)
			i++;
		sum += copy_count(&rows[begin], i - begin);
	}
	return sum;
}

static bool make_lines(
	struct coverage_lines_store *store, struct coverage_file *file, uint32_t source, size_t *at)
{
	const struct coverage_row_item *rows = store->rows.items;

	while (*at < store->rows.count && rows[*at].source == source) {
		const size_t begin = *at;
		struct coverage_line *line = coverage_append(&store->lines, sizeof(*line));
		if (!line)
			return false;
		while (*at < store->rows.count && rows[*at].source == source &&
			rows[*at].line == rows[begin].line)
			++*at;
		*line = (struct coverage_line){
			.line = rows[begin].line, .count = line_count(&rows[begin], *at - begin)};
		file->line_count++;
	}
	return true;
}

/* The first line with code from a line on. */
static const struct coverage_line *find_line(const struct coverage_file *file, uint32_t number)
{
	size_t first = 0, count = file->line_count;

	while (count > 0) {
		const size_t half = count / 2;
		if (file->lines[first + half].line < number) {
			first += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	return first < file->line_count ? &file->lines[first] : NULL;
}

static int compare_lines(const void *a, const void *b)
{
	const struct coverage_line *x = a, *y = b;

	ORDER(x->line, y->line);
	return 0;
}

/* The head of a function is a line as in gcov, though the line table begins with its brace: lcov 2
 * refuses a function whose line has no count.
 */
static bool add_heads(
	struct coverage_lines_store *store, struct coverage_file *file, uint32_t source, size_t at)
{
	const struct coverage_function_item *functions = store->functions.items;
	const size_t begin = store->lines.count - file->line_count;
	bool good = true;
	size_t count = 0;

	while (at + count < store->functions.count && functions[at + count].source == source)
		count++;
	struct coverage_line *heads = calloc(count + 1, sizeof(*heads));
	for (size_t i = 0; heads && i < count; i++)
		heads[i] = (struct coverage_line){.line = functions[at + i].function.line,
			.count = functions[at + i].function.count};
	if (heads)
		qsort(heads, count, sizeof(*heads), compare_lines);
	for (size_t i = 0, next; heads && good && i < count; i = next) {
		for (next = i + 1; next < count && heads[next].line == heads[i].line; next++)
			heads[i].count += heads[next].count;
		file->lines = (struct coverage_line *)store->lines.items + begin;
		const struct coverage_line *line = find_line(file, heads[i].line);
		if (line && line->line == heads[i].line)
			continue;
		struct coverage_line *added = coverage_append(&store->lines, sizeof(*added));
		good = added != NULL;
		if (added)
			*added = heads[i];
	}
	file->lines = (struct coverage_line *)store->lines.items + begin;
	file->line_count = store->lines.count - begin;
	qsort(file->lines, file->line_count, sizeof(*file->lines), compare_lines);
	good = good && heads;
	free(heads);
	return good;
}

/* What marks of lcov in the source leave out; what cannot be read has none. */
static void find_marks(struct source_lines *source, struct coverage_file *file)
{
	const uint32_t last = file->lines[file->line_count - 1].line;
	bool out = false, no_branches = false;
	size_t at = 0;

	for (uint32_t number = 1; number <= last && number < 1000000; number++) {
		const char *text = source_lines_find(source, file->path, number);
		bool this_out = false, this_no_branches = false;
		text = strstr(text, "LCOV_EXCL_");
		for (; text; text = strstr(text + 1, "LCOV_EXCL_")) {
			const char *what = text + strlen("LCOV_EXCL_");
			bool of_branches = strncmp(what, "BR_", 3) == 0;
			what += of_branches ? 3 : 0;
			bool *region = of_branches ? &no_branches : &out;
			if (strncmp(what, "START", 5) == 0)
				*region = true;
			else if (strncmp(what, "STOP", 4) == 0)
				*region = false;
			else if (strncmp(what, "LINE", 4) == 0)
				*(of_branches ? &this_no_branches : &this_out) = true;
		}
		for (; at < file->line_count && file->lines[at].line <= number; at++) {
			file->lines[at].left_out = out || this_out;
			file->lines[at].no_branches =
				out || this_out || no_branches || this_no_branches;
		}
	}
}

/* Did one of the branches of a line go any way? */
static bool some_branch_went(const struct coverage_lines_store *store, size_t at)
{
	const struct coverage_branch_item *branches = store->branches.items;
	const struct coverage_branch_item *first = &branches[at];

	for (; at < store->branches.count && branches[at].source == first->source &&
		branches[at].branch.line == first->branch.line;
		at++)
		if (branches[at].branch.taken > 0 || branches[at].branch.not_taken > 0)
			return true;
	return false;
}

/* A line that ran has no branches if none of them is known to have gone any way: they are those of
 * copies that did not run, or the trace does not show where they went. lcov 2 refuses them.
 */
static bool make_branches(
	struct coverage_lines_store *store, struct coverage_file *file, uint32_t source, size_t *at)
{
	const struct coverage_branch_item *branches = store->branches.items;
	uint32_t last_line = 0;
	bool some_went = false;

	for (; *at < store->branches.count && branches[*at].source == source; ++*at) {
		const struct coverage_line *line = find_line(file, branches[*at].branch.line);
		if (!line || line->line != branches[*at].branch.line || line->no_branches)
			continue;
		if (line->line != last_line)
			some_went = some_branch_went(store, *at);
		last_line = line->line;
		if (line->count > 0 && !some_went)
			continue;
		if (*at > 0 && compare_branches(&branches[*at], &branches[*at - 1]) == 0)
			continue; /* of files that overlap */
		struct coverage_branch *branch =
			coverage_append(&store->file_branches, sizeof(*branch));
		if (!branch)
			return false;
		*branch = branches[*at].branch;
		file->branch_count++;
		file->counts.branches += 2;
		file->counts.branches_hit +=
			(unsigned)(branch->taken > 0) + (unsigned)(branch->not_taken > 0);
	}
	return true;
}

static bool make_functions(
	struct coverage_lines_store *store, struct coverage_file *file, uint32_t source, size_t *at)
{
	const struct coverage_function_item *functions = store->functions.items;
	const size_t begin = store->file_functions.count;

	while (*at < store->functions.count && functions[*at].source == source) {
		struct coverage_function sum = functions[*at].function;
		for (++*at; *at < store->functions.count && functions[*at].source == source &&
			    compare_names(&functions[*at].function, &sum) == 0;
			++*at)
			sum.count += functions[*at].function.count;
		const struct coverage_line *line = find_line(file, sum.line);
		if (file->line_count == 0 || (line && line->left_out))
			continue;
		struct coverage_function *function =
			coverage_append(&store->file_functions, sizeof(sum));
		if (!function)
			return false;
		*function = sum;
		file->function_count++;
		file->counts.functions_hit += sum.count > 0;
	}
	file->counts.functions = file->function_count;
	if (file->function_count > 0)
		qsort((struct coverage_function *)store->file_functions.items + begin,
			file->function_count, sizeof(struct coverage_function),
			compare_function_lines);
	return true;
}

static void drop_lines(struct coverage_file *file)
{
	size_t kept = 0;

	for (size_t i = 0; i < file->line_count; i++) {
		if (file->lines[i].left_out)
			continue;
		file->counts.lines_hit += file->lines[i].count > 0;
		file->lines[kept++] = file->lines[i];
	}
	file->counts.lines = file->line_count = kept;
}

static void add_counts(struct coverage_counts *sum, const struct coverage_counts *counts)
{
	sum->lines += counts->lines;
	sum->lines_hit += counts->lines_hit;
	sum->functions += counts->functions;
	sum->functions_hit += counts->functions_hit;
	sum->branches += counts->branches;
	sum->branches_hit += counts->branches_hit;
}

static int compare_files(const void *a, const void *b)
{
	return strcmp(
		((const struct coverage_file *)a)->path, ((const struct coverage_file *)b)->path);
}

/* The lists are complete before pointers into them are. */
static bool make_files(struct coverage_lines *lines, struct source_lines *marks)
{
	struct coverage_lines_store *store = lines->store;
	size_t row_at = 0, branch_at = 0, function_at = 0;

	lines->files = calloc(store->source_count + 1, sizeof(*lines->files));
	if (!lines->files)
		return false;
	for (uint32_t i = 0; i < store->source_count; i++) {
		struct coverage_file *file = &lines->files[lines->file_count];
		*file = (struct coverage_file){.path = store->sources[i].mapped};
		if (!make_lines(store, file, i, &row_at))
			return false;
		if (file->line_count > 0 && !add_heads(store, file, i, function_at))
			return false;
		if (file->line_count > 0)
			find_marks(marks, file);
		if (!make_branches(store, file, i, &branch_at) ||
			!make_functions(store, file, i, &function_at))
			return false;
		lines->file_count += file->line_count > 0;
	}
	size_t line = 0, branch = 0, function = 0;
	for (size_t i = 0; i < lines->file_count; i++) {
		struct coverage_file *file = &lines->files[i];
		file->lines = (struct coverage_line *)store->lines.items + line;
		file->branches = (struct coverage_branch *)store->file_branches.items + branch;
		file->functions =
			(struct coverage_function *)store->file_functions.items + function;
		line += file->line_count;
		branch += file->branch_count;
		function += file->function_count;
		drop_lines(file);
		add_counts(&lines->counts, &file->counts);
	}
	qsort(lines->files, lines->file_count, sizeof(*lines->files), compare_files);
	return true;
}

static void sort(
	struct coverage_list *list, size_t size, int (*compare)(const void *, const void *))
{
	if (list->count > 1)
		qsort(list->items, list->count, size, compare);
}

bool coverage_files_make(struct coverage_lines *lines)
{
	struct coverage_lines_store *store = lines->store;
	struct source_lines *marks = source_lines_new();

	sort(&store->rows, sizeof(struct coverage_row_item), compare_rows);
	sort(&store->branches, sizeof(struct coverage_branch_item), compare_branches);
	sort(&store->functions, sizeof(struct coverage_function_item), compare_functions);
	const bool good = marks && make_files(lines, marks);
	source_lines_free(marks);
	return good;
}
