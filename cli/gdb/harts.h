#ifndef EAR_GDB_HARTS_H
#define EAR_GDB_HARTS_H

#include "cli/gdb/session_state.h"

/* The harts of the records around the present become known. */
void ear_gdb_note_harts(struct ear_gdb_session *session);

/* Was the hart noted? */
bool ear_gdb_has_hart(const struct ear_gdb_session *session, uint16_t hart);

#endif
