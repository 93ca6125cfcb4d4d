/* Where blocks of ARM and Thumb end.
 *
 * The emulator translates up to an instruction that writes the pc, whatever its condition, and also
 * up to those that change the mode, the state of the core, or system registers. Data processing
 * writes its destination but for the four that compare.
 */
#include "decoder/formats/qtrace/arm_flow.h"

#define PC 15u

static uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
	return word >> low & ((1u << (high - low + 1)) - 1);
}

static bool writes_pc(uint32_t word)
{
	return bits(word, 15, 12) == PC;
}

/* Without a condition: BLX, CPS, RFE. */
static bool ends_unconditional(uint32_t word)
{
	return bits(word, 27, 25) == 5 || (word & 0x0FF10020) == 0x01000000 ||
	       (word & 0x0E500000) == 0x08100000;
}

/* MSR, BX, BXJ, BLX and BKPT, among what takes the place of comparisons without flags. */
static bool ends_miscellaneous(uint32_t word)
{
	uint32_t kind = bits(word, 7, 4), which = bits(word, 22, 21);

	return (kind == 0 && which & 1) || (kind >= 1 && kind <= 3 && which == 1) || kind == 7;
}

static bool ends_data(uint32_t word)
{
	bool immediate = word & 1u << 25, compares = (word & 0x01900000) == 0x01000000;

	if (!immediate && (word & 0x90) == 0x90) /* products; loads of other sizes */
		return word & 1u << 20 && word & 0x60 && writes_pc(word);
	if (compares && !immediate)
		return ends_miscellaneous(word);
	if (compares && bits(word, 22, 21) == 1) /* MSR; hints have no field to write, WFI is one */
		return bits(word, 19, 16) != 0 || bits(word, 7, 0) == 3;
	return bits(word, 24, 23) != 2 && writes_pc(word);
}

/* MCR to a system register, VMSR to FPSCR or FPEXC, SWI. */
static bool ends_coprocessor(uint32_t word)
{
	if (word & 1u << 24)
		return true;
	if (!(word & 1u << 4) || word & 1u << 20)
		return false;
	return bits(word, 11, 8) == PC ||
	       ((word & 0x00F00F00) == 0x00E00A00 &&
		       (bits(word, 19, 16) == 1 || bits(word, 19, 16) == 8));
}

bool ear_arm_ends_block(uint32_t word)
{
	bool loads = word & 1u << 20;

	if (bits(word, 31, 28) == 15)
		return ends_unconditional(word);
	switch (bits(word, 27, 25)) {
	case 0:
	case 1: return ends_data(word);
	case 3:
		if (word & 1u << 4) /* media; undefined */
			return (word & 0x01F000F0) == 0x01F000F0;
		return loads && writes_pc(word);
	case 2: return loads && writes_pc(word);
	case 4: return loads && word & 1u << PC;
	case 5: return true;
	case 7: return ends_coprocessor(word);
	default: return false;
	}
}

static bool ends_halfword(uint32_t half)
{
	switch (half >> 11) {
	case 0x08: /* BX, BLX; ADD and MOV to the pc */
		return half >> 8 == 0x47 || ((half & 0xFD00) == 0x4400 && (half & 0x87) == 0x87);
	case 0x16:
	case 0x17: /* POP with the pc, BKPT, CPS, CBZ */
		return half >> 8 == 0xBD || half >> 8 == 0xBE || (half & 0xFFE0) == 0xB660 ||
		       (half & 0xF500) == 0xB100;
	case 0x1A:
	case 0x1B: /* with a condition, or SVC */
	case 0x1C: return true;
	default: return false;
	}
}

bool ear_thumb_ends_block(uint32_t opcode, unsigned size)
{
	uint32_t first = opcode >> 16, second = opcode & 0xFFFF;

	if (size == 2)
		return ends_halfword(opcode);
	if (first >> 11 == 0x1E) /* B, BL, BLX, and changes of state */
		return second >> 15;
	if ((first & 0xFE50) == 0xE810) /* LDM */
		return second >> 15;
	if ((first & 0xFFF0) == 0xE8D0) /* TBB, TBH */
		return (second & 0xFFE0) == 0xF000;
	return (first & 0xFF70) == 0xF850 && second >> 12 == PC; /* LDR */
}
