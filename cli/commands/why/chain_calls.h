#ifndef CLI_CHAIN_CALLS_H
#define CLI_CHAIN_CALLS_H

#include <earshot/call_frame.h>

#include "cli/commands/why/chain_show.h"
#include "cli/input/trace_input.h"

/* By which calls a record of a chain came about: of a store in strcpy, its caller says more. */

/* All frames of a hart at a position, for free(); a trace may have no stacks. Returns false on an
 * error, which is printed. */
bool chain_read_frames(struct trace_input *input, uint16_t hart, uint64_t position,
	struct ear_call_frame **frames, size_t *count);

/* From now on each node of a chain is followed by who called its function, once for each call.
 * Calls that are active in frames are left out: their stack was printed. */
void chain_calls_begin(struct chain_show *show, struct trace_input *input,
	const struct ear_call_frame *frames, size_t count);

#endif
