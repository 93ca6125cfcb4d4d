#ifndef EAR_PLAIN_OPCODE_H
#define EAR_PLAIN_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/isa/opcode.h"

/* Which opcodes do no more to registers than to write one x register, if that: nearly all that are
 * executed. A header, because state.c asks for each record.
 */

/* What the opcodes do, by bits 6:2, and of compressed ones by bits 15:13 and 1:0. */
enum {
	EAR_PLAIN_NOT,     /* more than that: decode it */
	EAR_PLAIN_WRITES,  /* one x register, nothing else */
	EAR_PLAIN_JUMPS,   /* the same, and goes elsewhere */
	EAR_PLAIN_NOTHING, /* no register */
	EAR_PLAIN_BRANCH,  /* the same, and goes elsewhere */
};

#define EAR_MAJOR_(opcode)                [(opcode) >> 2]
#define EAR_COMPRESSED_(funct3, quadrant) [32 + ((funct3) << 2 | (quadrant))]

static const uint8_t ear_plain_classes[64] = {
	EAR_MAJOR_(EAR_OPCODE_LOAD) = EAR_PLAIN_WRITES,
	EAR_MAJOR_(EAR_OPCODE_OP_IMM) = EAR_PLAIN_WRITES,
	EAR_MAJOR_(EAR_OPCODE_AUIPC) = EAR_PLAIN_WRITES,
	EAR_MAJOR_(EAR_OPCODE_OP_IMM_32) = EAR_PLAIN_WRITES,
	EAR_MAJOR_(EAR_OPCODE_STORE) = EAR_PLAIN_NOTHING,
	EAR_MAJOR_(EAR_OPCODE_STORE_FP) = EAR_PLAIN_NOT,
	EAR_MAJOR_(EAR_OPCODE_OP) = EAR_PLAIN_WRITES, EAR_MAJOR_(EAR_OPCODE_LUI) = EAR_PLAIN_WRITES,
	EAR_MAJOR_(EAR_OPCODE_OP_32) = EAR_PLAIN_WRITES,
	EAR_MAJOR_(EAR_OPCODE_BRANCH) = EAR_PLAIN_BRANCH,
	EAR_MAJOR_(EAR_OPCODE_JALR) = EAR_PLAIN_JUMPS, EAR_MAJOR_(EAR_OPCODE_JAL) = EAR_PLAIN_JUMPS,
	EAR_COMPRESSED_(0, 0) = EAR_PLAIN_WRITES,  /* c.addi4spn */
	EAR_COMPRESSED_(2, 0) = EAR_PLAIN_WRITES,  /* c.lw */
	EAR_COMPRESSED_(6, 0) = EAR_PLAIN_NOTHING, /* c.sw */
	EAR_COMPRESSED_(0, 1) = EAR_PLAIN_WRITES,  /* c.addi */
	EAR_COMPRESSED_(2, 1) = EAR_PLAIN_WRITES,  /* c.li */
	EAR_COMPRESSED_(3, 1) = EAR_PLAIN_WRITES,  /* c.lui, c.addi16sp */
	EAR_COMPRESSED_(4, 1) = EAR_PLAIN_WRITES,
	EAR_COMPRESSED_(5, 1) = EAR_PLAIN_BRANCH, /* c.j */
	EAR_COMPRESSED_(6, 1) = EAR_PLAIN_BRANCH, EAR_COMPRESSED_(7, 1) = EAR_PLAIN_BRANCH,
	EAR_COMPRESSED_(0, 2) = EAR_PLAIN_WRITES,  /* c.slli */
	EAR_COMPRESSED_(2, 2) = EAR_PLAIN_WRITES,  /* c.lwsp */
	EAR_COMPRESSED_(6, 2) = EAR_PLAIN_NOTHING, /* c.swsp */
};

/* Those that differ with XLEN: c.jal, c.addiw; c.fsw, c.sd; and c.jr, c.jalr, c.mv, c.add. */
static inline unsigned ear_plain_compressed(uint32_t opcode, bool is_64)
{
	switch (opcode & EAR_OPCODE_C_MASK) {
	case EAR_OPCODE_C_JAL: return is_64 ? EAR_PLAIN_WRITES : EAR_PLAIN_JUMPS;
	case 0x6000: /* c.ld, c.flw */
	case 0x6002: return is_64 ? EAR_PLAIN_WRITES : EAR_PLAIN_NOT;
	case 0xE000: /* c.sd, c.fsw */
	case 0xE002: return is_64 ? EAR_PLAIN_NOTHING : EAR_PLAIN_NOT;
	case EAR_OPCODE_C_JR:
		if ((opcode >> 2 & 31) != 0)
			return EAR_PLAIN_WRITES;
		return (opcode >> 7 & 31) == 0   ? EAR_PLAIN_NOT
		       : (opcode >> 12 & 1) == 0 ? EAR_PLAIN_BRANCH
						 : EAR_PLAIN_JUMPS;
	default: return EAR_PLAIN_NOT;
	}
}

static inline unsigned ear_plain_class(uint32_t opcode, bool is_64)
{
	if (!ear_opcode_is_compressed(opcode))
		return ear_plain_classes[opcode >> 2 & 31];
	unsigned found = ear_plain_classes[32 + ((opcode >> 13 & 7) << 2 | (opcode & 3))];
	return found == EAR_PLAIN_NOT ? ear_plain_compressed(opcode, is_64) : found;
}

#undef EAR_MAJOR_
#undef EAR_COMPRESSED_

#endif
