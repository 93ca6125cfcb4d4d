/* mstatus: what traps, returns and software make of its fields. RISC-V Instruction Set Manual,
 * volume II, "Machine Status Registers", "Privilege and Global Interrupt-Enable Stack", and "Trap-
 * Return Instructions".
 */
#include "library/check/check_status.h"

#include <inttypes.h>

#include "decoder/isa/csr.h"

struct field {
	const char *name;
	uint8_t shift, width;
	bool supervisor; /* in sstatus, too */
};

static const struct field fields[] = {
	{"SIE", 1, 1, true},
	{"MIE", 3, 1, false},
	{"SPIE", 5, 1, true},
	{"UBE", 6, 1, true},
	{"MPIE", 7, 1, false},
	{"SPP", 8, 1, true},
	{"MPP", 11, 2, false},
	{"MPRV", 17, 1, false},
	{"SUM", 18, 1, true},
	{"MXR", 19, 1, true},
	{"TVM", 20, 1, false},
	{"TW", 21, 1, false},
	{"TSR", 22, 1, false},
};

#define SIE       CHECK_STATUS_SIE
#define MIE       CHECK_STATUS_MIE
#define SPIE      (UINT64_C(1) << 5)
#define MPIE      (UINT64_C(1) << 7)
#define SPP       (UINT64_C(1) << 8)
#define MPP_SHIFT 11u
#define MPP       (UINT64_C(3) << MPP_SHIFT)
#define MPRV      CHECK_STATUS_MPRV
#define SDT       (UINT64_C(1) << 24)
#define MDT       (UINT64_C(1) << 42)

/* The bits of both, as the table has them. */
#define FOLLOWED   UINT64_C(0x7e19ea)
#define SUPERVISOR UINT64_C(0x0c0162)

static uint64_t bits_of(unsigned number)
{
	return number == EAR_CSR_SSTATUS ? SUPERVISOR : FOLLOWED;
}

static uint64_t mask_of(const struct field *field)
{
	return ((UINT64_C(1) << field->width) - 1) << field->shift;
}

void check_status_learn(struct check_hart *hart, unsigned number, uint64_t value)
{
	uint64_t bits = bits_of(number);

	hart->status = (hart->status & ~bits) | (value & bits);
	hart->status_known |= bits;
	check_pmp_close(hart); /* MPRV, MPP */
}

void check_status_reset(struct check_hart *hart)
{
	hart->status &= ~(MIE | MPRV);
	hart->status_known |= MIE | MPRV;
}

void check_status_forget(struct check_hart *hart)
{
	hart->status_known = 0;
	check_pmp_close(hart);
}

/* What is shown against what is known; the first field that differs is the violation. Returns
 * false if nothing of it is known. */
static bool judge(struct ear_checker *checker, enum ear_check_rule rule, uint64_t expected,
	uint64_t known, uint64_t shown, const char *when)
{
	uint64_t wrong = (expected ^ shown) & known;

	if (!known)
		return false;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const struct field *field = &fields[i];
		uint64_t mask = mask_of(field);
		if (wrong & mask) {
			check_violate(checker, rule, expected & known, shown & known,
				"mstatus.%s is %" PRIu64 " %s, not %" PRIu64, field->name,
				(shown & mask) >> field->shift, when,
				(expected & mask) >> field->shift);
			return true;
		}
	}
	check_pass(checker, rule);
	return true;
}

/* What a trap or a return has made of it, if the record shows it. */
static void check_shown(struct ear_checker *checker, struct check_hart *hart,
	enum ear_check_rule rule, const char *when)
{
	const struct ear_record_register *shown =
		check_written(checker->record, EAR_REGISTER_CSR, EAR_CSR_MSTATUS);

	if (!shown)
		shown = check_written(checker->record, EAR_REGISTER_CSR, EAR_CSR_SSTATUS);
	if (!shown)
		check_skip(checker, rule, EAR_CHECK_ABSENT);
	else if (!judge(checker, rule, hart->status, hart->status_known & bits_of(shown->number),
			 shown->value, when))
		check_skip(checker, rule, EAR_CHECK_UNKNOWN);
}

/* Fields move with what is known of them. */
static void set_field(struct check_hart *hart, uint64_t mask, struct check_value value)
{
	uint64_t lowest = mask & -mask;

	hart->status = (hart->status & ~mask) | (value.value * lowest & mask);
	hart->status_known = (hart->status_known & ~mask) | (value.known ? mask : 0);
}

static struct check_value get_field(const struct check_hart *hart, uint64_t mask)
{
	uint64_t lowest = mask & -mask;

	return (struct check_value){
		(hart->status & mask) / lowest, (hart->status_known & mask) == mask};
}

