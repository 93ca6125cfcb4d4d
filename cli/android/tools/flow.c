/* Calls and returns of ARM, Thumb and RISC-V, as compilers write them. */
#include "cli/android/tools/flow.h"

static enum ear_android_flow of_arm(uint32_t word)
{
	if (word >> 25 == 0x7D || (word & 0x0F000000) == 0x0B000000 || /* bl, blx */
		(word & 0x0FFFFFF0) == 0x012FFF30)                     /* blx rM */
		return EAR_ANDROID_CALL;
	if ((word & 0x0FFFFFFF) == 0x012FFF1E ||     /* bx lr */
		(word & 0x0FEFFFFF) == 0x01A0F00E || /* mov pc, lr; movs */
		(word & 0x0FFFF000) == 0x025EF000 || /* subs pc, lr, #n */
		(word & 0x0E108000) == 0x08108000 || /* ldm with pc */
		(word & 0x0C1FF000) == 0x041DF000)   /* ldr pc, [sp] */
		return EAR_ANDROID_RETURN;
	return EAR_ANDROID_OTHER;
}

static enum ear_android_flow of_thumb(const struct ear_android_instruction *instruction)
{
	uint32_t opcode = instruction->opcode;

	if (instruction->entries == 2) {
		if (opcode >> 27 == 0x1E && (opcode & 0xC000) == 0xC000) /* bl, blx */
			return EAR_ANDROID_CALL;
		return opcode >> 16 == 0xE8BD && opcode & 0x8000 ? EAR_ANDROID_RETURN
								 : EAR_ANDROID_OTHER;
	}
	if ((opcode & 0xFF87) == 0x4780) /* blx rM */
		return EAR_ANDROID_CALL;
	if (opcode == 0x4770 || opcode == 0x46F7 || (opcode & 0xFF00) == 0xBD00) /* bx lr, pop */
		return EAR_ANDROID_RETURN;
	return EAR_ANDROID_OTHER;
}

/* x1 and x5 are the registers of return addresses. */
static bool links(uint32_t number)
{
	return number == 1 || number == 5;
}

static enum ear_android_flow of_riscv(uint32_t opcode, unsigned xlen)
{
	uint32_t rd = opcode >> 7 & 31, rs1 = opcode >> 15 & 31;

	switch (opcode & 0x7F) {
	case 0x6F: return links(rd) ? EAR_ANDROID_CALL : EAR_ANDROID_OTHER;
	case 0x67:
		return links(rd)               ? EAR_ANDROID_CALL
		       : rd == 0 && links(rs1) ? EAR_ANDROID_RETURN
					       : EAR_ANDROID_OTHER;
	}
	if (opcode == 0x30200073 || opcode == 0x10200073) /* mret, sret */
		return EAR_ANDROID_RETURN;
	if ((opcode & 0xE003) == 0x2001 && xlen == 32) /* c.jal */
		return EAR_ANDROID_CALL;
	if ((opcode & 3) != 3 && (opcode & 0xF07F) == 0x9002 && rd != 0) /* c.jalr */
		return EAR_ANDROID_CALL;
	if ((opcode & 3) != 3 && (opcode & 0xF07F) == 0x8002 && links(rd)) /* c.jr */
		return EAR_ANDROID_RETURN;
	return EAR_ANDROID_OTHER;
}

enum ear_android_flow ear_android_flow_of(
	const struct ear_android_instruction *instruction, unsigned xlen)
{
	switch (instruction->isa) {
	case EAR_ISA_RISCV: return of_riscv(instruction->opcode, xlen);
	case EAR_ISA_T32: return of_thumb(instruction);
	default: return of_arm(instruction->opcode);
	}
}
