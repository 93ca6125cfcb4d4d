#ifndef EAR_SQLITE_TABLE_PLAN_H
#define EAR_SQLITE_TABLE_PLAN_H

#include "library/sqlite/cursor.h"

/* What a query asks becomes a text, which is made a table_wanted when
 * the values are known. */
int table_plan(const struct table *table, sqlite3_index_info *info);
void table_ask(struct cursor *cursor, const char *plan, int count, sqlite3_value **values);

#endif
