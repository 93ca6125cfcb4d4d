#ifndef EAR_GDB_FRAMES_H
#define EAR_GDB_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/call_frame.h>
#include <earshot/moment.h>

#include "cli/gdb/replay.h"
#include "cli/gdb/target.h"

/* The call stack at the present, or where a task was left, as the trace has it (docs/library.md,
 * section 8), and what the registers held where each caller is: GDB's own unwinder can only work
 * that out from the stack in memory, which is wrong in handlers, and after a return address was
 * written over.
 *
 * All zero is empty. It has handles on the trace of the replay: it is emptied before that is
 * closed.
 */
#define EAR_GDB_CALLERS 64u /* that are kept: positions of calls, and registers there */

/* What a hart held before the record at a position. */
struct ear_gdb_caller {
	bool used;
	uint16_t hart;
	uint64_t position;
	bool known[EAR_GDB_CSR0]; /* by the numbers of target.h; but pc */
	uint64_t values[EAR_GDB_CSR0];
};

struct ear_gdb_frames {
	struct ear_moment *here, *past;
	uint16_t hart;
	uint64_t position;
	struct ear_call_frame *frames; /* of the hart at the position, the newest first */
	size_t count, room;
	struct ear_gdb_caller *callers; /* EAR_GDB_CALLERS, or NULL */
	size_t oldest;
};

void ear_gdb_frames_fini(struct ear_gdb_frames *frames);

/* Read the stack of a hart at a position. Returns 0; EAR_E_UNSUPPORTED: the trace has no calls;
 * EAR_E_NO_MEMORY, or an error as ear_moment_new. */
int ear_gdb_frames_read(struct ear_gdb_frames *frames, struct ear_gdb_replay *replay, uint16_t hart,
	uint64_t position);

/* What the caller of frame number, not the oldest one, held when it called. Returns 0 and *caller,
 * valid until the next call; or as ear_gdb_frames_read. */
int ear_gdb_frames_caller(struct ear_gdb_frames *frames, struct ear_gdb_replay *replay,
	size_t number, const struct ear_gdb_caller **caller);

#endif
