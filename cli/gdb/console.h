#ifndef EAR_GDB_CONSOLE_H
#define EAR_GDB_CONSOLE_H

#include "cli/gdb/session_state.h"

/* Text to the console of the client, which is running or waits for a monitor command. */
void ear_gdb_console(struct ear_gdb_session *session, const char *text);

#endif
