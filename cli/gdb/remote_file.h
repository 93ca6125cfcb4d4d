#ifndef EAR_GDB_REMOTE_FILE_H
#define EAR_GDB_REMOTE_FILE_H

#include "cli/gdb/session_state.h"

/* A packet "vFile:...", the text after that: replies. */
void ear_gdb_file(struct ear_gdb_session *session, const char *packet);

#endif
