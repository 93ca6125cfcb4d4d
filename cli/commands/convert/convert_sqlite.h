#ifndef EAR_CONVERT_SQLITE_H
#define EAR_CONVERT_SQLITE_H

#include <stdbool.h>

#include "cli/commands/convert/convert.h"

/* A database as output: the tables of docs/sql.md, with their rows. */

/* Is OUT one, by --format or its ending? */
bool convert_is_sqlite(const struct convert *convert);

/* Returns the exit status of the command. */
int convert_sqlite(struct convert *convert);

#endif
