/* Tables of numbers by column. Each column is kept as the bytes of its numbers, in an array as long
 * as the table, so that rows can be put in any order: a table is sorted by counting first, without
 * a second copy. When it is written, each byte of the numbers becomes a plane of its own, and a
 * column gets the narrowest type that holds its numbers: a reader spends its time on the bytes that
 * it unpacks, and planes of zeros are bytes, too.
 */
#include "analyses/base/columns.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/base/utf8.h"

#define MAGIC       "EARCOL1\n"
#define COLUMNS_MAX 16u

struct table {
	const char *name;
	const struct ear_columns_column *list;
	size_t count;
	uint64_t rows;
	uint8_t *bytes[COLUMNS_MAX];
	enum ear_columns_type written[COLUMNS_MAX]; /* chosen when it is written */
};

struct ear_columns {
	struct table tables[EAR_COLUMNS_TABLES_MAX];
	uint32_t table_count, string_count;
	char *strings; /* as they are in the header, divided by commas */
	size_t size, capacity;
	bool failed; /* memory is short */
};

static const struct {
	const char *name;
	unsigned size;
} types[] = {
	[EAR_COLUMNS_U8] = {"u8", 1},
	[EAR_COLUMNS_U16] = {"u16", 2},
	[EAR_COLUMNS_U32] = {"u32", 4},
	[EAR_COLUMNS_U64] = {"u64", 8},
	[EAR_COLUMNS_F64] = {"f64", 8},
};

int ear_columns_new(struct ear_columns **columns)
{
	*columns = calloc(1, sizeof(**columns));
	return *columns ? 0 : EAR_E_NO_MEMORY;
}

void ear_columns_free(struct ear_columns *columns)
{
	if (!columns)
		return;
	for (uint32_t i = 0; i < columns->table_count; i++)
		for (size_t k = 0; k < columns->tables[i].count; k++)
			free(columns->tables[i].bytes[k]);
	free(columns->strings);
	free(columns);
}

/* ---- Strings. ---- */

static bool make_room(struct ear_columns *columns, size_t size)
{
	if (columns->size + size <= columns->capacity)
		return true;
	size_t capacity = 2 * columns->capacity + size + 1024;
	char *strings = realloc(columns->strings, capacity);
	if (!strings) {
		columns->failed = true;
		return false;
	}
	columns->strings = strings;
	columns->capacity = capacity;
	return true;
}

/* A character of JSON at *to: at most 6 bytes. */
static char *put_character(char *to, const unsigned char *from, size_t size)
{
	static const char digits[] = "0123456789abcdef";

	if (size == 0) {
		memcpy(to, "\xef\xbf\xbd", 3);
		return to + 3;
	}
	if (*from < ' ' || *from == 0x7f) {
		memcpy(to, "\\u00", 4);
		to[4] = digits[*from >> 4];
		to[5] = digits[*from & 15];
		return to + 6;
	}
	if (*from == '"' || *from == '\\')
		*to++ = '\\';
	memcpy(to, from, size);
	return to + size;
}

uint32_t ear_columns_add_string(struct ear_columns *columns, const char *text)
{
	const unsigned char *from = (const unsigned char *)text;
	const unsigned char *const begin = from;

	if (columns->failed || !make_room(columns, 6 * (size_t)EAR_COLUMNS_TEXT_MAX + 3))
		return 0;
	char *to = columns->strings + columns->size;
	if (columns->string_count > 0)
		*to++ = ',';
	*to++ = '"';
	while (*from) {
		const size_t size = ear_utf8_size(from);
		if ((size_t)(from - begin) + (size ? size : 1) > EAR_COLUMNS_TEXT_MAX)
			break;
		to = put_character(to, from, size);
		from += size ? size : 1;
	}
	*to++ = '"';
	columns->size = (size_t)(to - columns->strings);
	return columns->string_count++;
}

/* ---- Tables. ---- */

uint32_t ear_columns_add_table(struct ear_columns *columns, const char *name,
	const struct ear_columns_column *list, size_t count, uint64_t rows)
{
	assert(columns->table_count < EAR_COLUMNS_TABLES_MAX && count <= COLUMNS_MAX);
	struct table *table = &columns->tables[columns->table_count];
	*table = (struct table){.name = name, .list = list, .count = count, .rows = rows};
	for (size_t i = 0; i < count; i++) {
		table->bytes[i] = calloc((size_t)rows + 1, types[list[i].type].size);
		columns->failed |= !table->bytes[i];
	}
	return columns->table_count++;
}

void ear_columns_put(
	struct ear_columns *columns, uint32_t table, size_t column, uint64_t row, uint64_t value)
{
	const struct table *own = &columns->tables[table];

