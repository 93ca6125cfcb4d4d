/* Answers become tables. Each reader first takes all parts of the answer by their counts, which
 * must use it up exactly, then reads row by row; a string outside its block, a range that ends
 * before it begins, or a reference to a row that is not there yet is an error.
 */
#include "library/names/names_tables.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "library/names/helper_message.h"
#include "library/names/wire.h"

static uint32_t u32(const uint8_t **at)
{
	uint32_t value = ear_wire_get_u32(*at);

	*at += 4;
	return value;
}

static uint64_t u64(const uint8_t **at)
{
	uint64_t value = ear_wire_get_u64(*at);

	*at += 8;
	return value;
}

static char *copy_strings(const struct ear_wire_view *strings)
{
	char *copy = malloc(strings->size);

	if (copy)
		memcpy(copy, strings->bytes, strings->size);
	return copy;
}

/* The string in the copy; false if there is none. */
static bool text(
	const char **found, const struct ear_wire_view *strings, const char *copy, uint32_t offset)
{
	bool inside = offset < strings->size;

	*found = copy + (inside ? offset : 0);
	return inside;
}

/* One row more than there are, so that none is not NULL. */
static void *allocate(size_t count, size_t size)
{
	return calloc(count + 1, size);
}

/* ---- OPEN ---- */

static bool read_head(
	struct names_facts *facts, const uint8_t *at, uint32_t *strings_size, uint32_t *link)
{
	struct ear_names_file *file = &facts->file;

	file->xlen = u32(&at);
	file->machine = u32(&at);
	uint32_t flags = u32(&at), id_size = u32(&at);
	file->entry = u64(&at);
	memcpy(file->build_id, at, EAR_NAMES_BUILD_ID_MAX);
	at += EAR_NAMES_BUILD_ID_MAX;
	file->build_id_size = id_size;
	file->has_symbols = flags & EAR_OPEN_HAS_SYMBOLS;
	file->has_lines = flags & EAR_OPEN_HAS_LINES;
	file->has_debug = flags & EAR_OPEN_HAS_DEBUG;
	*link = u32(&at);
	file->section_count = u32(&at);
	file->segment_count = u32(&at);
	*strings_size = u32(&at);
	return id_size <= EAR_NAMES_BUILD_ID_MAX && (file->xlen == 32 || file->xlen == 64);
}

static bool read_sections(
	struct names_facts *facts, const uint8_t *at, const struct ear_wire_view *strings)
{
	bool good = true;

	for (size_t i = 0; i < facts->file.section_count; i++) {
		struct ear_names_section *section = &facts->sections[i];

		section->address = u64(&at);
		section->size = u64(&at);
		good &= text(&section->name, strings, facts->strings, u32(&at));
		section->flags = u32(&at) & 7;
	}
	return good;
}

static void read_segments(struct names_facts *facts, const uint8_t *at)
{
	for (size_t i = 0; i < facts->file.segment_count; i++) {
		struct ear_names_segment *segment = &facts->segments[i];

		segment->address = u64(&at);
		segment->load_address = u64(&at);
		segment->size = u64(&at);
		segment->file_offset = u64(&at);
		segment->file_size = u64(&at);
		if (segment->file_size > segment->size)
			segment->file_size = segment->size;
		segment->flags = u32(&at) & 7;
		at += 4;
	}
}

int names_facts_read(struct names_facts *facts, const uint8_t *bytes, size_t size)
{
	struct ear_wire_view view = {bytes, size}, strings;
	struct names_facts made = {0};
	uint32_t strings_size, link;
	const uint8_t *head = ear_wire_take(&view, EAR_OPEN_HEAD, 1);

	if (!head || !read_head(&made, head, &strings_size, &link))
		return EAR_E_BAD_FILE;
	const uint8_t *sections = ear_wire_take(&view, made.file.section_count, EAR_SECTION_ROW);
	const uint8_t *segments = ear_wire_take(&view, made.file.segment_count, EAR_SEGMENT_ROW);
	if (!sections || !segments || !ear_wire_take_strings(&view, &strings, strings_size) ||
		view.size != 0)
		return EAR_E_BAD_FILE;
	made.strings = copy_strings(&strings);
	made.sections = allocate(made.file.section_count, sizeof(*made.sections));
	made.segments = allocate(made.file.segment_count, sizeof(*made.segments));
	int result = made.strings && made.sections && made.segments ? 0 : EAR_E_NO_MEMORY;
	if (result == 0 && (!text(&made.file.debug_link, &strings, made.strings, link) ||
				   !read_sections(&made, sections, &strings)))
		result = EAR_E_BAD_FILE;
	if (result != 0) {
		names_facts_free(&made);
		return result;
	}
	read_segments(&made, segments);
	made.file.sections = made.sections;
	made.file.segments = made.segments;
	*facts = made;
	return 0;
}

void names_facts_free(struct names_facts *facts)
{
	free(facts->sections);
	free(facts->segments);
	free(facts->strings);
}

/* ---- SYMBOLS ---- */

/* A table of rows and a block of strings. */
struct plain_table {
	const uint8_t *rows;
	uint32_t count;
	struct ear_wire_view strings;
};

static bool take_table(
	struct plain_table *table, const uint8_t *bytes, size_t size, size_t row_size)
{
	struct ear_wire_view view = {bytes, size};
	const uint8_t *head = ear_wire_take(&view, 8, 1);

	if (!head)
		return false;
	table->count = ear_wire_get_u32(head);
	table->rows = ear_wire_take(&view, table->count, row_size);
	return table->rows &&
	       ear_wire_take_strings(&view, &table->strings, ear_wire_get_u32(head + 4)) &&
	       view.size == 0;
}