struct check_value check_status_mpp(const struct check_hart *hart)
{
	return get_field(hart, MPP);
}

static struct check_value just(uint64_t value)
{
	return (struct check_value){value, true};
}

void check_status_trap(struct ear_checker *checker, struct check_hart *hart, bool supervisor)
{
	struct check_value mode = check_privilege(hart, checker->record);

	check_pmp_close(hart);
	if (supervisor) {
		set_field(hart, SPIE, get_field(hart, SIE));
		set_field(hart, SIE, just(0));
		set_field(
			hart, SPP, (struct check_value){mode.value == EAR_PRIVILEGE_S, mode.known});
	} else {
		set_field(hart, MPIE, get_field(hart, MIE));
		set_field(hart, MIE, just(0));
		set_field(hart, MPP, mode);
	}
	hart->goes_mode = just(supervisor ? EAR_PRIVILEGE_S : EAR_PRIVILEGE_M);
	check_shown(checker, hart, EAR_CHECK_TRAP, "after the trap");
}

/* The least privilege that the hart has; not known as long as it was in machine mode alone. */
static struct check_value least_mode(const struct check_hart *hart)
{
	return (struct check_value){
		EAR_PRIVILEGE_U, hart->less_seen && hart->modes_seen & 1u << EAR_PRIVILEGE_M};
}

void check_status_return(struct ear_checker *checker, struct check_hart *hart, bool machine)
{
	struct check_value to = get_field(hart, machine ? MPP : SPP);

	hart->returned = true;
	check_pmp_close(hart);
	if (checker->record->privilege == EAR_PRIVILEGE_VS) {
		hart->goes_mode.known = false; /* vsstatus */
		return;
	}
	if (machine) {
		set_field(hart, MIE, get_field(hart, MPIE));
		set_field(hart, MPIE, just(1));
		set_field(hart, MPP, least_mode(hart));
	} else {
		set_field(hart, SIE, get_field(hart, SPIE));
		set_field(hart, SPIE, just(1));
		set_field(hart, SPP, just(0));
	}
	/* Leaving machine mode clears MPRV, which it did not before version 1.12. */
	struct check_value mprv = get_field(hart, MPRV);
	if (!(to.known && to.value == EAR_PRIVILEGE_M) && (!mprv.known || mprv.value))
		set_field(hart, MPRV, (struct check_value){0, false});
	hart->goes_mode = to;
	check_shown(checker, hart, EAR_CHECK_RETURN, machine ? "after mret" : "after sret");
}

void check_status_read(
	struct ear_checker *checker, struct check_hart *hart, unsigned number, uint64_t read)
{
	uint64_t known = hart->status_known & bits_of(number);

	if (!judge(checker, EAR_CHECK_CSR, hart->status, known, read, "where it is read"))
		check_skip(checker, EAR_CHECK_CSR, EAR_CHECK_UNKNOWN);
	check_status_learn(hart, number, read);
}

/* Bits that are written with what they hold: a core changes a field only that is written with
 * something else. */
static uint64_t find_kept(const struct check_hart *hart, uint64_t source, uint64_t known)
{
	uint64_t kept = ~(source ^ hart->status) & known & hart->status_known & FOLLOWED;

	return (kept & MPP) == MPP ? kept : kept & ~MPP;
}

void check_status_write(struct ear_checker *checker, struct check_hart *hart, unsigned number,
	uint64_t source, uint64_t known)
{
	const struct ear_record *record = checker->record;
	const struct ear_record_register *shown =
		check_written(record, EAR_REGISTER_CSR, (int)number);

	if (!shown)
		shown = check_written(record, EAR_REGISTER_CSR, EAR_CSR_MSTATUS); /* for sstatus */
	if (!shown) {
		hart->status_known &= ~bits_of(number);
		check_pmp_close(hart);
		return;
	}
	/* Of every hart that has the CSR; others may be fixed. */
	uint64_t judged = number == EAR_CSR_MSTATUS ? MIE | MPIE : 0;
	if (number == EAR_CSR_SSTATUS) {
		source = (source & SUPERVISOR) | (hart->status & ~SUPERVISOR);
		known = (known & SUPERVISOR) | (hart->status_known & ~SUPERVISOR);
	}
	judged |= find_kept(hart, source, known) & bits_of(shown->number);
	/* After a trap in a trap handler they can stay 0. */
	if (hart->xlen == 64 && shown->value & MDT)
		judged &= ~(MIE | MPIE);
	if (shown->value & SDT)
		judged &= ~SIE;
	if (judged &&
		!judge(checker, EAR_CHECK_CSR, source, known & judged, shown->value, "as written"))
		check_skip(checker, EAR_CHECK_CSR, EAR_CHECK_UNKNOWN);
}
