#ifndef EAR_SQLITE_TABLE_OPEN_H
#define EAR_SQLITE_TABLE_OPEN_H

#include "library/sqlite/cursor.h"

/* Open the trace or the program that the parameters name. Returns 0, or an enum
 * ear_error with a sentence in cursor->error. */
int cursor_open(struct cursor *cursor);
void cursor_close(struct cursor *cursor);

#endif
