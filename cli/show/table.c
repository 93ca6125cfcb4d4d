/* Rows as a table, CSV or JSON. Of a table the first rows are kept, so that columns are as wide as
 * what is in them; later ones are printed as they come.
 */
#include "cli/show/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"

#define KEPT_ROWS 256u

/* ---- Cells. ---- */

struct table_cell table_unknown(void)
{
	return (struct table_cell){.kind = TABLE_UNKNOWN};
}

struct table_cell table_number(uint64_t number)
{
	return (struct table_cell){.kind = TABLE_NUMBER, .number = number};
}

struct table_cell table_address(uint64_t address)
{
	return (struct table_cell){.kind = TABLE_ADDRESS, .number = address};
}

struct table_cell table_real(double real, int decimals)
{
	struct table_cell cell = {.kind = TABLE_REAL};

	snprintf(cell.text, sizeof(cell.text), "%.*f", decimals, real);
	return cell;
}

struct table_cell table_text(const char *text)
{
	struct table_cell cell = {.kind = text ? TABLE_TEXT : TABLE_UNKNOWN};

	for (size_t i = 0; text && text[i] && i < sizeof(cell.text) - 1; i++)
		cell.text[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
	return cell;
}

static const char *text_of(const struct table_cell *cell, char number[32])
{
	switch (cell->kind) {
	case TABLE_UNKNOWN: return "-";
	case TABLE_NUMBER: snprintf(number, 32, "%" PRIu64, cell->number); return number;
	case TABLE_ADDRESS: snprintf(number, 32, "0x%" PRIx64, cell->number); return number;
	case TABLE_REAL:
	case TABLE_TEXT: break;
	}
	return cell->text;
}

/* ---- A table. ---- */

static size_t column_count(const struct table *table)
{
	size_t count = 0;

	while (table->columns[count])
		count++;
	return count;
}

static void print_line(const struct table *table, const struct table_cell *cells)
{
	const size_t last = column_count(table) - 1;
	char number[32];

	for (size_t i = 0; i < last; i++)
		printf("%*s  ", table->widths[i],
			cells ? text_of(&cells[i], number) : table->columns[i]);
	puts(cells ? text_of(&cells[last], number) : table->columns[last]);
}

static void print_kept(struct table *table)
{
	const size_t columns = column_count(table);
	char number[32];

	if (!table->kept)
		return;
	for (size_t i = 0; i < table->kept_count * columns; i++) {
		const int width = (int)strlen(text_of(&table->kept[i], number));
		if (width > table->widths[i % columns])
			table->widths[i % columns] = width;
	}
	if (table->rows > 0)
		print_line(table, NULL);
	else
		puts("- none");
	for (size_t i = 0; i < table->kept_count; i++)
		print_line(table, &table->kept[i * columns]);
	free(table->kept);
	table->kept = NULL;
}

static void add_line(struct table *table, const struct table_cell *cells)
{
	const size_t columns = column_count(table);

	if (table->kept && table->kept_count == KEPT_ROWS)
		print_kept(table);
	if (table->kept)
		memcpy(&table->kept[table->kept_count++ * columns], cells,
			columns * sizeof(*cells));
	else
		print_line(table, cells);
}

/* ---- CSV and JSON. ---- */

void table_print_csv(const char *text)
{
	putchar('"');
	for (; *text; text++)
		printf(*text == '"' ? "\"\"" : "%c", *text);
	putchar('"');
}

static void print_csv_row(const struct table *table, const struct table_cell *cells)
{
	char number[32];

	for (size_t i = 0; table->columns[i]; i++) {
		printf(i > 0 ? "," : "");
		if (cells[i].kind == TABLE_TEXT)
			table_print_csv(cells[i].text);
		else if (cells[i].kind != TABLE_UNKNOWN)
			printf("%s", text_of(&cells[i], number));
	}
	putchar('\n');
}

static void print_json_object(
	const struct table *table, const struct table_cell *cells, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		printf("%s\"%s\": ", i > 0 ? ", " : "{", table->columns[i]);
		switch (cells[i].kind) {
		case TABLE_UNKNOWN: printf("null"); break;
		case TABLE_NUMBER: printf("%" PRIu64, cells[i].number); break;
		case TABLE_ADDRESS: printf("\"0x%" PRIx64 "\"", cells[i].number); break;
		case TABLE_REAL: printf("%s", cells[i].text); break;
		case TABLE_TEXT: cli_print_json(cells[i].text); break;
		}
	}
	printf("}");
}

/* ---- Rows. ---- */

struct table table_begin(enum table_format format, const char *const *columns, uint64_t max)
{
	struct table table = {.format = format, .columns = columns, .max = max};

	switch (format) {
	case TABLE_PLAIN:
		for (size_t i = 0; columns[i]; i++)
			table.widths[i] = (int)strlen(columns[i]);
		table.kept = calloc(KEPT_ROWS * column_count(&table), sizeof(*table.kept));
		break;
	case TABLE_CSV:
		for (size_t i = 0; columns[i]; i++)
			printf("%s%s", i > 0 ? "," : "", columns[i]);
		putchar('\n');
		break;
	case TABLE_JSON: printf("["); break;
	}
	return table;
}

void table_add(struct table *table, const struct table_cell *cells)
{
	table->rows++;
	if (table->max > 0 && table->rows > table->max)
		return;
	switch (table->format) {
	case TABLE_PLAIN: add_line(table, cells); break;
	case TABLE_CSV: print_csv_row(table, cells); break;
	case TABLE_JSON:
		printf(table->rows > 1 ? ",\n    " : "\n    ");
		print_json_object(table, cells, column_count(table));
		break;
	}
}

void table_end(struct table *table, const char *more)
{
	if (table->format == TABLE_JSON)
		printf("%s]", table->rows > 0 ? "\n  " : "");
	if (table->format != TABLE_PLAIN)
		return;
	print_kept(table);
	if (more && table->max > 0 && table->rows > table->max)
		printf("... and %" PRIu64 " more (%s)\n", table->rows - table->max, more);
}

void table_total(const struct table *table, const struct table_cell *cells, size_t count)
{
	switch (table->format) {
	case TABLE_PLAIN: print_line(table, cells); break;
	case TABLE_CSV: print_csv_row(table, cells); break;
	case TABLE_JSON: print_json_object(table, cells, count); break;
	}
}
