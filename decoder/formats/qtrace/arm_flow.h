#ifndef EAR_ARM_FLOW_H
#define EAR_ARM_FLOW_H

#include <stdbool.h>
#include <stdint.h>

/* Does the Android emulator end a block of code after this instruction? After all that may continue
 * elsewhere, taken or not, or that changes the state of the core: its translator stops there.
 */
bool ear_arm_ends_block(uint32_t word);

/* The same for Thumb. An instruction of 32 bits has its first halfword on top. */
bool ear_thumb_ends_block(uint32_t opcode, unsigned size);

#endif
