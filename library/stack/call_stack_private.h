#ifndef EAR_CALL_STACK_PRIVATE_H
#define EAR_CALL_STACK_PRIVATE_H

#include "library/stack/call_stack.h"
#include "library/stack/call_stack_switch.h"

/* What call_stack.c, which follows the events, and call_stack_save.c, which writes and reads what
 * it knows, share. */

struct ear_call_stacks {
	struct hart *harts;
	size_t hart_count;
	size_t last; /* position of the hart looked up last */
	uint64_t next_index;
	bool has_index; /* next_index is known */
	bool saved;     /* a delta can be made or loaded */
	uint64_t saves; /* saves so far in this chain */
	struct ear_call_stack_watch watch;
};

#endif
