#ifndef EAR_STATE_PRIVATE_H
#define EAR_STATE_PRIVATE_H

#include "library/state/hart.h"
#include "library/state/state.h"

/* What the files of state.h share. */
struct ear_state {
	/* By number; NULL: not seen. Most traces have few harts, with low numbers. */
	struct ear_hart **harts;
	size_t hart_capacity;
	unsigned hart_count;
	struct ear_hart initial; /* what every hart begins with */
	bool part;
	bool follows; /* ear_state_set_source was called */
	struct ear_state_source source;
	bool numbered, next_known;
	uint64_t next_index; /* one more than that of the last instruction of any hart */
};

/* NULL: it was not seen. */
static inline struct ear_hart *ear_state_find(const struct ear_state *state, size_t number)
{
	return number < state->hart_capacity ? state->harts[number] : NULL;
}

/* Keep the hart, which was not seen before and is the state's then. Returns 0, EAR_E_NO_MEMORY. */
int ear_state_add(struct ear_state *state, uint16_t number, struct ear_hart *hart);

/* Returns 0, EAR_E_NO_MEMORY, EAR_E_FULL. */
int ear_state_reach(struct ear_state *state, uint16_t number, struct ear_hart **hart);

#endif
