/* What an opcode word says of its operands. */
#include "analyses/coverage/isa_opcode.h"

static uint8_t number_of(const struct ear_instruction_operand *operand)
{
	const unsigned base = operand->reg_class == EAR_REGISTER_V   ? 64
			      : operand->reg_class == EAR_REGISTER_F ? 32
								     : 0;

	return (uint8_t)((operand->number & 31) + base);
}

struct ear_isa_operands ear_isa_operands_of(const struct ear_instruction *instruction)
{
	struct ear_isa_operands own = {
		EAR_ISA_NO_REGISTER, EAR_ISA_NO_REGISTER, EAR_ISA_NO_REGISTER, EAR_ISA_NO_REGISTER};
	uint8_t *const sources[] = {&own.rs1, &own.rs2, &own.rs3};
	const bool is_store = instruction->instruction_class == EAR_CLASS_STORE ||
			      instruction->instruction_class == EAR_CLASS_VSTORE;
	unsigned reads = 0;

	for (unsigned i = 0; i < instruction->operand_count; i++) {
		const struct ear_instruction_operand *operand = &instruction->operands[i];
		if (operand->is_immediate || operand->reg_class > EAR_REGISTER_V ||
			operand->reg_class == EAR_REGISTER_CSR)
			continue;
		if (operand->access & EAR_OPERAND_IS_WRITTEN && own.rd == EAR_ISA_NO_REGISTER)
			own.rd = number_of(operand);
		if (operand->access & EAR_OPERAND_IS_READ && reads < 3)
			*sources[reads++] = number_of(operand);
	}
	/* The register that is stored comes first. */
	if (is_store && reads >= 2) {
		const uint8_t stored = own.rs1;
		own.rs1 = own.rs2;
		own.rs2 = stored;
	}
	return own;
}

/* Bits 26:25 of instructions of floating point. */
static const uint8_t float_formats[4] = {
	EAR_ISA_SINGLE, EAR_ISA_DOUBLE, EAR_ISA_HALF, EAR_ISA_NO_VALUE};

static unsigned format_of(const struct ear_isa_opcode *opcode, unsigned slot, uint8_t reg)
{
	const uint32_t word = opcode->opcode;
	const unsigned what = opcode->instruction.instruction_class, from = word >> 20 & 31;

	if (reg == EAR_ISA_NO_REGISTER || reg >= EAR_ISA_VALUED)
		return EAR_ISA_NO_VALUE;
	if (what == EAR_CLASS_FP && (word & 3) == 3) {
		if (reg < 32)
			return EAR_ISA_INTEGER;
		if (word >> 27 != 8 || (word & 0x7F) != 0x53 || from == 4 || from == 5)
			return float_formats[word >> 25 & 3];
		if (from > 3) /* BF16 is one of both */
			return EAR_ISA_NO_VALUE;
		return float_formats[slot == 0 ? word >> 25 & 3 : from];
	}
	return what == EAR_CLASS_ALU || what == EAR_CLASS_MUL || what == EAR_CLASS_DIV ||
			       what == EAR_CLASS_BRANCH
		       ? EAR_ISA_INTEGER
		       : EAR_ISA_NO_VALUE;
}

/* csrrs and others do not write with x0 or 0. */
static bool writes_csr(uint32_t word)
{
	return (word >> 12 & 3) == EAR_ISA_CSR_WRITTEN || (word >> 15 & 31) != 0;
}

static struct isa_step step_of(const struct ear_isa_opcode *opcode)
{
	const unsigned what = opcode->instruction.instruction_class;
	const bool is_csr = what == EAR_CLASS_CSR;

	return (struct isa_step){.csr = is_csr ? (uint16_t)(opcode->opcode >> 20) : EAR_ISA_NO_CSR,
		.operands = opcode->operands,
		.is_load = what == EAR_CLASS_LOAD,
		.is_store =
			what == EAR_CLASS_STORE || what == EAR_CLASS_SC || what == EAR_CLASS_AMO,
		.writes_csr = is_csr && writes_csr(opcode->opcode)};
}

void ear_isa_opcode_init(struct ear_isa_opcode *own, const struct ear_instructions *instructions,
	uint32_t opcode, uint8_t xlen)
{
	*own = (struct ear_isa_opcode){
		.opcode = opcode, .xlen = xlen, .instruction = {.size = sizeof(own->instruction)}};
	if (ear_instruction_decode(instructions, &own->instruction, opcode, xlen) != 0)
		own->instruction.instruction_class = EAR_CLASS_ILLEGAL;
	own->operands = ear_isa_operands_of(&own->instruction);
	own->formats[0] = (uint8_t)format_of(own, 0, own->operands.rd);
	own->formats[1] = (uint8_t)format_of(own, 1, own->operands.rs1);
	own->formats[2] = (uint8_t)format_of(own, 2, own->operands.rs2);
	own->has_pair = own->formats[1] == EAR_ISA_INTEGER && own->formats[2] == EAR_ISA_INTEGER;
	if (own->formats[1] != EAR_ISA_NO_VALUE)
		own->sources |= UINT64_C(1) << own->operands.rs1;
	if (own->formats[2] != EAR_ISA_NO_VALUE)
		own->sources |= UINT64_C(1) << own->operands.rs2;
	own->step = step_of(own);
}