static bool read_symbol(struct ear_symbol *symbol, uint32_t *section, const uint8_t *at,
	const struct plain_table *table, const char *strings)
{
	symbol->address = u64(&at);
	symbol->size = u64(&at);
	bool good = text(&symbol->name, &table->strings, strings, u32(&at));
	good &= text(&symbol->linked, &table->strings, strings, u32(&at));
	*section = u32(&at);
	symbol->kind = at[0] <= EAR_NAMES_OBJECT ? at[0] : EAR_NAMES_LABEL;
	symbol->is_global = at[1] & 1;
	return good;
}

int names_symbols_read(struct names_symbols *symbols, const uint8_t *bytes, size_t size)
{
	struct plain_table table;
	struct names_symbols made = {0};
	bool good = true;

	if (!take_table(&table, bytes, size, EAR_SYMBOL_ROW))
		return EAR_E_BAD_FILE;
	made.strings = copy_strings(&table.strings);
	made.list = allocate(table.count, sizeof(*made.list));
	made.sections = allocate(table.count, sizeof(*made.sections));
	made.count = table.count;
	if (!made.strings || !made.list || !made.sections) {
		names_symbols_free(&made);
		return EAR_E_NO_MEMORY;
	}
	for (size_t i = 0; i < made.count; i++)
		good &= read_symbol(&made.list[i], &made.sections[i],
			table.rows + i * EAR_SYMBOL_ROW, &table, made.strings);
	if (!good) {
		names_symbols_free(&made);
		return EAR_E_BAD_FILE;
	}
	*symbols = made;
	return 0;
}

void names_symbols_free(struct names_symbols *symbols)
{
	free(symbols->list);
	free(symbols->sections);
	free(symbols->strings);
}

/* ---- LINES ---- */

static bool read_row(struct names_row *row, const uint8_t *at, size_t source_count)
{
	row->first = u64(&at);
	row->last = u64(&at);
	row->source = u32(&at);
	row->line = u32(&at);
	row->column = u32(&at);
	row->is_statement = u32(&at) & EAR_LINE_STATEMENT;
	return row->first <= row->last && row->source < source_count;
}

int names_lines_read(struct names_lines *lines, const uint8_t *bytes, size_t size)
{
	struct ear_wire_view view = {bytes, size}, strings;
	struct names_lines made = {0};
	const uint8_t *head = ear_wire_take(&view, 16, 1);

	if (!head)
		return EAR_E_BAD_FILE;
	made.count = ear_wire_get_u32(head);
	made.source_count = ear_wire_get_u32(head + 4);
	const uint8_t *rows = ear_wire_take(&view, made.count, EAR_LINE_ROW);
	const uint8_t *sources = ear_wire_take(&view, made.source_count, 4);
	if (!rows || !sources ||
		!ear_wire_take_strings(&view, &strings, ear_wire_get_u32(head + 8)) ||
		view.size != 0)
		return EAR_E_BAD_FILE;
	made.strings = copy_strings(&strings);
	made.rows = allocate(made.count, sizeof(*made.rows));
	made.sources = allocate(made.source_count, sizeof(*made.sources));
	int result = made.strings && made.rows && made.sources ? 0 : EAR_E_NO_MEMORY;
	for (size_t i = 0; i < made.source_count && result == 0; i++)
		if (!text(&made.sources[i], &strings, made.strings, u32(&sources)))
			result = EAR_E_BAD_FILE;
	for (size_t i = 0; i < made.count && result == 0; i++)
		if (!read_row(&made.rows[i], rows + i * EAR_LINE_ROW, made.source_count))
			result = EAR_E_BAD_FILE;
	if (result != 0)
		names_lines_free(&made);
	else
		*lines = made;
	return result;
}

void names_lines_free(struct names_lines *lines)
{
	free(lines->rows);
	free(lines->sources);
	free(lines->strings);
}

/* ---- SCOPES ---- */

static bool read_scope(struct names_scopes *scopes, size_t i, const uint8_t *at,
	const struct ear_wire_view *strings)
{
	struct names_scope *scope = &scopes->list[i];

	scope->first = u64(&at);
	scope->last = u64(&at);
	scope->entry = u64(&at);
	bool good = text(&scope->name, strings, scopes->strings, u32(&at));
	scope->parent = u32(&at);
	good &= text(&scope->path, strings, scopes->strings, u32(&at));
	scope->line = u32(&at);
	good &= text(&scope->call_path, strings, scopes->strings, u32(&at));
	scope->call_line = u32(&at);
	scope->call_column = u32(&at);
	scope->is_inlined = u32(&at) & EAR_SCOPE_INLINED;
	if (!good || scope->last < scope->first)
		return false;
	if (scope->parent == UINT32_MAX)
		return true;
	if (scope->parent >= i)
		return false;
	scope->depth = scopes->list[scope->parent].depth + 1;
	return true;
}

int names_scopes_read(struct names_scopes *scopes, const uint8_t *bytes, size_t size)
{
	struct plain_table table;
	struct names_scopes made = {0};
	bool good = true;

	if (!take_table(&table, bytes, size, EAR_SCOPE_ROW))
		return EAR_E_BAD_FILE;
	made.strings = copy_strings(&table.strings);
	made.list = allocate(table.count, sizeof(*made.list));
	made.count = table.count;
	if (!made.strings || !made.list) {
		names_scopes_free(&made);
		return EAR_E_NO_MEMORY;
	}
	for (size_t i = 0; i < made.count && good; i++)
		good = read_scope(&made, i, table.rows + i * EAR_SCOPE_ROW, &table.strings);
	if (!good) {
		names_scopes_free(&made);
		return EAR_E_BAD_FILE;
	}
	*scopes = made;
	return 0;
}

void names_scopes_free(struct names_scopes *scopes)
{
	free(scopes->list);
	free(scopes->strings);
}
