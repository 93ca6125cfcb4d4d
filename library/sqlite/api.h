#ifndef EAR_SQLITE_API_H
#define EAR_SQLITE_API_H

/* SQLite's functions: through the program that loads the extension, or with SQLITE_CORE linked. */
#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT3

struct ear_names;

/* Make the tables of docs/sql.md known to a database connection. names: to which programs are
 * added, for a caller that has given up the right to start a process; it must stay. NULL: each
 * query makes its own. Returns SQLITE_OK, or an error of SQLite. */
int ear_sqlite_register(sqlite3 *db, struct ear_names *names);

#endif
