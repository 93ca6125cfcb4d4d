#ifndef EAR_GDB_MONITOR_H
#define EAR_GDB_MONITOR_H

#include "cli/gdb/session_state.h"

/* A monitor command: the text after "monitor". What it prints goes to the client's console. */
void ear_gdb_monitor(struct ear_gdb_session *session, const char *command);

#endif
