#ifndef EAR_ANALYSES_COLUMNS_H
#define EAR_ANALYSES_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "analyses/base/byte_output.h"

/* Tables of numbers by column, for the pages of a report: docs/report.md, section 3, is the format.
 *
 *     static const struct ear_columns_column columns[] = {
 *             {"begin", EAR_COLUMNS_U64, EAR_COLUMNS_DELTA}, {"name", EAR_COLUMNS_U32, 0}};
 *
 *     ear_columns_new(&set);
 *     uint32_t main = ear_columns_add_string(set, "main");
 *     uint32_t table = ear_columns_add_table(set, "slices", columns, 2, rows);
 *     ear_columns_put(set, table, 0, row, 1234);
 *     ear_columns_put(set, table, 1, row, main);
 *     ear_columns_write(set, "\"unit\":\"clocks\"", &output);
 *     ear_columns_free(set);
 *
 * A number that was not put is 0. The first lack of memory is kept: what comes after it does
 * nothing, and ear_columns_write returns it.
 */
struct ear_columns;

enum ear_columns_type {
	EAR_COLUMNS_U8,
	EAR_COLUMNS_U16,
	EAR_COLUMNS_U32,
	EAR_COLUMNS_U64,
	EAR_COLUMNS_F64, /* ear_columns_put_real */
};

enum ear_columns_coding {
	EAR_COLUMNS_PLAIN,
	EAR_COLUMNS_DELTA, /* less the number of the row before */
};

struct ear_columns_column {
	const char *name;
	enum ear_columns_type type;
	enum ear_columns_coding coding;
};

/* A number that is not known: the largest that a reader in JavaScript has exactly. */
#define EAR_COLUMNS_UNKNOWN ((UINT64_C(1) << 53) - 1)

#define EAR_COLUMNS_TABLES_MAX 8u
#define EAR_COLUMNS_TEXT_MAX   512u /* bytes of a string; the rest is cut off */

/* Returns 0 or EAR_E_NO_MEMORY. */
int ear_columns_new(struct ear_columns **columns);
void ear_columns_free(struct ear_columns *columns); /* NULL is fine */

/* One more string. Returns its number. What is not UTF-8 becomes U+FFFD, a byte each. */
uint32_t ear_columns_add_string(struct ear_columns *columns, const char *text);

/* The columns are 1 .. 16 and stay the caller's, as the name does. Returns its number. */
uint32_t ear_columns_add_table(struct ear_columns *columns, const char *name,
	const struct ear_columns_column *list, size_t count, uint64_t rows);

/* The number of a column in a row. It must fit the column's type. */
void ear_columns_put(
	struct ear_columns *columns, uint32_t table, size_t column, uint64_t row, uint64_t value);
void ear_columns_put_real(
	struct ear_columns *columns, uint32_t table, size_t column, uint64_t row, double value);

/* meta: members of a JSON object, without its braces; "" : none. Flushes the output. Returns 0, the
 * output's error, or EAR_E_NO_MEMORY, when nothing is written. */
int ear_columns_write(
	struct ear_columns *columns, const char *meta, struct ear_byte_output *output);

#endif
