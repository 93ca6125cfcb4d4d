#ifndef EAR_GDB_REPLAY_STEP_H
#define EAR_GDB_REPLAY_STEP_H

#include "cli/gdb/replay.h"

/* One step of a hart. Forward, with last >= first, steps are repeated while the hart is at first ..
 * last. */
struct ear_gdb_stop ear_gdb_step(struct ear_gdb_replay *replay, uint16_t hart,
	enum ear_direction direction, uint64_t first, uint64_t last);

/* Run until there is a reason to stop. */
struct ear_gdb_stop ear_gdb_continue(struct ear_gdb_replay *replay, enum ear_direction direction);

#endif
