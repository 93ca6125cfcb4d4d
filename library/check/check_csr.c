/* CSR instructions, and which CSRs hold what was written. */
#include "library/check/check_csr.h"

#include "decoder/isa/csr.h"
#include "library/check/check_status.h"
#include "library/check/check_warl.h"

#define MVIEN    0x308u
#define MSCRATCH 0x340u
#define SSCRATCH 0x140u
#define HIE      0x604u

#define PMPCFG_FIRST 0x3a0u
#define PMPCFG_LAST  0x3afu
#define PMPADDR_LAST 0x3efu
#define MSECCFG      0x747u

/* A CSR that only software and traps change. */
static bool is_stable(unsigned number)
{
	static const uint16_t stable[] = {0x105, 0x106, 0x140, 0x141, 0x142, 0x143, 0x180, 0x302,
		0x303, 0x304, 0x305, 0x306, MVIEN, MSECCFG, 0x340, 0x341, 0x342, 0x343};

	if (number >= PMPCFG_FIRST && number <= PMPADDR_LAST)
		return true; /* pmpcfg, pmpaddr */
	for (size_t i = 0; i < sizeof(stable) / sizeof(stable[0]); i++)
		if (stable[i] == number)
			return true;
	return false;
}

static bool is_status(unsigned number)
{
	return number == EAR_CSR_MSTATUS || number == EAR_CSR_SSTATUS;
}

static bool is_supervisor(unsigned number)
{
	return number >> 8 == 1;
}

/* sie is the part of mie that mideleg delegates. */
static void learn_sie(struct check_hart *hart, uint64_t value)
{
	const struct check_value *delegated = &hart->csrs[EAR_CSR_MIDELEG];
	struct check_value *enabled = &hart->csrs[EAR_CSR_MIE];

	if (delegated->known && !hart->csrs[MVIEN].value)
		enabled->value = (enabled->value & ~delegated->value) | (value & delegated->value);
	else
		enabled->known = false;
}

/* Does PMP depend on it? */
static bool is_protection(unsigned number)
{
	return (number >= PMPCFG_FIRST && number <= PMPADDR_LAST) || number == MSECCFG ||
	       number == EAR_CSR_SATP;
}

void check_csr_learn(struct check_hart *hart, unsigned number, uint64_t value)
{
	value = check_word(hart, value);
	if (is_protection(number))
		check_pmp_changed(hart);
	if (is_stable(number))
		hart->csrs[number % EAR_CSR_COUNT] = (struct check_value){value, true};
	else if (is_status(number))
		check_status_learn(hart, number, value);
	else if (number == EAR_CSR_SIE)
		learn_sie(hart, value);
	else if (number == EAR_CSR_VSIE || number == HIE)
		hart->csrs[EAR_CSR_MIE].known = false;
	if (number == EAR_CSR_FRM)
		hart->frm = (struct check_value){value & 7, true};
	else if (number == EAR_CSR_FCSR)
		hart->frm = (struct check_value){value >> 5 & 7, true};
	if (number == EAR_CSR_FFLAGS || number == EAR_CSR_FCSR)
		hart->fflags = (struct check_value){value & 31, true};
}

void check_csr_reset(struct check_hart *hart)
{
	check_status_reset(hart);
	for (unsigned number = PMPCFG_FIRST; number <= PMPCFG_LAST; number++)
		hart->csrs[number] = (struct check_value){0, true};
	hart->mode = (struct check_value){EAR_PRIVILEGE_M, true};
}

void check_csr_forget(struct check_hart *hart, unsigned number)
{
	if (is_protection(number))
		check_pmp_changed(hart);
	hart->csrs[number % EAR_CSR_COUNT].known = false;
}

void check_csr_believe(struct check_hart *hart, const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class != EAR_REGISTER_CSR)
			continue;
		if (check_is_virtual(record) && is_supervisor(reg->number))
			check_csr_forget(hart, reg->number);
		else
			check_csr_learn(hart, reg->number, reg->value);
	}
}

/* What the instruction writes: value, as far as known says. */
struct new_value {
	uint64_t value, known;
};

static struct new_value find_new(
	const struct ear_semantics *op, const struct new_value *old, const struct check_value *a)
{
	unsigned function = ear_semantics_bits(op->wide, 12, 3);
	struct check_value source = *a;

	if (function & 4)
		source = (struct check_value){ear_semantics_bits(op->wide, 15, 5), true};
	if (!source.known)
		return (struct new_value){0, 0};
	switch (function & 3) {
	case 1: return (struct new_value){source.value, UINT64_MAX};
	case 2: return (struct new_value){old->value | source.value, old->known | source.value};
	default: return (struct new_value){old->value & ~source.value, old->known | source.value};
	}
}

