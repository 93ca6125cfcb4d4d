/* Lines of all files together. They are asked for when the first line is: of a large program they
 * take seconds, and who looks for a symbol does not need them.
 */
#include <earshot/error.h>
#include <earshot/names.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/versioned.h"
#include "library/names/names_internal.h"

/* The rows of one file. That it has none is no error here. */
static void ask(struct ear_names *names, size_t number)
{
	struct names_file *file = &names->files[number];
	uint8_t *answer;
	size_t size;

	if (file->has_lines || !file->facts.file.has_lines)
		return;
	file->has_lines = true;
	if (names_ask(names, number, EAR_MESSAGE_LINES, NULL, 0, &answer, &size) != 0)
		return;
	int result = names_lines_read(&file->lines, answer, size);
	if (result != 0)
		names_fail(names, result, file->path, "its lines: %s", ear_error_text(result));
	free(answer);
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool gather_sources(const struct ear_names *names, struct names_merged *merged)
{
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < names->count; i++)
		count += names->files[i].lines.source_count;
	merged->sources = calloc(count + 1, sizeof(*merged->sources));
	if (!merged->sources)
		return false;
	count = 0;
	for (size_t i = 0; i < names->count; i++)
		for (size_t j = 0; j < names->files[i].lines.source_count; j++)
			merged->sources[count++] = names->files[i].lines.sources[j];
	qsort(merged->sources, count, sizeof(*merged->sources), compare_paths);
	for (size_t i = 0; i < count; i++)
		if (merged->sources[i][0] &&
			(kept == 0 || strcmp(merged->sources[i], merged->sources[kept - 1]) != 0))
			merged->sources[kept++] = merged->sources[i];
	merged->source_count = kept;
	return true;
}

static bool gather_rows(const struct ear_names *names, struct names_merged *merged)
{
	size_t count = 0;

	for (size_t i = 0; i < names->count; i++)
		count += names->files[i].lines.count;
	struct ear_interval *intervals = calloc(count + 1, sizeof(*intervals));
	merged->rows = calloc(count + 1, sizeof(*merged->rows));
	if (!intervals || !merged->rows) {
		free(intervals);
		return false;
	}
	count = 0;
	for (size_t i = 0; i < names->count; i++) {
		const struct names_file *file = &names->files[i];
		for (size_t j = 0; j < file->lines.count; j++, count++) {
			const struct names_row *row = &file->lines.rows[j];
			uint64_t first = names_there(file, row->first);
			merged->rows[count] = (struct names_row_of){row, (uint32_t)i};
			intervals[count] = (struct ear_interval){.first = first,
				.last = first + (row->last - row->first),
				.rank = {i, count},
				.item = (uint32_t)count};
			if (intervals[count].last < first)
				intervals[count].last = UINT64_MAX;
		}
	}
	merged->row_count = count;
	bool good = ear_spans_make(&merged->line_spans, intervals, count) == 0;
	free(intervals);
	return good;
}

static const struct names_merged *merge(const struct ear_names *names)
{
	struct names_merged *merged = names->merged;

	if (merged->has_lines)
		return merged;
	merged->has_lines = true;
	for (size_t i = 0; i < names->count; i++)
		ask((struct ear_names *)(uintptr_t)names, i);
	if (!gather_sources(names, merged) || !gather_rows(names, merged))
		merged->row_count = merged->source_count = 0;
	return merged;
}

bool ear_names_line_at(const struct ear_names *names, uint64_t address, struct ear_line *line)
{
	struct ear_line own;
	const struct names_merged *merged = merge(names);
	size_t at;
	uint32_t item = ear_spans_find(&merged->line_spans, address, &at);

	if (item == EAR_INTERVALS_NONE)
		return false;
	const struct names_row_of *found = &merged->rows[item];
	const struct names_row *row = found->row;
	own = (struct ear_line){.path = names->files[found->file].lines.sources[row->source],
		.line = row->line,
		.column = row->column,
		.is_statement = row->is_statement};
	ear_spans_bounds(&merged->line_spans, at, &own.first, &own.last);
	return ear_versioned_write(line, &own, sizeof(own)) == 0;
}

const char *ear_names_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

size_t ear_names_sources(const struct ear_names *names, const char *const **paths)
{
	const struct names_merged *merged = merge(names);

	*paths = merged->sources;
	return merged->source_count;
}

/* ---- Addresses of a line ---- */