	if (columns->failed)
		return;
	assert(table < columns->table_count && column < own->count && row < own->rows);
	const unsigned size = types[own->list[column].type].size;
	assert(size == 8 || value >> 8 * size == 0);
	uint8_t *to = own->bytes[column] + row * size;
	for (unsigned i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

void ear_columns_put_real(
	struct ear_columns *columns, uint32_t table, size_t column, uint64_t row, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	ear_columns_put(columns, table, column, row, bits);
}

/* ---- The file. ---- */

static void write_bytes(struct ear_byte_output *output, const char *bytes, size_t size)
{
	while (size > 0) {
		const size_t now = size < EAR_BYTE_OUTPUT_ROOM ? size : EAR_BYTE_OUTPUT_ROOM;
		char *to = ear_byte_output_room(output, now);
		memcpy(to, bytes, now);
		ear_byte_output_take(output, to + now);
		bytes += now;
		size -= now;
	}
}

static uint64_t load(const uint8_t *from, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = size; i-- > 0;)
		value = value << 8 | from[i];
	return value;
}

static void choose_type(struct table *table, size_t column)
{
	const enum ear_columns_type type = table->list[column].type;
	const unsigned size = types[type].size;
	uint64_t bits = 0;

	table->written[column] = type;
	if (type == EAR_COLUMNS_F64)
		return;
	for (uint64_t row = 0; row < table->rows; row++)
		bits |= load(table->bytes[column] + row * size, size);
	const unsigned width = bits >> 32 ? 8 : bits >> 16 ? 4 : bits >> 8 ? 2 : 1;
	if (width < size)
		table->written[column] = width == 4   ? EAR_COLUMNS_U32
					 : width == 2 ? EAR_COLUMNS_U16
						      : EAR_COLUMNS_U8;
}

/* The planes of a delta are those of the narrow type: its width is the modulus. */
static void write_plane(
	const struct table *table, size_t column, unsigned plane, struct ear_byte_output *output)
{
	const unsigned size = types[table->list[column].type].size;
	const bool delta = table->list[column].coding == EAR_COLUMNS_DELTA;
	const uint8_t *from = table->bytes[column];
	uint64_t before = 0;

	for (uint64_t row = 0; row < table->rows;) {
		const uint64_t rest = table->rows - row;
		const uint64_t end =
			row + (rest < EAR_BYTE_OUTPUT_ROOM ? rest : EAR_BYTE_OUTPUT_ROOM);
		char *to = ear_byte_output_room(output, (size_t)(end - row));
		for (; row < end; row++) {
			const uint64_t value = load(from + row * size, size);
			*to++ = (char)((value - before) >> 8 * plane & 0xff);
			before = delta ? value : 0;
		}
		ear_byte_output_take(output, to);
	}
}

/* The JSON about the tables, without its begin: a text that is the caller's; NULL: memory. */
static char *describe_tables(const struct ear_columns *columns, size_t *size)
{
	/* Names are literals of ours: a column takes less than 100 bytes. */
	const size_t capacity = columns->table_count * (100u * (COLUMNS_MAX + 1)) + 16;
	char *text = malloc(capacity);
	size_t used = 0;

	for (uint32_t i = 0; text && i < columns->table_count; i++) {
		const struct table *table = &columns->tables[i];
		used += (size_t)snprintf(text + used, capacity - used,
			"%s{\"name\":\"%s\",\"rows\":%llu,\"columns\":[", i ? "," : "", table->name,
			(unsigned long long)table->rows);
		for (size_t k = 0; k < table->count; k++)
			used += (size_t)snprintf(text + used, capacity - used,
				"%s{\"name\":\"%s\",\"type\":\"%s\",\"coding\":\"%s\"}",
				k ? "," : "", table->list[k].name, types[table->written[k]].name,
				table->list[k].coding == EAR_COLUMNS_DELTA ? "delta" : "plain");
		used += (size_t)snprintf(text + used, capacity - used, "]}");
	}
	*size = used;
	return text;
}

int ear_columns_write(struct ear_columns *columns, const char *meta, struct ear_byte_output *output)
{
	static const char begin[] = "{\"meta\":{", strings[] = "},\"strings\":[",
			  tables[] = "],\"tables\":[", end[] = "]}";
	size_t size;
	for (uint32_t i = 0; !columns->failed && i < columns->table_count; i++)
		for (size_t k = 0; k < columns->tables[i].count; k++)
			choose_type(&columns->tables[i], k);
	char *text = columns->failed ? NULL : describe_tables(columns, &size);

	if (!text)
		return EAR_E_NO_MEMORY;
	const size_t header = strlen(begin) + strlen(meta) + strlen(strings) + columns->size +
			      strlen(tables) + size + strlen(end);
	char length[4];
	for (unsigned i = 0; i < 4; i++)
		length[i] = (char)(header >> 8 * i & 0xff);
	write_bytes(output, MAGIC, strlen(MAGIC));
	write_bytes(output, length, sizeof(length));
	write_bytes(output, begin, strlen(begin));
	write_bytes(output, meta, strlen(meta));
	write_bytes(output, strings, strlen(strings));
	write_bytes(output, columns->strings, columns->size);
	write_bytes(output, tables, strlen(tables));
	write_bytes(output, text, size);
	write_bytes(output, end, strlen(end));
	free(text);
	for (uint32_t i = 0; i < columns->table_count; i++)
		for (size_t k = 0; k < columns->tables[i].count; k++)
			for (unsigned plane = 0; plane < types[columns->tables[i].written[k]].size;
				plane++)
				write_plane(&columns->tables[i], k, plane, output);
	return ear_byte_output_flush(output);
}
