#ifndef EAR_SQLITE_TABLE_H
#define EAR_SQLITE_TABLE_H

#include "library/sqlite/cursor.h"

/* Make a table known to a connection. Returns SQLITE_OK, or an error of SQLite. */
int table_register(sqlite3 *db, const struct table *table, struct ear_names *names);

#endif
