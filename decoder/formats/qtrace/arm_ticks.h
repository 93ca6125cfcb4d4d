#ifndef EAR_ARM_TICKS_H
#define EAR_ARM_TICKS_H

#include <stdint.h>

/* Clocks of ARM and Thumb instructions as the Android emulator counts them, without its caches: an
 * ARM9 whose registers may not be ready yet. What an instruction waits for is known within a block.
 */
struct ear_arm_ticks {
	uint64_t now;       /* clocks since the block began */
	uint64_t ready[16]; /* when a register can be used */
};

/* A block begins. */
void ear_arm_ticks_begin(struct ear_arm_ticks *ticks);

/* The next instruction of the block: its clocks, 1 or more. Of an ARM instruction these are those
 * that it takes if its condition holds; otherwise it takes 1. Of Thumb each halfword is one. */
unsigned ear_arm_ticks_arm(struct ear_arm_ticks *ticks, uint32_t word);
unsigned ear_arm_ticks_thumb(struct ear_arm_ticks *ticks, uint16_t halfword);

#endif
