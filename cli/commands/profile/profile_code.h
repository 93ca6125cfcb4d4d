#ifndef EAR_PROFILE_CODE_H
#define EAR_PROFILE_CODE_H

#include "cli/commands/profile/profile_show.h"

/* The code of a finished profile with pcs, with what was counted of it, to standard output. All
 * return false after printing why it cannot be done.
 */

/* Source and instructions of a function: its name, or an address that is in it. */
bool profile_annotate(const struct profile_view *view, const char *function);

/* Stretches of instructions that ran equally often, up to a jump, those that took most first. */
bool profile_blocks(const struct profile_view *view);

/* How often each instruction of the ISA ran, and each class. */
bool profile_opcodes(const struct profile_view *view);

#endif
