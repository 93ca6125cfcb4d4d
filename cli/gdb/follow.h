#ifndef EAR_GDB_FOLLOW_H
#define EAR_GDB_FOLLOW_H

#include "cli/gdb/session_state.h"

/* A run that goes on while it is debugged (struct ear_gdb_live): where the records end, it goes on
 * until there are more. A session without one is as ever.
 */

/* As ear_gdb_continue and ear_gdb_step, forward. */
struct ear_gdb_stop ear_gdb_follow(struct ear_gdb_session *session);
struct ear_gdb_stop ear_gdb_follow_step(
	struct ear_gdb_session *session, uint16_t hart, uint64_t first, uint64_t last);

/* Take the records that have come since. The present stays, unless it is among those that were let
 * go: then it is the first that is left. Returns 0 or an error of the trace. */
int ear_gdb_catch_up(struct ear_gdb_session *session);

#endif
