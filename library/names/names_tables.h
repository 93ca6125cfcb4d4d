#ifndef EAR_NAMES_TABLES_H
#define EAR_NAMES_TABLES_H

#include <earshot/names.h>

/* Tables of one file, from answers of earshot-names. The bytes are not trusted: counts, sizes and
 * references are checked, and what is wrong makes the whole answer EAR_E_BAD_FILE. Addresses are
 * those of the file. Strings of a table are in one block.
 */
struct names_facts { /* OPEN */
	struct ear_names_file file;
	struct ear_names_section *sections;
	struct ear_names_segment *segments;
	char *strings;
};

struct names_symbols { /* SYMBOLS */
	struct ear_symbol *list;
	uint32_t *sections; /* number of the section of each, UINT32_MAX none */
	size_t count;
	char *strings;
};

struct names_row {
	uint64_t first, last;
	uint32_t source, line, column;
	bool is_statement;
};

struct names_lines { /* LINES */
	struct names_row *rows;
	size_t count;
	const char **sources;
	size_t source_count;
	char *strings;
};

struct names_scope {
	uint64_t first, last, entry;
	const char *name, *path, *call_path;
	uint32_t parent; /* an earlier one, UINT32_MAX none */
	uint32_t line, call_line, call_column;
	uint32_t depth; /* 0 is a function, not inlined */
	bool is_inlined;
};

struct names_scopes { /* SCOPES */
	struct names_scope *list;
	size_t count;
	char *strings;
};

/* Each returns 0, EAR_E_BAD_FILE or EAR_E_NO_MEMORY. On error there is nothing to free. */
int names_facts_read(struct names_facts *facts, const uint8_t *bytes, size_t size);
int names_symbols_read(struct names_symbols *symbols, const uint8_t *bytes, size_t size);
int names_lines_read(struct names_lines *lines, const uint8_t *bytes, size_t size);
int names_scopes_read(struct names_scopes *scopes, const uint8_t *bytes, size_t size);

void names_facts_free(struct names_facts *facts);
void names_symbols_free(struct names_symbols *symbols);
void names_lines_free(struct names_lines *lines);
void names_scopes_free(struct names_scopes *scopes);

#endif
