#ifndef CLI_CALLS_INTERRUPTS_H
#define CLI_CALLS_INTERRUPTS_H

#include "analyses/calls/interrupts.h"
#include "cli/commands/calls/calls_show.h"

/* Print handlers by cause, and the longest sections without interrupts, max of them. with_event:
 * also from the event to the handler. */
void calls_interrupts_show(const struct calls_show *show, const struct ear_interrupts *interrupts,
	bool with_event, uint64_t max);

#endif
