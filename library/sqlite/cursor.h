#ifndef EAR_SQLITE_CURSOR_H
#define EAR_SQLITE_CURSOR_H

#include <earshot/branch_trace.h>
#include <earshot/instruction.h>
#include <earshot/names.h>
#include <earshot/search.h>
#include <earshot/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/sqlite/api.h"

/* A table-valued function over a file (docs/sql.md): its columns, and how its rows are made. A
 * cursor opens the file, asks it for what the conditions of a query say, and holds some rows.
 */

/* What a condition on a column is asked of the trace as. */
enum table_term {
	TERM_NONE,
	TERM_FILE, /* parameters of the function */
	TERM_PROGRAM,
	TERM_FORMAT,
	TERM_UNIT,
	TERM_POSITION, /* ranges of numbers: all comparisons */
	TERM_NUMBER,
	TERM_TICKS,
	TERM_PC,
	TERM_ADDRESS,
	TERM_HART, /* from here on equality alone */
	TERM_KIND,
	TERM_TRAP,
	TERM_INTERRUPT,
	TERM_RD,
	TERM_REGISTER,
	TERM_WRITE,
	TERM_PRIVILEGE,
	TERM_EVENT,
};

struct table_column {
	const char *name;
	const char *type; /* "INTEGER", "TEXT", "BLOB" */
	enum table_term term;
};

/* Parameters are hidden columns behind all others. */
#define TABLE_PARAMETERS \
	{"file", "TEXT", TERM_FILE}, {"program", "TEXT", TERM_PROGRAM}, \
		{"format", "TEXT", TERM_FORMAT}, \
	{ \
		"unit", "TEXT", TERM_UNIT \
	}

struct cursor;

struct table {
	const char *name;
	const struct table_column *columns;
	unsigned count;      /* of columns, hidden ones included */
	unsigned parameters; /* of these, the hidden ones */
	bool in_order;       /* rows come by position, which is column 0 */
	uint32_t names_for;  /* set of columns that need the names of the program */

	/* Before the first row of each query. Returns 0 or an enum ear_error; NULL: nothing. */
	int (*begin)(struct cursor *cursor);
	/* Add some rows, at least one, or none if there are no more. Returns as begin. */
	int (*fill)(struct cursor *cursor);
	/* Free what begin made, once for each begin. NULL: nothing. */
	void (*end)(struct cursor *cursor);
};

enum cell_type { CELL_NULL, CELL_INTEGER, CELL_LITERAL, CELL_TEXT, CELL_BLOB };

struct cell {
	uint8_t type;  /* enum cell_type */
	uint32_t size; /* TEXT, BLOB: bytes */
	union {
		int64_t integer;
		const char *literal; /* static */
		size_t offset;       /* TEXT, BLOB: where in cursor.bytes */
	} value;
};

/* Numbers with a sign, both ends included; low > high: none. */
struct table_range {
	int64_t low, high;
};

/* What the conditions of the query ask the trace for. Rows that do not meet them may come, too:
 * SQLite compares again. */
struct table_wanted {
	bool nothing;  /* no row can meet them */
	bool by_query; /* query has conditions */
	struct table_range position, number, ticks, pc, address;
	struct ear_query query;
	struct ear_span pcs[2], addresses[2];
	char name[256]; /* of a register or an event */
};

struct cursor {
	sqlite3_vtab_cursor base;
	const struct table *table;
	uint32_t used; /* set of columns that the query looks at; no table has more than 32 */

	/* The file, kept for the next query of the same parameters. */
	char *parameters[4];      /* file, program, format, unit; NULL: not given */
	char *next_parameters[4]; /* of the query that begins */
	struct ear_trace *trace;
	struct ear_names *lent;  /* of ear_sqlite_register; NULL */
	struct ear_names *names; /* NULL: not needed */
	char *names_fault;       /* why they are not the trace's; NULL */
	struct ear_flow_code *code;
	struct ear_instructions *instructions;
	char error[EAR_TRACE_ERROR_MAX];

	/* Has sqlite3_interrupt been called? A statement that does nothing says so. */
	sqlite3 *db;
	sqlite3_stmt *probe;
	struct ear_progress progress; /* for functions of the library that take long */
	bool interrupted;

	struct table_wanted wanted;
	uint64_t from; /* position from which rows are still to be made; UINT64_MAX: none are */
	void *private; /* of the table, from begin to end */
	bool begun;

	/* Rows: row_count times table->count cells; texts and blobs in bytes. */
	struct cell *cells;
	size_t row_count, row_room, row;
	char *bytes;
	size_t byte_count, byte_room;
	bool no_memory; /* a row or a text could not be kept */
	int64_t row_id;
};

/* A new row, all NULL. Returns NULL without memory, which fill need not look at. */
struct cell *cursor_add_row(struct cursor *cursor);

/* Values of the row that was added last. Columns that the query does not look at are left out. */
static inline bool cursor_uses(const struct cursor *cursor, unsigned column)
{
	return cursor->used >> column & 1;
}
void cursor_set_integer(struct cursor *cursor, unsigned column, uint64_t value);
void cursor_set_literal(struct cursor *cursor, unsigned column, const char *text);
void cursor_set_text(struct cursor *cursor, unsigned column, const char *text, size_t size);
void cursor_set_string(struct cursor *cursor, unsigned column, const char *text); /* NULL is fine */
void cursor_set_blob(struct cursor *cursor, unsigned column, const void *bytes, size_t size);
void cursor_set_function(struct cursor *cursor, unsigned column, uint64_t pc);

/* "instruction", "M"; NULL: no kind, or no privilege, has the number. Static. */
const char *record_kind_name(unsigned kind);
const char *record_privilege_name(unsigned privilege);

/* Rows that fill aims at: few at first, for queries with LIMIT. */
size_t cursor_goal(const struct cursor *cursor);

/* Is the query to end? Then fill and begin return EAR_E_CANCELLED. */
bool cursor_is_interrupted(struct cursor *cursor);

/* Let the sentence of the error that fill or begin returns be this one. */
void cursor_fail(struct cursor *cursor, const char *text);

#endif
