#ifndef EAR_CALL_STACK_LIMITS_H
#define EAR_CALL_STACK_LIMITS_H

/* What keeps call stacks of a trace of nonsense in bounds. */
#define EAR_CALL_FRAMES_MAX (1u << 18) /* of a hart; deeper ones are dropped at the bottom */
#define EAR_CALL_STACKS_MAX 256        /* of a hart; the one left longest ago is dropped */

#endif