/* What else a source may not show of a CSR that was written. */
static void forget_written(struct check_hart *hart, unsigned number)
{
	check_csr_forget(hart, number);
	if (number == EAR_CSR_FRM || number == EAR_CSR_FCSR)
		hart->frm.known = false;
	if (number == EAR_CSR_FFLAGS || number == EAR_CSR_FCSR)
		hart->fflags.known = false;
	if (number == EAR_CSR_SIE || number == EAR_CSR_VSIE || number == HIE)
		check_csr_forget(hart, EAR_CSR_MIE);
	if (is_status(number))
		check_status_forget(hart);
}

/* fflags, frm and fcsr: two fields. */
static void read_float(
	struct ear_checker *checker, struct check_hart *hart, unsigned number, uint64_t read)
{
	struct check_value expected = {0, true};

	if (number != EAR_CSR_FRM) {
		expected = hart->fflags;
	}
	if (number != EAR_CSR_FFLAGS) {
		expected.value |= hart->frm.value << (number == EAR_CSR_FCSR ? 5 : 0);
		expected.known &= hart->frm.known;
	}
	if (expected.known)
		check_equal(checker, EAR_CHECK_CSR, expected.value, read, "the CSR");
	else
		check_skip(checker, EAR_CHECK_CSR, EAR_CHECK_UNKNOWN);
}

/* What was read of a CSR. */
static void check_read(
	struct ear_checker *checker, struct check_hart *hart, unsigned number, uint64_t read)
{
	const struct check_value *old = &hart->csrs[number];

	if (check_is_virtual(checker->record) && is_supervisor(number)) {
		check_skip(checker, EAR_CHECK_CSR, EAR_CHECK_EXTENSION);
		return;
	}
	if (is_status(number))
		check_status_read(checker, hart, number, read);
	else if (number >= EAR_CSR_FFLAGS && number <= EAR_CSR_FCSR)
		read_float(checker, hart, number, read);
	else if (!is_stable(number))
		check_skip(checker, EAR_CHECK_CSR, EAR_CHECK_CHANGES);
	else if (!old->known)
		check_skip(checker, EAR_CHECK_CSR, EAR_CHECK_UNKNOWN);
	else
		check_equal(checker, EAR_CHECK_CSR, old->value, read, "the CSR");
	check_csr_learn(hart, number, read);
}

/* What is known of a CSR before the instruction. */
static struct new_value find_old(
	const struct check_hart *hart, unsigned number, const struct check_value *read)
{
	if (read->known)
		return (struct new_value){read->value, UINT64_MAX};
	if (is_status(number))
		return (struct new_value){hart->status, hart->status_known};
	if (hart->csrs[number].known)
		return (struct new_value){hart->csrs[number].value, UINT64_MAX};
	return (struct new_value){0, 0};
}

static void check_write(struct ear_checker *checker, struct check_hart *hart, unsigned number,
	const struct new_value *new)
{
	const struct ear_record_register *shown =
		check_written(checker->record, EAR_REGISTER_CSR, (int)number);
	bool scratch = number == MSCRATCH || number == SSCRATCH;

	if (check_is_virtual(checker->record) && is_supervisor(number))
		return;
	if (is_status(number)) {
		check_status_write(checker, hart, number, new->value, new->known);
		return;
	}
	if (!shown)
		forget_written(hart, number);
	if (check_word(hart, new->known) != check_word(hart, UINT64_MAX))
		return;
	uint64_t value = check_word(hart, new->value);
	if (scratch && shown)
		check_equal(checker, EAR_CHECK_CSR, value, check_word(hart, shown->value),
			"the CSR written");
	else if (scratch)
		check_csr_learn(hart, number, value);
	else if (shown)
		check_warl(checker, hart, number, value, check_word(hart, shown->value));
}

struct check_value check_csr(struct ear_checker *checker, struct check_hart *hart,
	const struct ear_semantics *op, const struct check_operands *operands)
{
	const struct ear_record *record = checker->record;
	unsigned number = op->wide >> 20, function = ear_semantics_bits(op->wide, 12, 3);
	const struct ear_record_register *rd = check_written(record, EAR_REGISTER_X, op->rd);
	struct check_value read = {0, false};

	if (op->rd != 0 && rd) {
		read = (struct check_value){check_word(hart, rd->value), true};
		check_read(checker, hart, number, read.value);
	}
	if ((function & 3) == 1 || ear_semantics_bits(op->wide, 15, 5) != 0) {
		const struct new_value old = find_old(hart, number, &read);
		const struct new_value new = find_new(op, &old, &operands->a);
		check_write(checker, hart, number, &new);
	}
	return read;
}
