#ifndef EAR_CALLS_INTERNAL_H
#define EAR_CALLS_INTERNAL_H

#include <earshot/calls.h>

struct ear_call_stacks;

/* ear_calls_start with the stacks themselves, which stay the caller's: those after all events of
 * the records before position, and SYNC. Returns 0 or EAR_E_NO_MEMORY. */
int ear_calls_start_with(
	struct ear_calls *calls, const struct ear_call_stacks *stacks, uint64_t position);

#endif
