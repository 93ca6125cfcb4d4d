#ifndef EAR_PROFILE_CODE_H
#define EAR_PROFILE_CODE_H

#include <earshot/instruction.h>

#include "cli/commands/profile/profile_show.h"

/* The code of a finished profile with pcs, with what was counted of it, to standard output. All
 * return false after printing why it cannot be done.
 */

/* Stretches of instructions that ran equally often, up to a jump, those that took most first. */
bool profile_blocks(const struct profile_view *view);

/* How often each instruction of the ISA ran, and each class. */
bool profile_opcodes(const struct profile_view *view);

/* The text of an instruction of RISC-V; "?" if there is none. */
#define PROFILE_TEXT_MAX 128
void profile_instruction_text(struct ear_instructions *instructions, uint64_t pc, uint32_t opcode,
	unsigned size, unsigned xlen, char text[PROFILE_TEXT_MAX]);

#endif
