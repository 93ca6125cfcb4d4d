/* What was covered, as lcov has it, for people, and as JSON. */
#include "cli/commands/coverage/coverage_show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/json.h"

/* A name of the program, which may hold anything, on one line. */
static void put_name(FILE *file, const char *name, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const unsigned char c = (unsigned char)name[i];
		fputc(c < 0x20 || c == 0x7F ? '?' : c, file);
	}
}

/* ---- lcov. ---- */

static void put_way(FILE *file, const struct coverage_branch *branch, unsigned way, uint64_t count)
{
	fprintf(file, "BRDA:%" PRIu32 ",%" PRIu64 ",%u,", branch->line, branch->address, way);
	if (!branch->executed || (branch->hidden && count == 0))
		fputs("-\n", file);
	else
		fprintf(file, "%" PRIu64 "\n", count);
}

static void write_file(FILE *out, const struct coverage_file *file)
{
	fputs("TN:\nSF:", out);
	put_name(out, file->path, strlen(file->path));
	fputc('\n', out);
	for (size_t i = 0; i < file->function_count; i++) {
		fprintf(out, "FN:%" PRIu32 ",", file->functions[i].line);
		put_name(out, file->functions[i].name, file->functions[i].name_size);
		fputc('\n', out);
	}
	for (size_t i = 0; i < file->function_count; i++) {
		fprintf(out, "FNDA:%" PRIu64 ",", file->functions[i].count);
		put_name(out, file->functions[i].name, file->functions[i].name_size);
		fputc('\n', out);
	}
	fprintf(out, "FNF:%" PRIu64 "\nFNH:%" PRIu64 "\n", file->counts.functions,
		file->counts.functions_hit);
	for (size_t i = 0; i < file->branch_count; i++) {
		put_way(out, &file->branches[i], 0, file->branches[i].taken);
		put_way(out, &file->branches[i], 1, file->branches[i].not_taken);
	}
	fprintf(out, "BRF:%" PRIu64 "\nBRH:%" PRIu64 "\n", file->counts.branches,
		file->counts.branches_hit);
	for (size_t i = 0; i < file->line_count; i++)
		fprintf(out, "DA:%" PRIu32 ",%" PRIu64 "\n", file->lines[i].line,
			file->lines[i].count);
	fprintf(out, "LF:%" PRIu64 "\nLH:%" PRIu64 "\nend_of_record\n", file->counts.lines,
		file->counts.lines_hit);
}

void coverage_write_lcov(FILE *file, const struct coverage_lines *lines)
{
	for (size_t i = 0; i < lines->file_count; i++)
		write_file(file, &lines->files[i]);
}

/* ---- The table. ---- */

static void print_share(uint64_t hit, uint64_t found)
{
	char text[48];

	snprintf(text, sizeof(text), "%" PRIu64 "/%" PRIu64, hit, found);
	if (found > 0)
		printf("%13s %5.1f ", text, 100.0 * (double)hit / (double)found);
	else
		printf("%13s %5s ", "-", "-");
}

static void print_row(const char *name, const struct coverage_counts *counts)
{
	print_share(counts->lines_hit, counts->lines);
	print_share(counts->functions_hit, counts->functions);
	print_share(counts->branches_hit, counts->branches);
	putchar(' ');
	put_name(stdout, name, strlen(name));
	putchar('\n');
}

void coverage_show_table(const struct coverage_lines *lines)
{
	printf("%13s %5s %13s %5s %13s %5s  %s\n", "lines", "%", "functions", "%", "branches", "%",
		"file");
	for (size_t i = 0; i < lines->file_count; i++)
		print_row(lines->files[i].path, &lines->files[i].counts);
	print_row("total", &lines->counts);
}

static void print_place(const struct coverage_file *file, uint32_t first, uint32_t last)
{
	put_name(stdout, file->path, strlen(file->path));
	printf(":%" PRIu32, first);
	if (last > first)
		printf("-%" PRIu32, last);
}

/* The next lines of the file that never ran, from *at on: *first to *last. */
static bool next_lines(
	const struct coverage_file *file, size_t *at, uint32_t *first, uint32_t *last)
{
	while (*at < file->line_count && file->lines[*at].count > 0)
		(*at)++;
	if (*at == file->line_count)
		return false;
	*first = *last = file->lines[*at].line;
	while (*at < file->line_count && file->lines[*at].count == 0)
		*last = file->lines[(*at)++].line;
	return true;
}

static void show_lines(const struct coverage_file *file)
{
	uint32_t first, last;

	for (size_t at = 0; next_lines(file, &at, &first, &last);) {
		print_place(file, first, last);
		puts(": never ran");
	}
}

void coverage_show_uncovered(const struct coverage_lines *lines)
{
	for (size_t i = 0; i < lines->file_count; i++) {
		const struct coverage_file *file = &lines->files[i];
		for (size_t j = 0; j < file->function_count; j++) {
			const struct coverage_function *function = &file->functions[j];
			if (function->count > 0)
				continue;
			print_place(file, function->line, 0);
			fputs(": function ", stdout);
			put_name(stdout, function->name, function->name_size);
			puts(" never ran");
		}
		show_lines(file);
	}
}

/* ---- JSON. ---- */

static void json_counts(struct json *json, const struct coverage_counts *counts)
{
	json_number(json, "lines", counts->lines);
	json_number(json, "lines_hit", counts->lines_hit);
	json_number(json, "functions", counts->functions);
	json_number(json, "functions_hit", counts->functions_hit);
	json_number(json, "branches", counts->branches);
	json_number(json, "branches_hit", counts->branches_hit);
}

static void json_uncovered(struct json *json, const struct coverage_file *file)
{
	uint32_t first, last;

	json_open(json, "uncovered_functions", '[');
	for (size_t i = 0; i < file->function_count; i++) {
		const struct coverage_function *function = &file->functions[i];
		if (function->count > 0)
			continue;
		char *name = strndup(function->name, function->name_size);
		json_open(json, NULL, '{');
		json_text(json, "name", name);
		json_number(json, "line", function->line);
		json_close(json, '}');
		free(name);
	}
	json_close(json, ']');
	json_open(json, "uncovered_lines", '[');
	for (size_t at = 0; next_lines(file, &at, &first, &last);) {
		json_open(json, NULL, '[');
		json_number(json, NULL, first);
		json_number(json, NULL, last);
		json_close(json, ']');
	}
	json_close(json, ']');
}

void coverage_show_json(
	const struct coverage_lines *lines, bool uncovered, const struct verdict *verdict)
{
	struct json json = json_spaced();

	json_open(&json, NULL, '{');
	json_open(&json, "files", '[');
	for (size_t i = 0; i < lines->file_count; i++) {
		json_line(&json, 2);
		json_open(&json, NULL, '{');
		json_text(&json, "path", lines->files[i].path);
		json_counts(&json, &lines->files[i].counts);
		if (uncovered)
			json_uncovered(&json, &lines->files[i]);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_open(&json, "total", '{');
	json_counts(&json, &lines->counts);
	json_close(&json, '}');
	verdict_json(verdict, &json);
	json_close(&json, '}');
	putchar('\n');
}
