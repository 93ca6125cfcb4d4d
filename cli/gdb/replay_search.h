#ifndef EAR_GDB_REPLAY_SEARCH_H
#define EAR_GDB_REPLAY_SEARCH_H

#include "cli/gdb/replay.h"

/* Which record is the next one at which a debugger stops, forward or backward. The records around
 * the present are in memory and looked through; beyond them the library's search finds the next one
 * that may be meant. Where many are found that are not (a condition is false), the records are
 * looked through one after the other, since that is faster than many searches.
 */

/* What is searched. */
struct ear_gdb_goal {
	bool points; /* breakpoints and watchpoints */
	bool traps;  /* that are to be caught */
	bool gaps;
	uint64_t passed[2]; /* records without breakpoints and traps; UINT64_MAX: none */

	/* Where a handler came back to: a record of the hart at one of these addresses, with this
	 * stack pointer, after a return from a trap. Backward: the trap that it was for, at
	 * pcs[0] or before it; the others are where that may be. pc_count 0: nothing. */
	unsigned pc_count;
	uint64_t pcs[3];
	uint16_t hart;
	uint64_t sp;
};

struct ear_gdb_hit {
	uint64_t position;        /* of the record; where a search was ended: what it came to */
	bool arrived;             /* it is what pcs are about */
	struct ear_gdb_stop stop; /* else why */
};

#define EAR_GDB_GOAL \
	{ \
		.passed = { UINT64_MAX, UINT64_MAX } \
	}

/* EAR_FORWARD: the first hit among the records from .. to - 1. EAR_BACKWARD: the last one among
 * to .. from - 1. The history may be anywhere afterwards. Returns 1 and *hit, 0: there is none;
 * EAR_E_CANCELLED, or an error of the trace. */
int ear_gdb_search(struct ear_gdb_replay *replay, const struct ear_gdb_goal *goal, uint64_t from,
	uint64_t to, enum ear_direction direction, struct ear_gdb_hit *hit);

/* An instruction that returns from a trap. */
bool ear_gdb_is_return(const struct ear_record *record);

#endif
