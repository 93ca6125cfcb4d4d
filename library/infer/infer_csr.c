/* CSRs. Something is known of the ones that traps fill in, and of the ones that hold what software
 * put there. All others read as unknown.
 *
 * What software writes to xEPC may lose its low bits; xCAUSE and xTVAL may take nothing at all, so
 * they are known only from a trap. xTVEC may be changed by the core, so what was written serves
 * only to see that a trap was taken: a pc that is there is no chance.
 */
#include "library/infer/infer_csr.h"

#define FRM_SHIFT 5

static const uint16_t numbers[INFER_CSRS] = {
	[INFER_MSCRATCH] = 0x340,
	[INFER_MEPC] = 0x341,
	[INFER_MCAUSE] = 0x342,
	[INFER_MTVAL] = 0x343,
	[INFER_SSCRATCH] = 0x140,
	[INFER_SEPC] = 0x141,
	[INFER_SCAUSE] = 0x142,
	[INFER_STVAL] = 0x143,
	[INFER_FRM] = 0x002,
	[INFER_FFLAGS] = 0x001,
	[INFER_MTVEC] = 0x305,
	[INFER_STVEC] = 0x105,
};

#define FCSR 0x003u
#define SATP 0x180u

static int find(unsigned number)
{
	for (int i = 0; i < INFER_CSRS; i++)
		if (numbers[i] == number)
			return i;
	return -1;
}

/* In a virtual machine the numbers of supervisor CSRs mean others. */
static bool is_certain(const struct ear_record *record, unsigned number)
{
	bool supervisor = number >> 8 == 1;

	return !supervisor ||
	       (!(record->flags & EAR_RECORD_NO_PRIVILEGE) && record->privilege <= EAR_PRIVILEGE_M);
}

static struct infer_value read_csr(const struct infer_hart *hart, unsigned number)
{
	const struct infer_value *frm = &hart->csrs[INFER_FRM], *flags = &hart->csrs[INFER_FFLAGS];
	int at = find(number);

	if (number == FCSR)
		return (struct infer_value){frm->value << FRM_SHIFT | flags->value,
			(frm->known << FRM_SHIFT | 0x1f) & (flags->known | ~UINT64_C(0x1f))};
	return at < 0 || at >= INFER_MTVEC ? (struct infer_value){0, 0} : hart->csrs[at];
}

/* What the CSR holds after value was written to it. */
static struct infer_value kept(
	const struct infer_hart *hart, enum infer_csr csr, struct infer_value value)
{
	const struct infer_value unknown = {0, 0};

	switch (csr) {
	case INFER_MSCRATCH:
	case INFER_SSCRATCH:
	case INFER_MTVEC:
	case INFER_STVEC: return value;
	case INFER_MEPC:
	case INFER_SEPC:
		/* Upper bits of a pc that no instruction can have may be lost. */
		if (!infer_is_known(value) || value.value & 3 ||
			(hart->xlen == 64 &&
				(int64_t)(value.value << 25) >> 25 != (int64_t)value.value))
			return unknown;
		return value;
	case INFER_FRM: return infer_zero_extend(value, 3);
	case INFER_FFLAGS: return infer_zero_extend(value, 5);
	default: return unknown;
	}
}

static void write_csr(struct infer_hart *hart, unsigned number, struct infer_value value)
{
	int at = find(number);

	if (number == FCSR) {
		struct infer_value upper = {value.value >> FRM_SHIFT, value.known >> FRM_SHIFT};
		hart->csrs[INFER_FRM] = infer_zero_extend(upper, 3);
		hart->csrs[INFER_FFLAGS] = infer_zero_extend(value, 5);
	} else if (at >= 0) {
		hart->csrs[at] = kept(hart, (enum infer_csr)at, value);
	}
}

static struct infer_value new_value(
	const struct infer_step *step, struct infer_value old, struct infer_value source)
{
	unsigned xlen = step->hart->xlen;

	switch (ear_semantics_bits(step->op->wide, 12, 2)) {
	case 1: return source;
	case 2: return infer_compute(EAR_SEM_OR, old, source, false, xlen);
	default: return infer_compute(EAR_SEM_ANDN, old, source, false, xlen);
	}
}

void infer_csr(struct infer_step *step)
{
	const struct ear_semantics *op = step->op;
	unsigned number = op->wide >> 20, field = ear_semantics_bits(op->wide, 15, 5);
	bool immediate = ear_semantics_bits(op->wide, 14, 1) != 0;
	bool writes = ear_semantics_bits(op->wide, 12, 2) == 1 || field != 0;
	struct infer_value old = {0, 0};

	if (is_certain(step->record, number))
		old = infer_to_xlen(read_csr(step->hart, number), step->hart->xlen);
	if (writes) {
		struct infer_value new =
			new_value(step, old, immediate ? infer_exactly(field) : step->a);
		/* Addresses are translated from here on, unless it is surely 0. */
		if (number == SATP && !(infer_is_known(new) && new.value == 0))
			infer_translate(step->infer);
		if (step->doubtful || !is_certain(step->record, number))
			new = (struct infer_value){0, 0};
		write_csr(step->hart, number, new);
	}
	infer_write_x(step, old);
}

static void set_trap(struct infer_hart *hart, enum infer_csr epc, const struct infer_trap *trap)
{
	hart->csrs[epc] = trap->pc;
	hart->csrs[epc + 1] = trap->cause;
	hart->csrs[epc + 2] = trap->value;
}

void infer_csr_trap(struct infer_hart *hart, const struct ear_record *handler)
{
	static const struct infer_trap unknown = {.pending = false};
	bool known = !(handler->flags & EAR_RECORD_NO_PRIVILEGE);
	bool supervisor = known && handler->privilege == EAR_PRIVILEGE_S;

	_Static_assert(INFER_MTVAL == INFER_MEPC + 2 && INFER_STVAL == INFER_SEPC + 2,
		"xEPC, xCAUSE and xTVAL follow each other");
	/* Without a privilege it may have been one for supervisor mode, too. Then mepc is read by
	 * nobody before a trap to machine mode fills it in. */
	if (known && handler->privilege > EAR_PRIVILEGE_M)
		set_trap(hart, INFER_MEPC, &unknown);
	else if (!supervisor)
		set_trap(hart, INFER_MEPC, &hart->trap);
	if (supervisor)
		set_trap(hart, INFER_SEPC, &hart->trap);
	else if (!known)
		set_trap(hart, INFER_SEPC, &unknown);
	hart->trap = unknown;
}

void infer_csr_show(struct infer_hart *hart, unsigned number, uint64_t value)
{
	struct infer_value seen = infer_to_xlen(infer_exactly(value), hart->xlen);
	int at = find(number);

	if (at >= 0)
		hart->csrs[at] = seen;
	else
		write_csr(hart, number, seen); /* fcsr */
}

static bool leads(struct infer_value vector, uint64_t pc)
{
	uint64_t base = vector.value & ~UINT64_C(3);

	if (!infer_is_known(vector))
		return false;
	return pc == base ||
	       ((vector.value & 3) == 1 && (pc - base) % 4 == 0 && (pc - base) / 4 < 64);
}

bool infer_csr_is_handler(const struct infer_hart *hart, uint64_t pc)
{
	return leads(hart->csrs[INFER_MTVEC], pc) || leads(hart->csrs[INFER_STVEC], pc);
}
