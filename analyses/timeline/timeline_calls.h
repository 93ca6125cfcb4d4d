#ifndef EAR_ANALYSES_TIMELINE_CALLS_H
#define EAR_ANALYSES_TIMELINE_CALLS_H

#include "analyses/timeline/timeline_state.h"

/* Are the calls of a task wanted? */
bool timeline_wants(const struct ear_timeline *timeline, uint64_t pid);

/* A frame begins: of the change its hart, and kind, stack, entry and call_pc of the frame, and
 * whether there is one below it. Returns the mark of its slice. */
uint32_t timeline_enter(struct ear_timeline *timeline, const struct ear_call_change *change);
/* It ends: its hart, stack, mark and how. */
void timeline_leave(struct ear_timeline *timeline, const struct ear_call_change *change);

/* A function of the heap begins in the frame of a mark: it was called, or jumped to. */
void timeline_jump(
	struct ear_timeline *timeline, struct timeline_hart *hart, uint32_t mark, uint64_t entry);

/* Records of a hart in the frame of a mark; the first one has arrived. If there is time they are in
 * one window of the counters. Returns 0 or EAR_E_NO_MEMORY. */
int timeline_count(struct ear_timeline *timeline, struct timeline_hart *hart, uint32_t mark,
	const struct timeline_at *last, uint64_t records);

/* Returns 0 or EAR_E_NO_MEMORY. */
int timeline_add_count(struct ear_timeline *timeline, const struct timeline_hart *hart,
	uint64_t number, int64_t value);

#endif
