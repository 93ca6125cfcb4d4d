#ifndef CLI_CHAIN_OBJECT_H
#define CLI_CHAIN_OBJECT_H

#include "cli/commands/why/chain_show.h"

/* The bytes of the heap that records of show->cause read or wrote, as the program's variables have
 * them, into show->objects: "sessions[1]->handler (struct session)". It stays NULL where no
 * variable points to a structure that has the byte, or that is not known. Names are safe for a
 * terminal.
 */
void chain_objects_find(struct chain_show *show, struct trace_input *input);

#endif
