/* The width of registers counts first, since tracers that have it print all of it; then opcodes,
 * because code of RV64 soon has one that RV32 lacks.
 */
#include "decoder/formats/base/xlen.h"

#include <stdbool.h>

#include "decoder/isa/inst.h"

unsigned ear_xlen_of_opcode(uint64_t opcode)
{
	struct ear_inst inst32, inst64;

	ear_inst_decode(&inst32, (uint32_t)opcode, 32);
	ear_inst_decode(&inst64, (uint32_t)opcode, 64);
	if ((inst32.kind == EAR_KIND_ILLEGAL) == (inst64.kind == EAR_KIND_ILLEGAL))
		return 0;
	return inst64.kind == EAR_KIND_ILLEGAL ? 32 : 64;
}

void ear_xlen_see_register(struct ear_xlen_evidence *evidence, size_t digits)
{
	evidence->narrow += digits == 8;
	evidence->wide += digits == 16;
}

void ear_xlen_see_pc(struct ear_xlen_evidence *evidence, size_t digits, uint64_t pc)
{
	const bool extended = pc >> 31 == UINT64_MAX >> 31;

	evidence->extended += digits == 16 && extended;
	evidence->plain += digits == 16 && !extended;
	evidence->high += pc >> 31 == 1;
}

void ear_xlen_see_opcode(struct ear_xlen_evidence *evidence, uint64_t opcode)
{
	const unsigned xlen = ear_xlen_of_opcode(opcode);

	evidence->only_32 += xlen == 32;
	evidence->only_64 += xlen == 64;
}

unsigned ear_xlen_of_wide_pcs(const struct ear_xlen_evidence *evidence)
{
	if (evidence->extended + evidence->plain == 0)
		return 0;
	if (evidence->narrow + evidence->wide > 0)
		return evidence->narrow > evidence->wide ? 32 : 0;
	return evidence->extended > 0 && evidence->high == 0 && evidence->only_64 == 0 ? 32 : 0;
}
