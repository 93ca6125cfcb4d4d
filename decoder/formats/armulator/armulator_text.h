#ifndef EAR_ARMULATOR_TEXT_H
#define EAR_ARMULATOR_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* What the reader and the writer of ARMulator traces agree on (docs/text-formats.md).
 *
 * Event numbers of ARMulator, for what RISC-V has too. A RISC-V trap has the pc and the
 * cause as its words.
 */
#define EAR_ARMULATOR_UNDEFINED      0x2
#define EAR_ARMULATOR_SWI            0x3
#define EAR_ARMULATOR_PREFETCH_ABORT 0x4
#define EAR_ARMULATOR_DATA_ABORT     0x5
#define EAR_ARMULATOR_IRQ            0x7
#define EAR_ARMULATOR_BREAKPOINT     0x9
#define EAR_ARMULATOR_MODE_CHANGE    0x19 /* pc, new mode */

/* In the place of a mode and of a cause that are unknown. */
#define EAR_ARMULATOR_NO_MODE  0xFF
#define EAR_ARMULATOR_NO_CAUSE UINT32_MAX

/* Numbers that ARMulator leaves to its users: a gap (first index, count) and an event of a unit
 * (source, value). */
#define EAR_ARMULATOR_GAP        0x1ea000
#define EAR_ARMULATOR_UNIT_EVENT 0x1ea001

/* The source that marks a trace as RISC-V; XLEN follows. And as AArch64. */
#define EAR_ARMULATOR_SOURCE  "Source: Earshot RV"
#define EAR_ARMULATOR_AARCH64 "Source: Earshot AArch64"

/* A Thumb instruction of 32 bits has two lines, one a halfword. The first halfword is at least
 * this, and its line has a text of its own if the second one has a text. */
#define EAR_ARMULATOR_WIDE 0xE800

static inline const char *ear_armulator_first_half(uint64_t opcode)
{
	bool link = (opcode & 0xF800C000) == 0xF000C000; /* BL, BLX */

	return link ? "(1st instr of BL pair)" : "(1st half)";
}

#endif
