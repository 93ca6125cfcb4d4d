#ifndef EAR_OPCODE_H
#define EAR_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

/* Bits of opcodes that code tests without decoding: volume I, "RV32/64G Instruction Set Listings".
 * What an opcode is in full, inst.h says. A header of numbers alone, so the predictor can include
 * it, too.
 */

/* Bits 6:0 of an opcode of 4 bytes. */
enum ear_opcode_major {
	EAR_OPCODE_LOAD = 0x03,
	EAR_OPCODE_LOAD_FP = 0x07,
	EAR_OPCODE_MISC_MEM = 0x0F,
	EAR_OPCODE_OP_IMM = 0x13,
	EAR_OPCODE_AUIPC = 0x17,
	EAR_OPCODE_OP_IMM_32 = 0x1B,
	EAR_OPCODE_STORE = 0x23,
	EAR_OPCODE_STORE_FP = 0x27,
	EAR_OPCODE_AMO = 0x2F,
	EAR_OPCODE_OP = 0x33,
	EAR_OPCODE_LUI = 0x37,
	EAR_OPCODE_OP_32 = 0x3B,
	EAR_OPCODE_MADD = 0x43,
	EAR_OPCODE_MSUB = 0x47,
	EAR_OPCODE_NMSUB = 0x4B,
	EAR_OPCODE_NMADD = 0x4F,
	EAR_OPCODE_OP_FP = 0x53,
	EAR_OPCODE_OP_V = 0x57,
	EAR_OPCODE_BRANCH = 0x63,
	EAR_OPCODE_JALR = 0x67,
	EAR_OPCODE_JAL = 0x6F,
	EAR_OPCODE_SYSTEM = 0x73,
	EAR_OPCODE_OP_VE = 0x77,
};

/* Bits 15:13 and 1:0 of a compressed opcode, all others 0. */
enum ear_opcode_compressed {
	EAR_OPCODE_C_MASK = 0xE003,
	EAR_OPCODE_C_JAL = 0x2001, /* RV64: c.addiw */
	EAR_OPCODE_C_LI = 0x4001,
	EAR_OPCODE_C_LUI = 0x6001, /* and c.addi16sp, if rd is x2 */
	EAR_OPCODE_C_J = 0xA001,
	EAR_OPCODE_C_BEQZ = 0xC001,
	EAR_OPCODE_C_BNEZ = 0xE001,
	EAR_OPCODE_C_JR = 0x8002, /* and c.jalr, c.mv, c.add, c.ebreak */
};

/* Instructions without operands. */
enum ear_opcode_system {
	EAR_OPCODE_ECALL = 0x00000073,
	EAR_OPCODE_EBREAK = 0x00100073,
	EAR_OPCODE_URET = 0x00200073, /* of the withdrawn extension N */
	EAR_OPCODE_SRET = 0x10200073,
	EAR_OPCODE_WFI = 0x10500073,
	EAR_OPCODE_MRET = 0x30200073,
	EAR_OPCODE_MNRET = 0x70200073,
	EAR_OPCODE_DRET = 0x7B200073,
	EAR_OPCODE_C_EBREAK = 0x9002,
};

static inline bool ear_opcode_is_compressed(uint64_t opcode)
{
	return (opcode & 3) != 3;
}

/* Bytes of an opcode, 2 or 4. */
static inline uint8_t ear_opcode_size(uint64_t opcode)
{
	return ear_opcode_is_compressed(opcode) ? 2 : 4;
}

/* enum ear_opcode_major of an opcode of 4 bytes. */
static inline unsigned ear_opcode_major(uint64_t opcode)
{
	return opcode & 0x7F;
}

/* amocas: an AMO that may store nothing. */
static inline bool ear_opcode_compares(uint64_t opcode)
{
	return (opcode & 0xF800007F) == 0x2800002F;
}

/* Does the meaning of this opcode depend on vtype? All of OP-V but vsetvli and its relatives,
 * OP-VE, vector loads and stores: those of LOAD-FP and STORE-FP with a width that no scalar has.
 */
static inline bool ear_opcode_uses_vtype(uint32_t opcode)
{
	uint32_t funct3 = opcode >> 12 & 7;

	switch (opcode & 0x7f) {
	case EAR_OPCODE_OP_V: return funct3 != 7;
	case EAR_OPCODE_OP_VE: return true;
	case EAR_OPCODE_LOAD_FP:
	case EAR_OPCODE_STORE_FP: return funct3 == 0 || funct3 >= 5;
	default: return false;
	}
}

#endif