static bool ends_with(const char *path, const char *end)
{
	size_t length = strlen(path), size = strlen(end);

	while (strncmp(end, "./", 2) == 0) {
		end += 2;
		size -= 2;
	}
	return size > 0 && length >= size && strcmp(path + length - size, end) == 0 &&
	       (length == size || path[length - size - 1] == '/');
}

/* The one path that is meant. Compilers write the same one in several ways ("./fw.c"), which do not
 * make it ambiguous. */
static int choose_path(struct ear_names *names, const char *wanted, const char **chosen)
{
	const struct names_merged *merged = merge(names);
	char list[400] = "";
	size_t length = 0, count = 0;

	for (size_t i = 0; i < merged->source_count; i++) {
		const char *path = merged->sources[i];
		if (!ends_with(path, wanted))
			continue;
		if (strcmp(path, wanted) == 0) {
			*chosen = path;
			return 0;
		}
		if (count > 0 && (ends_with(path, *chosen) || ends_with(*chosen, path)))
			continue;
		if (count++ == 0)
			*chosen = path;
		if (length < sizeof(list))
			length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%s",
				length ? ", " : "", path);
	}
	if (count == 1)
		return 0;
	if (count == 0)
		return names_fail(names, EAR_E_BAD_ARGUMENT, NULL,
			"there is no source file '%.300s'%s", wanted,
			merged->source_count ? "" : " (the program has no lines: compile with -g)");
	return names_fail(names, EAR_E_BAD_ARGUMENT, NULL,
		"'%.100s' may be any of %zu source files: %.390s", wanted, count, list);
}

static bool is_path(const char *path, const char *chosen)
{
	return strcmp(path, chosen) == 0 || ends_with(path, chosen) || ends_with(chosen, path);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct ear_span *left = a, *right = b;

	return left->first < right->first ? -1 : left->first > right->first;
}

/* Sort and join what touches. Returns how many are left. */
static size_t join(struct ear_span *ranges, size_t count)
{
	size_t kept = 0;

	qsort(ranges, count, sizeof(*ranges), compare_ranges);
	for (size_t i = 0; i < count; i++) {
		struct ear_span *last = kept ? &ranges[kept - 1] : NULL;
		bool touches =
			last && (last->last == UINT64_MAX || ranges[i].first <= last->last + 1);
		if (touches && ranges[i].last > last->last)
			last->last = ranges[i].last;
		else if (!touches)
			ranges[kept++] = ranges[i];
	}
	return kept;
}

static void note_nearest(uint32_t nearest[2], uint32_t line, uint32_t wanted)
{
	if (line < wanted && line > nearest[0])
		nearest[0] = line;
	if (line > wanted && (nearest[1] == 0 || line < nearest[1]))
		nearest[1] = line;
}

int ear_names_line_addresses(struct ear_names *names, const char *path, uint32_t line,
	struct ear_span *ranges, size_t max, uint32_t nearest[2])
{
	const struct names_merged *merged = merge(names);
	const char *chosen = NULL;
	int result = choose_path(names, path, &chosen);

	if (result != 0)
		return result;
	struct ear_span *all = calloc(merged->row_count + 1, sizeof(*all));
	if (!all)
		return names_fail(
			names, EAR_E_NO_MEMORY, NULL, "%s", ear_error_text(EAR_E_NO_MEMORY));
	size_t count = 0;
	nearest[0] = nearest[1] = 0;
	for (size_t i = 0; i < merged->row_count; i++) {
		const struct names_row_of *found = &merged->rows[i];
		const struct names_file *file = &names->files[found->file];
		const struct names_row *row = found->row;
		uint64_t first = names_there(file, row->first);

		if ((row->line != line && row->line == 0) ||
			!is_path(file->lines.sources[row->source], chosen))
			continue;
		if (row->line == line)
			all[count++] = (struct ear_span){first, first + (row->last - row->first)};
		else
			note_nearest(nearest, row->line, line);
	}
	count = join(all, count);
	if (max > 0)
		memcpy(ranges, all, (count < max ? count : max) * sizeof(*ranges));
	free(all);
	return (int)count;
}

int ear_names_line_text(const struct ear_names *names, uint64_t address, char *text, size_t size)
{
	struct ear_line line = {.size = sizeof(line)};
	char path[512];

	if (!ear_names_line_at(names, address, &line) || line.line == 0)
		return snprintf(text, size, "%s", "");
	ear_printable_string(path, sizeof(path), ear_names_base(line.path), EAR_PRINTABLE_LINE);
	return snprintf(text, size, "%s:%u", path, line.line);
}
