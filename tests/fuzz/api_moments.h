#ifndef EAR_FUZZ_API_MOMENTS_H
#define EAR_FUZZ_API_MOMENTS_H

#include "api_input.h"

/* Calls of fuzz_api about a moment of the trace, and about calls and tasks. */
void api_move_moment(struct api *api, struct handle *handle);
void api_move_history(struct api *api, struct handle *handle);
void api_compare(struct api *api, unsigned number);
void api_ask_memory(struct api *api, struct handle *handle, bool history);
void api_ask_stack(struct api *api, struct handle *handle);
void api_ask_calls(struct api *api, struct handle *handle);
void api_ask_tasks(struct api *api, struct handle *handle);

#endif
