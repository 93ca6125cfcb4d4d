/* What an instruction read, as a part of its record. */
#include "decoder/record/operands.h"

static struct ear_record_register *add(
	struct ear_record_register *at, unsigned number, uint64_t value)
{
	*at = (struct ear_record_register){
		.reg_class = EAR_REGISTER_X, .number = (uint16_t)number, .value = value};
	return at + 1;
}

void ear_reads_attach(
	struct ear_reads *reads, struct ear_record *record, const struct ear_operands *operands)
{
	struct ear_record_register *at = reads->registers;
	bool same = operands->rs1 == operands->rs2 && operands->a == operands->b;

	if (operands->rs1 != 0)
		at = add(at, operands->rs1, operands->a);
	if (operands->rs2 != 0 && !same)
		at = add(at, operands->rs2, operands->b);
	reads->extra.reads = reads->registers;
	reads->extra.read_count = (size_t)(at - reads->registers);
	record->extra = reads->extra.read_count ? &reads->extra : NULL;
}
