/* What instructions read from x registers, beside what was written to them. */
#include "library/check/check_operand.h"

#include <inttypes.h>

static const struct ear_record_register *find_read(const struct ear_record *record, unsigned number)
{
	const struct ear_record_extra *extra = record->extra;

	for (size_t i = 0; extra && i < extra->read_count; i++)
		if (extra->reads[i].reg_class == EAR_REGISTER_X && extra->reads[i].number == number)
			return &extra->reads[i];
	return NULL;
}

struct check_value check_operand(
	struct ear_checker *checker, struct check_hart *hart, unsigned number)
{
	const struct ear_record_register *read = find_read(checker->record, number);
	struct check_value value = {hart->x[number], hart->x_known >> number & 1};
	char name[32];

	if (number == 0)
		return value;
	if (!read) {
		check_skip(checker, EAR_CHECK_OPERAND, EAR_CHECK_ABSENT);
		return value;
	}
	uint64_t shown = check_word(hart, read->value);
	if (!value.known)
		check_skip(checker, EAR_CHECK_OPERAND, EAR_CHECK_UNKNOWN);
	else if (shown == value.value)
		check_pass(checker, EAR_CHECK_OPERAND);
	else
		check_violate(checker, EAR_CHECK_OPERAND, value.value, shown,
			"%s reads 0x%" PRIx64 " from x%u, which holds 0x%" PRIx64,
			check_mnemonic(checker, name, sizeof(name)), shown, number, value.value);
	hart->x[number] = shown;
	hart->x_known |= 1u << number;
	return (struct check_value){shown, true};
}

void check_shown_operands(struct ear_checker *checker, struct check_hart *hart)
{
	const struct ear_record *record = checker->record;

	if (record->flags & EAR_RECORD_NO_OPCODE)
		return;
	const struct ear_semantics *op =
		check_decode(checker, (uint32_t)record->opcode, record->xlen);
	const unsigned numbers[2] = {op->rs1, op->rs2};
	for (unsigned i = 0; i < 2; i++)
		if (op->kind != EAR_SEM_ILLEGAL && find_read(record, numbers[i]))
			(void)check_operand(checker, hart, numbers[i]);
}
