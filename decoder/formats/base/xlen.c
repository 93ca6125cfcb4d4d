/* Narrow registers count first; wide ones may be those of RV32, which a tracer prints with 64 bits.
 * Then opcodes, because code of RV64 soon has one that RV32 lacks, and a c.jal that jumps.
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

/* What C.JAL of RV32 is, is C.ADDIW of RV64, which goes to the next instruction. */
static unsigned xlen_of_flow(const struct ear_record *record, uint64_t next_pc)
{
	struct ear_inst inst;

	if (record->opcode_size != 2 || (record->opcode & 0xE003) != 0x2001)
		return 0;
	ear_inst_decode(&inst, (uint32_t)record->opcode, 32);
	if (next_pc == record->pc + 2)
		return 64;
	return (uint32_t)next_pc == (uint32_t)(record->pc + (uint64_t)inst.imm) ? 32 : 0;
}

/* A value that is negative in 32 bits, of an instruction that extends the sign to XLEN. */
static unsigned xlen_of_value(const struct ear_record *record)
{
	const unsigned major = record->opcode & 0x7F, funct3 = record->opcode >> 12 & 7;
	const bool lui = record->opcode_size == 4 && major == 0x37;
	const bool load = record->opcode_size == 4 && major == 0x03 && funct3 <= 2;
	const bool li = record->opcode_size == 4 && (record->opcode & 0xFF07F) == 0x13;
	const bool short_li = record->opcode_size == 2 && (record->opcode & 0xE003) == 0x4001;

	if (!(lui || load || li || short_li) || record->register_count != 1 ||
		record->registers[0].reg_class != EAR_REGISTER_X)
		return 0;
	const uint64_t value = record->registers[0].value;
	if (!(value >> 31 & 1))
		return 0;
	return value >> 32 == 0 ? 32 : value >> 32 == UINT32_MAX ? 64 : 0;
}

unsigned ear_xlen_of_record(const struct ear_record *record, uint64_t next_pc)
{
	const uint32_t none = EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT | EAR_RECORD_NO_OPCODE;

	if (record->kind != EAR_RECORD_INSTRUCTION || record->flags & none)
		return 0;
	unsigned xlen = xlen_of_flow(record, next_pc);
	if (xlen == 0)
		xlen = xlen_of_value(record);
	return xlen ? xlen : ear_xlen_of_opcode(record->opcode);
}

unsigned ear_xlen_of_wide_pcs(const struct ear_xlen_evidence *evidence, bool *guessed)
{
	*guessed = false;
	if (evidence->extended + evidence->plain == 0)
		return 0;
	if (evidence->narrow > evidence->wide || (evidence->only_32 > 0 && evidence->only_64 == 0))
		return 32;
	*guessed = evidence->narrow + evidence->wide == 0 && evidence->extended > 0 &&
		   evidence->high == 0 && evidence->only_64 == 0;
	return *guessed ? 32 : 0;
}
