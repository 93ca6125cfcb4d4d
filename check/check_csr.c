/* CSR instructions, and which CSRs hold what was written. */
#include "check/check_csr.h"

#include "decoder/isa/csr.h"

#define FFLAGS   0x001u
#define FRM      0x002u
#define FCSR     0x003u
#define MSTATUS  0x300u
#define MSCRATCH 0x340u
#define SSCRATCH 0x140u

#define STATUS_BITS (UINT64_C(1) << 3 | UINT64_C(1) << 7)

/* A CSR that only software and traps change. */
static bool is_stable(unsigned number)
{
	static const uint16_t stable[] = {0x105, 0x140, 0x141, 0x142, 0x143, 0x180, 0x302, 0x303,
		0x304, 0x305, 0x340, 0x341, 0x342, 0x343};

	if (number >= 0x3a0 && number < 0x3f0)
		return true; /* pmpcfg, pmpaddr */
	for (size_t i = 0; i < sizeof(stable) / sizeof(stable[0]); i++)
		if (stable[i] == number)
			return true;
	return false;
}

void check_csr_learn(struct check_hart *hart, unsigned number, uint64_t value)
{
	value = check_word(hart, value);
	if (is_stable(number))
		hart->csrs[number % EAR_CSR_COUNT] = (struct check_value){value, true};
	else if (number == FRM)
		hart->frm = (struct check_value){value & 7, true};
	else if (number == FCSR)
		hart->frm = (struct check_value){value >> 5 & 7, true};
	else if (number == MSTATUS)
		hart->status = (struct check_value){value & STATUS_BITS, true};
}

void check_csr_forget(struct check_hart *hart, unsigned number)
{
	hart->csrs[number % EAR_CSR_COUNT].known = false;
}

/* What the instruction writes; known false: it cannot be said. */
static struct check_value find_new(const struct check_hart *hart, const struct ear_semantics *op,
	const struct check_value *old, const struct check_value *a)
{
	unsigned function = ear_semantics_bits(op->wide, 12, 3);
	struct check_value source = *a;

	if (function & 4)
		source = (struct check_value){ear_semantics_bits(op->wide, 15, 5), true};
	switch (function & 3) {
	case 1: return source;
	case 2: return (struct check_value){old->value | source.value, old->known && source.known};
	default:
		return (struct check_value){
			check_word(hart, old->value & ~source.value), old->known && source.known};
	}
}

/* What else a source may not show of a CSR that was written. */
static void forget_written(struct check_hart *hart, unsigned number)
{
	check_csr_forget(hart, number);
	if (number == FRM || number == FCSR)
		hart->frm.known = false;
	if (number == MSTATUS)
		hart->status.known = false;
}

struct check_value check_csr(struct ear_checker *checker, struct check_hart *hart,
	const struct ear_semantics *op, const struct check_operands *operands)
{
	const struct ear_record *record = checker->record;
	unsigned number = op->wide >> 20, function = ear_semantics_bits(op->wide, 12, 3);
	const struct ear_record_register *rd = check_written(record, EAR_REGISTER_X, op->rd);
	const struct ear_record_register *shown =
		check_written(record, EAR_REGISTER_CSR, (int)number);
	struct check_value old = hart->csrs[number], read = {0, false};

	if (op->rd != 0 && rd) {
		read = (struct check_value){check_word(hart, rd->value), true};
		if (!is_stable(number))
			check_skip(checker, EAR_CHECK_CSR, EAR_CHECK_CHANGES);
		else if (!old.known)
			check_skip(checker, EAR_CHECK_CSR, EAR_CHECK_UNKNOWN);
		else
			check_equal(checker, EAR_CHECK_CSR, old.value, read.value, "the CSR");
		check_csr_learn(hart, number, read.value);
		old = read;
	}
	bool writes = (function & 3) == 1 || ear_semantics_bits(op->wide, 15, 5) != 0;
	struct check_value new = find_new(hart, op, &old, &operands->a);
	if (writes && !shown)
		forget_written(hart, number);
	if (writes && (number == MSCRATCH || number == SSCRATCH) && new.known) {
		if (shown)
			check_equal(checker, EAR_CHECK_CSR, new.value,
				check_word(hart, shown->value), "the CSR written");
		else
			check_csr_learn(hart, number, new.value);
	}
	return read;
}
