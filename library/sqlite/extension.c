/* Where SQLite begins: the tables of docs/sql.md, as a loadable extension or linked. */
#include "library/sqlite/table.h"
#include "library/sqlite/tables.h"

int ear_sqlite_register(sqlite3 *db, struct ear_names *names)
{
	static const struct table *const tables[] = {&table_records, &table_registers,
		&table_accesses, &table_calls, &table_tasks, &table_info, &table_symbols};
	int result = SQLITE_OK;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && result == SQLITE_OK; i++)
		result = table_register(db, tables[i], names);
	return result;
}

#ifndef SQLITE_CORE
SQLITE_EXTENSION_INIT1

/* The name follows from the file's, earshot.so. */
__attribute__((visibility("default"))) int sqlite3_earshot_init(
	sqlite3 *db, char **message, const sqlite3_api_routines *api);

int sqlite3_earshot_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
	(void)message;
	SQLITE_EXTENSION_INIT2(api);
	return ear_sqlite_register(db, NULL);
}
#endif
