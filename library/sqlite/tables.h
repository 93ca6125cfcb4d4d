#ifndef EAR_SQLITE_TABLES_H
#define EAR_SQLITE_TABLES_H

#include "library/sqlite/cursor.h"

/* All tables of docs/sql.md, each in a file of its own or with others like it. */
extern const struct table table_records, table_registers, table_accesses, table_calls, table_tasks,
	table_info, table_symbols;

#endif
