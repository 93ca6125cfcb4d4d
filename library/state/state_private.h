#ifndef EAR_STATE_PRIVATE_H
#define EAR_STATE_PRIVATE_H

#include "library/state/hart.h"
#include "library/state/state.h"

/* What the files of state.h share. */
struct ear_state {
	struct ear_hart *harts[UINT16_MAX + 1];
	unsigned hart_count;
	struct ear_hart initial; /* what every hart begins with */
	bool part;
	bool follows; /* ear_state_set_source was called */
	struct ear_state_source source;
	bool numbered, next_known;
	uint64_t next_index; /* one more than that of the last instruction of any hart */
};

/* Returns 0, EAR_E_NO_MEMORY, EAR_E_FULL. */
int ear_state_reach(struct ear_state *state, uint16_t number, struct ear_hart **hart);

#endif
