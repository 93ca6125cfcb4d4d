#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of named columns on standard output: a table for people, CSV (RFC 4180), or an array of JSON
 * objects (RFC 8259).
 *
 *     static const char *const columns[] = {"pc", "count", "name", NULL};
 *     struct table table = table_begin(TABLE_CSV, columns, 0);
 *     const struct table_cell cells[] = {
 *             table_address(pc), table_number(count), table_text(name)};
 *     table_add(&table, cells);
 *     table_end(&table);
 *
 * Columns of a table are as wide as what is in their first rows; the last one is of any width.
 */
#define TABLE_COLUMNS_MAX 16
#define TABLE_TEXT_MAX    256

enum table_format { TABLE_PLAIN, TABLE_CSV, TABLE_JSON }; /* words of an option: "table csv json" */

enum table_kind { TABLE_UNKNOWN, TABLE_NUMBER, TABLE_ADDRESS, TABLE_REAL, TABLE_TEXT };

struct table_cell {
	enum table_kind kind;
	uint64_t number;
	char text[TABLE_TEXT_MAX]; /* also of a TABLE_REAL */
};

struct table {
	enum table_format format;
	const char *const *columns; /* NULL after the last one */
	uint64_t rows, max;
	struct table_cell *kept; /* rows of a table that are not printed yet; NULL: all are */
	size_t kept_count;
	int widths[TABLE_COLUMNS_MAX];
};

/* max: rows that are printed; 0: all are. */
struct table table_begin(enum table_format format, const char *const *columns, uint64_t max);

/* A cell for each column. */
void table_add(struct table *table, const struct table_cell *cells);

/* more: how to get the rows that are left out ("--limit N"); NULL: they are not named. */
void table_end(struct table *table, const char *more);

/* After the end: one more row that is no row, such as a total; in JSON the first count cells, as an
 * object. */
void table_total(const struct table *table, const struct table_cell *cells, size_t count);

struct table_cell table_unknown(void); /* "-", nothing, null */
struct table_cell table_number(uint64_t number);
struct table_cell table_address(uint64_t address);
struct table_cell table_real(double real, int decimals);
struct table_cell table_text(const char *text); /* NULL: unknown; cut to TABLE_TEXT_MAX */

/* A text of CSV, in quotes. */
void table_print_csv(const char *text);

#endif
