#ifndef EAR_ANALYSES_CALL_LOG_BEGUN_H
#define EAR_ANALYSES_CALL_LOG_BEGUN_H

#include "analyses/calls/call_log_state.h"

/* Calls that are open and will be handed out, in the order in which they began; to be freed. NULL
 * if memory is short. */
struct call_log_begun {
	uint64_t sequence;
	uint32_t number;
};
struct call_log_begun *call_log_list_begun(const struct ear_call_log *log, size_t *count);

#endif
